// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "limber/io/file.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// One named array of a VTU file: a value for each point or for each cell. Borrows the values.
struct VtuArray {
    std::string name;
    std::variant<std::span<const double>, std::span<const Vec3d>, std::span<const std::int32_t>,
                 std::span<const std::int64_t>>
        values;
};

struct VtuGrid {
    std::span<const Vec3d> points;  // [m]
    std::span<const Tet> tets;
    std::vector<VtuArray> point_data = {};     // as long as points
    std::vector<VtuArray> cell_data = {};      // as long as the cells
    std::span<const Triangle> triangles = {};  // the cells where there are no tets
    bool vertices = false;                     // a cell for every point, and no others
};

/// VTK XML UnstructuredGrid, appended raw, little-endian, UInt64 headers: doubles keep their bits
/// and ParaView, VTK and meshio read it. A value that is not finite, an array of the wrong length
/// or a name given twice is a Bug, found before anything is written.
void write_vtu(const std::string& path, const VtuGrid& grid, Flush flush = Flush::to_system);

/// A mesh as a file of its own, with the point data `node_id`, the cell data `tet_id` and one 0/1
/// array "group:<name>" for each node or tet group, which the VTU reader turns back into groups.
void write_vtu(const std::string& path, const TetMesh& mesh);

/// One line of a ParaView collection.
struct PvdEntry {
    double time = 0;   // [s]
    std::string file;  // relative to the .pvd
};
void write_pvd(const std::string& path, std::span<const PvdEntry> entries,
               Flush flush = Flush::to_system);

}  // namespace limber
