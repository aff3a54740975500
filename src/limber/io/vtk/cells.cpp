// SPDX-License-Identifier: Apache-2.0
#include "limber/io/vtk/cells.h"

#include <algorithm>
#include <iterator>

namespace limber {

namespace {

constexpr VtkCellType vtk_cell_types[] = {
    {10, 3, 4, "tetrahedra", true},
    {24, 3, 10, "10-node tetrahedra", true},
    {71, 3, -1, "Lagrange tetrahedra", true},
    {1, 0, -1, "points"},
    {2, 0, -1, "points"},
    {3, 1, -1, "lines"},
    {4, 1, -1, "lines"},
    {5, 2, 3, "triangles", false, true},
    {7, 2, -1, "polygons", false, true},
    {9, 2, 4, "quadrangles", false, true},
    {11, 3, 8, "voxels"},
    {12, 3, 8, "hexahedra"},
    {13, 3, 6, "prisms"},
    {14, 3, 5, "pyramids"},
    {21, 1, 3, "3-node lines"},
    {22, 2, 6, "6-node triangles"},
};

}  // namespace

const VtkCellType* find_vtk_cell(std::int64_t type) {
    const auto* row = std::find_if(std::begin(vtk_cell_types), std::end(vtk_cell_types),
                                   [&](const VtkCellType& t) { return t.type == type; });
    return row == std::end(vtk_cell_types) ? nullptr : row;
}

}  // namespace limber
