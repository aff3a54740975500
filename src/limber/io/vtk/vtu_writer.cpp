// SPDX-License-Identifier: Apache-2.0
#include "limber/io/vtk/vtu_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <string_view>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/core/markup.h"

namespace limber {

namespace {

constexpr std::uint8_t vtk_vertex = 1;
constexpr std::uint8_t vtk_triangle = 5;
constexpr std::uint8_t vtu_tetra = 10;

/// The bytes of one array and how the header describes them.
struct EncodedBlock {
    std::string name;
    std::string_view type;
    int components = 1;
    std::span<const std::byte> bytes;
};

void require_finite(std::string_view array, std::span<const double> values, int components) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            throw Bug(fmt::format("array '{}' entry {} is {}: only finite values are written",
                                  array, i / static_cast<std::size_t>(components), values[i]));
}

std::span<const double> flat(std::span<const Vec3d> values) {
    static_assert(sizeof(Vec3d) == 3 * sizeof(double));
    return {reinterpret_cast<const double*>(values.data()), values.size() * 3};
}

EncodedBlock block_of(const std::string& name, std::span<const double> values) {
    require_finite(name, values, 1);
    return {name, "Float64", 1, std::as_bytes(values)};
}
EncodedBlock block_of(const std::string& name, std::span<const Vec3d> values) {
    require_finite(name, flat(values), 3);
    return {name, "Float64", 3, std::as_bytes(values)};
}
EncodedBlock block_of(const std::string& name, std::span<const std::int32_t> values) {
    return {name, "Int32", 1, std::as_bytes(values)};
}
EncodedBlock block_of(const std::string& name, std::span<const std::int64_t> values) {
    return {name, "Int64", 1, std::as_bytes(values)};
}

std::vector<EncodedBlock> blocks_of(const std::vector<VtuArray>& arrays, std::size_t length) {
    std::vector<EncodedBlock> blocks;
    std::set<std::string_view> names;
    for (const VtuArray& array : arrays) {
        if (!names.insert(array.name).second) throw Bug("array '" + array.name + "' given twice");
        std::visit(
            [&](auto values) {
                if (values.size() != length)
                    throw Bug(fmt::format("array '{}' has {} entries; the grid needs {}",
                                          array.name, values.size(), length));
                blocks.push_back(block_of(array.name, values));
            },
            array.values);
    }
    return blocks;
}

/// Collects the arrays while the header is written: each one's offset is known at once.
struct Document {
    std::string header;
    std::vector<std::span<const std::byte>> appended;
    std::uint64_t offset = 0;

    void add(const EncodedBlock& block) {
        header += fmt::format("        <DataArray type=\"{}\" Name=\"{}\"", block.type,
                              markup_escaped(block.name));
        // Without the attribute a scalar is a flat array in meshio too, not n x 1.
        if (block.components > 1)
            header += fmt::format(" NumberOfComponents=\"{}\"", block.components);
        header += fmt::format(" format=\"appended\" offset=\"{}\"/>\n", offset);
        appended.push_back(block.bytes);
        offset += sizeof(std::uint64_t) + block.bytes.size();
    }
    void add(std::string_view section, const std::vector<EncodedBlock>& blocks) {
        header += fmt::format("      <{}>\n", section);
        for (const EncodedBlock& block : blocks) add(block);
        header += fmt::format("      </{}>\n", section);
    }
    std::string text() const {
        static const std::string end = "\n  </AppendedData>\n</VTKFile>\n";
        std::string out;
        out.reserve(header.size() + offset + end.size());
        out = header;
        for (std::span<const std::byte> bytes : appended) {
            const std::uint64_t n = bytes.size();
            out.append(reinterpret_cast<const char*>(&n), sizeof n);
            out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
        return out + end;
    }
};

}  // namespace

void write_vtu(const std::string& path, const VtuGrid& grid, Flush flush) {
    const std::vector<EncodedBlock> point_data = blocks_of(grid.point_data, grid.points.size());
    LIMBER_CHECK(grid.tets.empty() || grid.triangles.empty(), "tets or triangles");
    LIMBER_CHECK(!grid.vertices || (grid.tets.empty() && grid.triangles.empty()),
                 "one kind of cell");
    std::vector<Index> own(grid.vertices ? grid.points.size() : 0);
    std::iota(own.begin(), own.end(), Index{0});
    const bool flat_cells = !grid.triangles.empty();
    const std::size_t n_cells = grid.vertices ? own.size()
                                : flat_cells  ? grid.triangles.size()
                                              : grid.tets.size();
    const std::size_t corners = grid.vertices ? 1 : flat_cells ? 3 : 4;
    const auto connectivity = grid.vertices ? std::as_bytes(std::span<const Index>(own))
                              : flat_cells  ? std::as_bytes(grid.triangles)
                                            : std::as_bytes(grid.tets);
    const std::vector<EncodedBlock> cell_data = blocks_of(grid.cell_data, n_cells);
    std::vector<std::int32_t> offsets(n_cells);
    for (std::size_t i = 0; i < offsets.size(); ++i)
        offsets[i] = static_cast<std::int32_t>(corners * (i + 1));
    const std::vector<std::uint8_t> types(n_cells, grid.vertices ? vtk_vertex
                                                   : flat_cells  ? vtk_triangle
                                                                 : vtu_tetra);
    const auto check_nodes = [&](const auto& cells) {
        for (const auto& cell : cells)
            for (Index node : cell)
                LIMBER_CHECK(node >= 0 && static_cast<std::size_t>(node) < grid.points.size(),
                             "cell node out of range");
    };
    check_nodes(grid.tets);
    check_nodes(grid.triangles);

    Document doc;
    doc.header = fmt::format(
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n"
        "  <UnstructuredGrid>\n"
        "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        grid.points.size(), n_cells);
    doc.add("Points", {block_of("Points", grid.points)});
    doc.add("Cells", {{"connectivity", "Int32", 1, connectivity},
                      {"offsets", "Int32", 1, std::as_bytes(std::span(offsets))},
                      {"types", "UInt8", 1, std::as_bytes(std::span(types))}});
    doc.add("PointData", point_data);
    doc.add("CellData", cell_data);
    doc.header += "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n    _";
    write_file_atomic(path, doc.text(), flush);
}

void write_vtu(const std::string& path, const TetMesh& mesh) {
    VtuGrid grid{mesh.nodes, mesh.tets};
    grid.point_data.push_back({"node_id", std::span<const FileId>(mesh.node_ids)});
    grid.cell_data.push_back({"tet_id", std::span<const FileId>(mesh.tet_ids)});
    std::vector<std::vector<std::int32_t>> flags;
    flags.reserve(mesh.node_groups.size() + mesh.tet_groups.size());
    const auto add = [&](const auto& groups, Index length, std::vector<VtuArray>& arrays) {
        for (const auto& [name, members] : groups) {
            std::vector<std::int32_t>& flag =
                flags.emplace_back(static_cast<std::size_t>(length), 0);
            for (Index i : members) flag[i] = 1;
            arrays.push_back({"group:" + name, std::span<const std::int32_t>(flag)});
        }
    };
    add(mesh.node_groups, mesh.n_nodes(), grid.point_data);
    add(mesh.tet_groups, mesh.n_tets(), grid.cell_data);
    write_vtu(path, grid, Flush::to_disk);
}

void write_pvd(const std::string& path, std::span<const PvdEntry> entries, Flush flush) {
    std::string text =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
        "  <Collection>\n";
    for (const PvdEntry& entry : entries) {
        if (!std::isfinite(entry.time)) throw Bug("time of '" + entry.file + "' is not finite");
        text += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", entry.time,
                            markup_escaped(entry.file));
    }
    write_file_atomic(path, text + "  </Collection>\n</VTKFile>\n", flush);
}

}  // namespace limber
