// SPDX-License-Identifier: Apache-2.0
// Where the lattice is too coarse for the shape, warping can press two sheets of the surface onto
// one lattice point. Such a point goes back to its place and sign; its cut points are then held
// between the thresholds, so that the angle bounds stay. Points that were never moved cannot be
// pinched: without points on the surface the cut tets always have a manifold boundary.

#include <array>
#include <numeric>

#include "limber/mesh/stuffing/warp.h"

namespace limber {

namespace {

/// The 24 tets around a lattice point seen from it: a triangulated sphere of 14 directions.
struct Link {
    struct Edge {
        int u, v;  // directions
        int s, t;  // the two triangles that share it
    };
    std::array<std::array<int, 3>, 24> triangles{};
    std::array<Edge, 36> edges{};
};

/// Each face of the cube of short directions is four triangles around its long direction.
Link make_link() {
    Link link;
    int n = 0;
    for (int axis = 0; axis < n_directions; ++axis) {
        if (!is_long(axis)) continue;
        for (int a = 0; a < n_directions; ++a)
            for (int b = a + 1; b < n_directions; ++b) {
                if (is_long(a) || is_long(b)) continue;
                const auto& A = lattice_directions[a];
                const auto& B = lattice_directions[b];
                const auto& X = lattice_directions[axis];
                const int along_a = A[0] * X[0] + A[1] * X[1] + A[2] * X[2];
                const int along_b = B[0] * X[0] + B[1] * X[1] + B[2] * X[2];
                const int differ = (A[0] != B[0]) + (A[1] != B[1]) + (A[2] != B[2]);
                if (along_a == 2 && along_b == 2 && differ == 1) link.triangles[n++] = {axis, a, b};
            }
    }
    int n_edges = 0;
    for (int s = 0; s < 24; ++s)
        for (int t = s + 1; t < 24; ++t) {
            int shared[3], n_shared = 0;
            for (int u : link.triangles[s])
                for (int v : link.triangles[t])
                    if (u == v) shared[n_shared++] = u;
            if (n_shared == 2) link.edges[n_edges++] = {shared[0], shared[1], s, t};
        }
    return link;
}

int find(std::array<int, 24>& parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

}  // namespace

/// The solid around the point is a cone over its part of the sphere, and so is the rest. The
/// boundary is a manifold there if each of the two is connected over edges (or empty): then the
/// line between them on the sphere is one closed curve.
bool WarpedLattice::is_pinched(Index k) const {
    static const Link link = make_link();
    const LatticePoint p = lattice_.point(active_[k]);
    std::array<Side, n_directions> around;
    for (int d = 0; d < n_directions; ++d) {
        const LatticePoint& s = lattice_directions[d];
        const LatticePoint q{p[0] + s[0], p[1] + s[1], p[2] + s[2]};
        around[d] = lattice_.contains(q) ? side(lattice_.id(q)) : Side::outside;
    }
    std::array<bool, 24> solid{}, empty{};  // holds some of the solid, some of the rest
    for (int t = 0; t < 24; ++t) {
        bool inside = false, outside = false;
        for (int d : link.triangles[t]) {
            inside |= around[d] == Side::inside;
            outside |= around[d] == Side::outside;
        }
        solid[t] = inside;
        empty[t] = outside || !inside;
    }
    std::array<int, 24> solid_parent, empty_parent;
    std::iota(solid_parent.begin(), solid_parent.end(), 0);
    std::iota(empty_parent.begin(), empty_parent.end(), 0);
    for (const Link::Edge& e : link.edges) {
        const bool on = around[e.u] == Side::on && around[e.v] == Side::on;
        const bool in = around[e.u] == Side::inside || around[e.v] == Side::inside;
        const bool out = around[e.u] == Side::outside || around[e.v] == Side::outside;
        if (in || (on && solid[e.s] && solid[e.t]))
            solid_parent[find(solid_parent, e.s)] = find(solid_parent, e.t);
        if (out || (on && !solid[e.s] && !solid[e.t]))
            empty_parent[find(empty_parent, e.s)] = find(empty_parent, e.t);
    }
    int n_solid = 0, n_empty = 0;
    for (int t = 0; t < 24; ++t) {
        n_solid += solid[t] && find(solid_parent, t) == t;
        n_empty += empty[t] && find(empty_parent, t) == t;
    }
    return n_solid > 1 || n_empty > 1;
}

void WarpedLattice::restore_pinches() {
    std::vector<Index> queue;
    for (Index k = 0; k < static_cast<Index>(active_.size()); ++k)
        if (side_[k] == Side::on) queue.push_back(k);
    while (!queue.empty()) {
        std::vector<Index> next;  // points whose surroundings changed
        for (Index k : queue) {
            if (side_[k] != Side::on || !is_pinched(k)) continue;
            const LatticePoint p = lattice_.point(active_[k]);
            side_[k] = sign_side(value_[active_[k]]);
            position_[k] = lattice_.position(p);
            ++n_restored_;
            for (const LatticePoint& s : lattice_directions) {
                const LatticePoint q{p[0] + s[0], p[1] + s[1], p[2] + s[2]};
                if (!lattice_.contains(q)) continue;
                const Index other = slot_[lattice_.id(q)];
                if (other >= 0 && side_[other] == Side::on) next.push_back(other);
            }
        }
        queue = std::move(next);
    }
    n_warped_ -= n_restored_;
}

}  // namespace limber
