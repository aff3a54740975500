// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "limber/core/check.h"

namespace limber {

namespace {

using Cells = std::array<Index, 3>;

/// A grid of cells with its node numbers: the axis with the most cells varies slowest.
struct Grid {
    Cells cells;
    std::array<Index, 3> stride{};

    explicit Grid(Cells n) : cells(n) {
        std::array<int, 3> order{0, 1, 2};  // fastest first
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return n[a] < n[b]; });
        Index step = 1;
        for (int axis : order) {
            stride[axis] = step;
            step *= n[axis] + 1;
        }
    }
    Index node(Index i, Index j, Index k) const {
        return i * stride[0] + j * stride[1] + k * stride[2];
    }
    Index n_nodes() const { return (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1); }
    Index n_cells() const { return cells[0] * cells[1] * cells[2]; }
};

/// The six tets of a cell: walks along its edges from `first`, one for each order of the axes, all
/// ending in the opposite corner. step[axis] leads across the cell and `mirrored` says that an odd
/// number of them points backwards, which turns every tet inside out.
void add_cell(Index first, const std::array<Index, 3>& step, bool mirrored,
              std::vector<Tet>& tets) {
    constexpr int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int k = 0; k < 6; ++k) {
        const bool odd = k >= 3;
        Tet tet{first};
        for (int i = 0; i < 3; ++i) tet[i + 1] = tet[i] + step[orders[k][i]];
        if (odd != mirrored) std::swap(tet[2], tet[3]);
        tets.push_back(tet);
    }
}

/// Tets of all cells. Along an axis with to_centre the diagonals of the second half are mirrored,
/// so that they all run from the middle outwards. Cells match because a face's diagonal depends on
/// the two axes in its plane only.
std::vector<Tet> grid_tets(const Grid& grid, std::array<bool, 3> to_centre) {
    std::vector<Tet> tets;
    tets.reserve(static_cast<std::size_t>(grid.n_cells()) * 6);
    std::array<int, 3> order{0, 1, 2};  // slowest axis outermost: tets follow the nodes
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return grid.stride[a] > grid.stride[b]; });
    Cells at{};
    for (at[order[0]] = 0; at[order[0]] < grid.cells[order[0]]; ++at[order[0]])
        for (at[order[1]] = 0; at[order[1]] < grid.cells[order[1]]; ++at[order[1]])
            for (at[order[2]] = 0; at[order[2]] < grid.cells[order[2]]; ++at[order[2]]) {
                Index first = 0;
                std::array<Index, 3> step{};
                bool mirrored = false;
                for (int axis = 0; axis < 3; ++axis) {
                    const bool back = to_centre[axis] && 2 * at[axis] + 1 < grid.cells[axis];
                    first += (at[axis] + (back ? 1 : 0)) * grid.stride[axis];
                    step[axis] = back ? -grid.stride[axis] : grid.stride[axis];
                    mirrored ^= back;
                }
                add_cell(first, step, mirrored, tets);
            }
    return tets;
}

constexpr const char* side_names[3][2] = {{"x-", "x+"}, {"y-", "y+"}, {"z-", "z+"}};

/// The mesh of a grid whose nodes are place({u, v, w}) with u, v, w in [-1, 1].
template <class Place>
TetMesh grid_mesh(Cells cells, std::array<bool, 3> to_centre, std::array<bool, 3> flat_ends,
                  Place place) {
    for (Index n : cells) LIMBER_CHECK(n >= 1, "a shape has at least one cell along each axis");
    const Grid grid(cells);
    TetMesh mesh;
    mesh.nodes.resize(static_cast<std::size_t>(grid.n_nodes()));
    const auto unit = [&](Index i, int axis) {
        return static_cast<double>(2 * i - cells[axis]) / cells[axis];  // exactly odd about 0
    };
    for (Index i = 0; i <= cells[0]; ++i)
        for (Index j = 0; j <= cells[1]; ++j)
            for (Index k = 0; k <= cells[2]; ++k) {
                const Index node = grid.node(i, j, k);
                const Cells at{i, j, k};
                mesh.nodes[node] = place(Vec3d{unit(i, 0), unit(j, 1), unit(k, 2)});
                for (int axis = 0; axis < 3; ++axis) {
                    if (!flat_ends[axis]) continue;
                    if (at[axis] == 0) mesh.node_groups[side_names[axis][0]].push_back(node);
                    if (at[axis] == cells[axis])
                        mesh.node_groups[side_names[axis][1]].push_back(node);
                }
            }
    for (auto& [name, nodes] : mesh.node_groups) std::sort(nodes.begin(), nodes.end());
    mesh.tets = grid_tets(grid, to_centre);
    mesh.node_ids.resize(mesh.nodes.size());
    mesh.tet_ids.resize(mesh.tets.size());
    std::iota(mesh.node_ids.begin(), mesh.node_ids.end(), FileId{0});
    std::iota(mesh.tet_ids.begin(), mesh.tet_ids.end(), FileId{0});
    return mesh;
}

constexpr double quarter_pi = std::numbers::pi / 4;

/// The square [-1, 1]² to the unit disk: concentric squares become circles and equal steps along a
/// side equal angles. P. Shirley and K. Chiu, A low distortion map between disk and square, 1997.
std::array<double, 2> square_to_disk(double u, double v) {
    if (u == 0 && v == 0) return {0, 0};
    if (std::fabs(u) >= std::fabs(v)) {
        const double angle = quarter_pi * (v / u);
        return {u * std::cos(angle), u * std::sin(angle)};
    }
    const double angle = quarter_pi * (u / v);
    return {v * std::sin(angle), v * std::cos(angle)};
}

/// The cube [-1, 1]³ to the unit ball: concentric cubes become spheres. Each face is the
/// equiangular "cubed sphere": equal steps along a side are equal angles seen from the centre.
Vec3d cube_to_ball(const Vec3d& p) {
    const double shell = std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
    if (shell == 0) return {};
    Vec3d direction;
    for (int axis = 0; axis < 3; ++axis) direction[axis] = std::tan(quarter_pi * (p[axis] / shell));
    return direction * (shell / norm(direction));
}

}  // namespace

TetMesh make_box(const Vec3d& size, std::array<Index, 3> cells) {
    const Vec3d half = size * 0.5;
    return grid_mesh(cells, {false, false, false}, {true, true, true}, [&](const Vec3d& u) {
        return Vec3d{u.x * half.x, u.y * half.y, u.z * half.z};
    });
}

TetMesh make_cylinder(double radius, double height, Index around, Index along) {
    return grid_mesh({around, along, around}, {true, false, true}, {false, true, false},
                     [&](const Vec3d& u) {
                         const auto [x, z] = square_to_disk(u.x, u.z);
                         return Vec3d{radius * x, 0.5 * height * u.y, radius * z};
                     });
}

TetMesh make_sphere(double radius, Index cells) {
    return grid_mesh({cells, cells, cells}, {true, true, true}, {false, false, false},
                     [&](const Vec3d& u) { return cube_to_ball(u) * radius; });
}

}  // namespace limber
