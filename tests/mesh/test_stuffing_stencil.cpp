// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/stuffing/stencil.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "limber/mesh/stuffing/stuffing.h"

namespace limber {
namespace {

// A lattice tet: corners 0 1 and 2 3 are its long edges.
constexpr std::array<LatticePoint, 4> corners = {{{0, 0, 0}, {2, 0, 0}, {1, 1, -1}, {1, 1, 1}}};

Vec3d at(const LatticePoint& p) {
    return {double(p[0]), double(p[1]), double(p[2])};
}

/// Where warping may put a corner: its own place, or up to alpha along any of its edges.
std::vector<Vec3d> places_of(const LatticePoint& p) {
    std::vector<Vec3d> places{at(p)};
    for (int d = 0; d < n_directions; ++d)
        for (double share : {0.5, 1.0})
            places.push_back(at(p) + share * alpha(d) * at(lattice_directions[d]));
    return places;
}

/// Extremes over all places of the cut points of a stencil, each at its first, middle or last.
void extend(const Stencil& stencil, const std::array<Vec3d, 4>& x, DihedralRange& range) {
    std::vector<StencilNode> cuts;
    for (int t = 0; t < stencil.n_tets; ++t)
        for (const StencilNode& s : stencil.tets[t])
            if (s.a != s.b && std::none_of(cuts.begin(), cuts.end(), [&](const StencilNode& c) {
                    return c.a == s.a && c.b == s.b;
                }))
                cuts.push_back(s);
    int n_cases = 1;
    for (std::size_t i = 0; i < cuts.size(); ++i) n_cases *= 3;
    for (int c = 0; c < n_cases; ++c) {
        TetMesh mesh;
        mesh.nodes.assign(x.begin(), x.end());
        int rest = c;
        for (const StencilNode& cut : cuts) {
            const double a = cut.a / 2 == cut.b / 2 ? alpha_long : alpha_short;
            const double t = std::array{a, 0.5, 1 - a}[rest % 3];
            rest /= 3;
            mesh.nodes.push_back((1 - t) * x[cut.a] + t * x[cut.b]);
        }
        for (int t = 0; t < stencil.n_tets; ++t) {
            Tet tet;
            for (int k = 0; k < 4; ++k) {
                const StencilNode& s = stencil.tets[t][k];
                tet[k] = s.a;
                for (std::size_t i = 0; i < cuts.size(); ++i)
                    if (cuts[i].a == s.a && cuts[i].b == s.b) tet[k] = static_cast<Index>(4 + i);
            }
            mesh.tets.push_back(tet);
        }
        const DihedralRange found = dihedral_range(mesh);
        range.min = std::min(range.min, found.min);
        range.max = std::max(range.max, found.max);
    }
}

std::array<Side, 4> sides_of(int code) {
    std::array<Side, 4> side;
    for (Side& s : side) {
        s = static_cast<Side>(code % 3 - 1);
        code /= 3;
    }
    return side;
}

// The computer-assisted proof of the paper in small: angles are extreme where corners and cut
// points are, up to a hundredth of a degree.
TEST(Stencil, keeps_the_proven_bounds_for_every_sign_and_every_move) {
    DihedralRange range{180, 0};
    for (int code = 0; code < 81; ++code) {
        const std::array<Side, 4> side = sides_of(code);
        // The tet turned by half about the axis of its symmetry sees the parity rule the other way.
        for (bool mirrored : {false, true}) {
            std::array<LatticePoint, 4> p = corners;
            if (mirrored)
                for (LatticePoint& q : p) q[1] = -q[1];
            const Stencil stencil = make_stencil(side, p);
            if (stencil.n_tets == 0) continue;
            std::vector<std::vector<Vec3d>> choices;
            int n_cases = 1;
            for (int k = 0; k < 4; ++k) {
                choices.push_back(side[k] == Side::on ? places_of(p[k])
                                                      : std::vector<Vec3d>{at(p[k])});
                n_cases *= static_cast<int>(choices[k].size());
            }
            for (int c = 0; c < n_cases; ++c) {
                std::array<Vec3d, 4> x;
                int rest = c;
                for (int k = 0; k < 4; ++k) {
                    x[k] = choices[k][rest % choices[k].size()];
                    rest /= static_cast<int>(choices[k].size());
                }
                extend(stencil, x, range);
            }
        }
    }
    EXPECT_GT(range.min, min_dihedral_bound);
    EXPECT_LT(range.max, max_dihedral_bound);
    EXPECT_LT(range.min, min_dihedral_bound + 0.1) << "the bound is nearly reached";
    EXPECT_GT(range.max, max_dihedral_bound - 0.2);
}

TEST(Stencil, keeps_nothing_without_an_inside_corner_and_all_without_an_outside_one) {
    for (int code = 0; code < 81; ++code) {
        const std::array<Side, 4> side = sides_of(code);
        const auto n_in = std::count(side.begin(), side.end(), Side::inside);
        const auto n_out = std::count(side.begin(), side.end(), Side::outside);
        const int n = make_stencil(side, corners).n_tets;
        const int expected = n_in == 0                 ? 0
                             : n_in == 1 || n_out == 0 ? 1
                             : n_in == 2 && n_out == 1 ? 2
                                                       : 3;
        EXPECT_EQ(n, expected) << code;
    }
}

}  // namespace
}  // namespace limber
