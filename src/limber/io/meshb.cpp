// SPDX-License-Identifier: Apache-2.0
// Medit .meshb, versions 1 to 4, either byte order. libMeshb manual: each keyword gives the offset
// of the next; version 1 has float coordinates, 3 has 64-bit offsets, 4 has 64-bit integers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "limber/io/binary_scanner.h"
#include "limber/io/formats.h"
#include "limber/io/medit.h"

namespace limber {

namespace {

class MeshbReader {
  public:
    MeshbReader(const MeshSource& source, const ReadMeshOptions& options)
        : data_(source.bytes, source.file), builder_(source), options_(options) {
        builder_.set_group_prefix("ref_");
        builder_.use_offsets();
    }
    MeshAsRead read();

  private:
    void read_version();
    std::size_t take_offset();
    FileId take_whole() {
        return version_ < 4 ? data_.take<std::int32_t>() : data_.take<std::int64_t>();
    }
    double take_real() { return version_ == 1 ? data_.take<float>() : data_.take<double>(); }
    void read_keyword(std::int32_t keyword);
    void read_vertices();
    void read_cells(const MeditCell& cell);
    std::size_t whole_size() const { return version_ < 4 ? 4 : 8; }

    BinaryScanner data_;
    MeshBuilder builder_;
    const ReadMeshOptions& options_;
    std::int32_t version_ = 0;
    std::set<std::int32_t> seen_;
};

void MeshbReader::read_version() {
    data_.set_context("the header");
    data_.swap = data_.take<std::int32_t>() != 1;
    version_ = data_.take<std::int32_t>();
    if (version_ < 1 || version_ > 4)
        data_.fail(fmt::format("Medit version {}; supported: 1 to 4", version_));
}

std::size_t MeshbReader::take_offset() {
    const std::int64_t offset =
        version_ < 3 ? data_.take<std::int32_t>() : data_.take<std::int64_t>();
    const auto end = static_cast<std::int64_t>(data_.position() + data_.bytes_left());
    if (offset != 0 && (offset <= data_.where() || offset > end))
        data_.fail(fmt::format("the next keyword is at byte {}; expected {} to {}", offset,
                               data_.position(), end));
    return static_cast<std::size_t>(offset);
}

void MeshbReader::read_vertices() {
    const std::size_t width = 3 * (version_ == 1 ? 4 : 8) + whole_size();
    const std::size_t n = data_.count(take_whole(), "vertices", width);
    builder_.reserve_nodes(n);
    for (std::size_t i = 0; i < n; ++i) {
        data_.set_entry(i);
        Vec3d p;
        p.x = take_real();
        const std::int64_t where = data_.where();
        p.y = take_real();
        p.z = take_real();
        if (!is_finite(p))
            data_.fail(fmt::format("vertex {} is at ({}, {}, {}); expected finite numbers", i + 1,
                                   p.x, p.y, p.z));
        add_medit_vertex(builder_, p, take_whole(), where);
    }
}

void MeshbReader::read_cells(const MeditCell& cell) {
    const auto n_nodes = static_cast<std::size_t>(cell.n_nodes);
    const std::size_t n = data_.count(take_whole(), cell.name, (n_nodes + 1) * whole_size());
    if (cell.tet && cell.n_nodes > 4 && n > 0 && !options_.linearise)
        data_.fail(fmt::format("{}: use --linearise to read their corners", cell.name));
    if (cell.tet) builder_.reserve_tets(n);
    std::vector<FileId> nodes(n_nodes);
    for (std::size_t i = 0; i < n; ++i) {
        data_.set_entry(i);
        const auto where = static_cast<std::int64_t>(data_.position());
        for (FileId& node : nodes) node = take_whole();
        add_medit_cell(builder_, cell, static_cast<FileId>(i) + 1, nodes, take_whole(), where);
    }
}

void MeshbReader::read_keyword(std::int32_t keyword) {
    const auto cells = medit_cells();
    const auto cell = std::find_if(cells.begin(), cells.end(),
                                   [&](const MeditCell& c) { return c.code == keyword; });
    if (keyword == medit_dimension) {
        const auto dimension = data_.take<std::int32_t>();
        if (dimension != 3) data_.fail(fmt::format("dimension {}; supported: 3", dimension));
        return;
    }
    if (keyword != medit_vertices && cell == cells.end()) return;
    const std::string name(keyword == medit_vertices ? "Vertices" : cell->keyword);
    if (!seen_.insert(keyword).second) data_.fail(fmt::format("{} given twice", name));
    data_.set_context(name);
    data_.set_entry(0);
    if (keyword == medit_vertices)
        read_vertices();
    else
        read_cells(*cell);
}

MeshAsRead MeshbReader::read() {
    read_version();
    while (data_.bytes_left() > 0) {
        data_.set_context("a keyword");
        const auto keyword = data_.take<std::int32_t>();
        if (keyword == medit_end) break;
        const std::size_t next = take_offset();
        read_keyword(keyword);
        if (next == 0) break;
        if (next < data_.position())
            data_.fail(fmt::format("keyword {} has more data than its length tells", keyword));
        data_.seek(next);
    }
    if (!seen_.count(medit_vertices)) throw InputError({data_.file()}, "no Vertices");
    return builder_.build();
}

}  // namespace

bool is_meshb(std::string_view bytes) {
    if (bytes.size() < 8) return false;
    for (bool swap : {false, true}) {
        const auto version = value_at<std::int32_t>(bytes.data() + 4, swap);
        if (value_at<std::int32_t>(bytes.data(), swap) == 1 && version >= 0 && version < 100)
            return true;
    }
    return false;
}

MeshAsRead read_meshb(const MeshSource& source, const ReadMeshOptions& options) {
    return MeshbReader(source, options).read();
}

}  // namespace limber
