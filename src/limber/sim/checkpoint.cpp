// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "limber/core/hash.h"
#include "limber/io/file.h"

namespace limber {

namespace fs = std::filesystem;

namespace {

// 2: every number of every History. Those of version 1 miss some: a run that went on from one would
// drift from the run it is a part of. 3: what the invertible conversion keeps, and how careful
// Chebyshev's momentum has become. 5: which nodes contact by constraints pushed, and what that
// cost.
constexpr std::uint32_t format_version = 5;

struct Header {
    char magic[8] = {'L', 'I', 'M', 'B', 'E', 'R', 'C', 'K'};
    std::uint32_t version = format_version;
    std::uint32_t header_size = sizeof(Header);
    std::uint64_t scene_hash = 0;
    std::int64_t step = 0;
    std::uint64_t payload_size = 0;
    std::uint64_t payload_checksum = 0;
    std::uint64_t header_checksum = 0;  // of everything above
};
static_assert(sizeof(Header) == 56);

std::uint64_t checksum(const Header& header) {
    return hash64(&header, offsetof(Header, header_checksum));
}

std::string file_name(std::int64_t step) {
    std::string digits = std::to_string(step);
    digits.insert(0, 9 - std::min<std::size_t>(9, digits.size()), '0');
    return "step_" + digits + ".limber";
}

/// Checkpoints of a run folder, oldest first.
std::vector<std::string> checkpoints_in(const std::string& dir) {
    const std::string folder = (fs::path(dir) / "checkpoint").string();
    std::vector<std::string> found;
    if (!is_folder(folder)) return found;
    for (const std::string& name : names_in(folder))
        if (name.starts_with("step_") && name.ends_with(".limber") &&
            is_regular_file(folder + '/' + name))
            found.push_back(folder + '/' + name);
    // By number: names with more digits are later.
    std::sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return found;
}

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
    throw InputError(SourcePlace{file}, what);
}

void refuse_foreign(const std::string& file, std::string_view bytes) {
    const Header header;
    const std::string_view first = bytes.substr(0, sizeof header.magic);
    if (!std::string_view(header.magic, sizeof header.magic).starts_with(first))
        refuse(file, "not a limber checkpoint: first bytes '" + printable(first) + "'");
}

Header checked_header(const std::string& file, std::span<const std::byte> bytes,
                      std::uint64_t scene_hash, const std::string& hint) {
    Header header;
    if (bytes.size() < sizeof header)
        refuse(file, "truncated checkpoint: " + std::to_string(bytes.size()) +
                         " bytes; a header alone has " + std::to_string(sizeof header) + hint);
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.version != format_version)
        refuse(file, "checkpoint version " + std::to_string(header.version) +
                         "; this limber reads version " + std::to_string(format_version));
    if (header.header_checksum != checksum(header))
        refuse(file, "damaged checkpoint: header checksum" + hint);
    if (bytes.size() - sizeof header != header.payload_size)
        refuse(file, "truncated checkpoint: " + std::to_string(bytes.size()) +
                         " bytes; its header announces " + std::to_string(sizeof header) + " + " +
                         std::to_string(header.payload_size) + hint);
    if (hash64(bytes.data() + sizeof header, header.payload_size) != header.payload_checksum)
        refuse(file, "damaged checkpoint: payload checksum" + hint);
    if (header.scene_hash != scene_hash)
        refuse(file, "checkpoint of another scene: hash " + hex64(header.scene_hash) +
                         "; this scene has " + hex64(scene_hash));
    return header;
}

}  // namespace

void write_checkpoint(const std::string& dir, const World& world, std::uint64_t scene_hash) {
    const std::vector<std::byte> file = checkpoint_bytes(world, scene_hash);
    const fs::path folder = fs::path(dir) / "checkpoint";
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw SystemError(folder.string(), "create", error.value());
    write_file_atomic((folder / file_name(world.state().step)).string(), file);
    // Only now may an old one go: the newest two stay.
    std::vector<std::string> all = checkpoints_in(dir);
    for (std::size_t i = 0; i + 2 < all.size(); ++i) fs::remove(all[i], error);
}

std::vector<std::byte> checkpoint_bytes(const World& world, std::uint64_t scene_hash) {
    ByteWriter payload;
    world.save(payload);
    Header header;
    header.scene_hash = scene_hash;
    header.step = world.state().step;
    header.payload_size = payload.bytes().size();
    header.payload_checksum = hash64(payload.bytes().data(), payload.bytes().size());
    header.header_checksum = checksum(header);
    std::vector<std::byte> file(sizeof header + payload.bytes().size());
    std::memcpy(file.data(), &header, sizeof header);
    std::copy(payload.bytes().begin(), payload.bytes().end(), file.begin() + sizeof header);
    return file;
}

void load_checkpoint_bytes(std::span<const std::byte> bytes, const std::string& name,
                           std::uint64_t scene_hash, World& world, const std::string& hint) {
    refuse_foreign(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const Header header = checked_header(name, bytes, scene_hash, hint);
    ByteReader payload(bytes.subspan(sizeof(Header)), name);
    world.load(payload);
    if (world.state().step != header.step)
        refuse(name, "damaged checkpoint: header and state disagree on the step");
}

std::string run_folder_of(const std::string& resume) {
    std::error_code error;
    const fs::file_status found = fs::status(resume, error);
    if (found.type() == fs::file_type::not_found || found.type() == fs::file_type::none)
        throw SystemError(resume, "open", error ? error.value() : ENOENT);
    // "step_7.limber" and "." have no parent in their names.
    fs::path place = fs::absolute(resume, error).lexically_normal();
    if (error) throw SystemError(resume, "open", error.value());
    if (!place.has_filename()) place = place.parent_path();  // ends in a slash
    const bool is_folder = found.type() == fs::file_type::directory;
    if (is_folder && fs::is_directory(place / "checkpoint", error)) return resume;
    const fs::path holder = is_folder ? place : place.parent_path();
    if (holder.filename() == "checkpoint") return holder.parent_path().string();
    if (is_folder) return resume;
    refuse(resume,
           "this checkpoint is in no run folder; allowed: a run folder, or a file of its "
           "checkpoint/ folder, where the run goes on");
}

std::string load_checkpoint(const std::string& dir_or_file, std::uint64_t scene_hash, World& world,
                            std::vector<std::string>& warnings) {
    std::vector<std::string> candidates;
    if (is_folder(dir_or_file))
        candidates = checkpoints_in(run_folder_of(dir_or_file));
    else
        candidates = {dir_or_file};
    while (candidates.size() > 1 && file_size(candidates.back()) == 0) {
        warnings.push_back(candidates.back() +
                           ": zero-length checkpoint passed over; the previous one is used");
        candidates.pop_back();
    }
    if (candidates.empty())
        refuse(dir_or_file, "no checkpoint found in " + run_folder_of(dir_or_file) + "/checkpoint");
    const std::string file = candidates.back();
    const std::string older = candidates.size() > 1 ? candidates[candidates.size() - 2] : "";
    refuse_foreign(file, read_head(file, sizeof(Header::magic)));  // it may be of any size
    const std::string bytes = read_file(file);
    const std::string hint =
        older.empty() ? "; there is no older one" : "; try the older one: --resume " + older;
    load_checkpoint_bytes(std::as_bytes(std::span(bytes)), file, scene_hash, world, hint);
    return file;
}

}  // namespace limber
