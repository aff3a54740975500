// SPDX-License-Identifier: Apache-2.0
#include "limber/study/windows.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "limber/core/check.h"
#include "limber/core/hash.h"
#include "limber/io/file.h"
#include "limber/output/text.h"
#include "limber/scene/scene.h"

namespace limber {

namespace {

namespace fs = std::filesystem;

// A kept state: checksum of the record, then the record of World::save.

void write_state(const std::string& path, const World& world) {
    ByteWriter record;
    world.save(record);
    const std::uint64_t checksum = hash64(std::span<const std::byte>(record.bytes()));
    std::string file(sizeof checksum, '\0');
    std::memcpy(file.data(), &checksum, sizeof checksum);
    file.append(reinterpret_cast<const char*>(record.bytes().data()), record.bytes().size());
    write_file_atomic(path, file, Flush::to_system);
}

/// False where there is no such file, or not a whole one of this world.
bool read_state(const std::string& path, World& world) {
    if (!exists(path)) return false;
    const std::string file = read_file(path);
    std::uint64_t checksum = 0;
    if (file.size() < sizeof checksum) return false;
    std::memcpy(&checksum, file.data(), sizeof checksum);
    const std::span<const std::byte> record(
        reinterpret_cast<const std::byte*>(file.data()) + sizeof checksum,
        file.size() - sizeof checksum);
    if (hash64(record) != checksum) return false;
    try {
        ByteReader reader(record, path);
        world.load(reader);
    } catch (const InputError&) {
        return false;  // of another version of limber
    }
    return true;
}

}  // namespace

std::vector<Snapshot> window_starts(const SceneDef& scene, const Model& model, int count,
                                    std::int64_t n_steps, const std::string& dir) {
    LIMBER_CHECK(count > 0 && n_steps > 0, "windows need a run");
    std::error_code error;
    fs::create_directories(dir, error);
    if (error) throw SystemError(dir, "create the folder", error.value());
    const std::string stem = dir + '/' + file_stem(fs::path(scene.file).stem().string()) + '-' +
                             hex64(scene_hash(scene));
    const std::int64_t stride = std::max<std::int64_t>(1, n_steps / count);
    const auto world = make_world(scene, model);
    std::vector<Snapshot> out = {snapshot_of(*world)};
    for (std::int64_t step = stride; static_cast<int>(out.size()) < count && step < n_steps;
         step += stride) {
        const std::string path = numbered_file(stem, step, "state");
        if (!read_state(path, *world)) {
            while (world->state().step < step)
                if (world->step().failed) return out;
            write_state(path, *world);
        }
        out.push_back(snapshot_of(*world));
    }
    return out;
}

}  // namespace limber
