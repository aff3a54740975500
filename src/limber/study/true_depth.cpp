// SPDX-License-Identifier: Apache-2.0
#include "limber/study/true_depth.h"

#include <algorithm>

#include "limber/mesh/box_tree.h"
#include "limber/mesh/mean_edge.h"
#include "limber/mesh/proximity.h"

namespace limber {

namespace {

bool in_tet(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    const auto side = [](const Vec3d& o, const Vec3d& u, const Vec3d& v, const Vec3d& w) {
        return dot(cross(u - o, v - o), w - o);
    };
    const double s0 = side(a, b, c, p), s1 = side(a, c, d, p), s2 = side(a, d, b, p),
                 s3 = side(b, d, c, p);
    const double whole = side(a, b, c, d);
    return whole > 0 ? s0 > 0 && s1 > 0 && s2 > 0 && s3 > 0 : s0 < 0 && s1 < 0 && s2 < 0 && s3 < 0;
}

double distance_to(const Vec3d& p, std::span<const Triangle> surface, std::span<const Vec3d> x) {
    double least = 1e300;
    for (const auto& [a, b, c] : surface)
        least = std::min(least, norm(p - nearest_on_triangle(p, x[a], x[b], x[c]).point));
    return least;
}

/// The deepest of `nodes` in the tets of `other`.
double depth_in(const Model& m, std::span<const Vec3d> x, const std::vector<Index>& nodes,
                const Body& other) {
    if (nodes.empty()) return 0;
    Box3 near = empty_box();
    for (const Index i : nodes) include(near, x[i]);
    double most = 0;
    for (Index t = other.tet_begin; t < other.tet_end; ++t) {
        const auto& [a, b, c, d] = m.mesh.tets[t];
        Box3 box = empty_box();
        for (const Index i : {a, b, c, d}) include(box, x[i]);
        if (!overlap(box, near)) continue;
        for (const Index i : nodes)
            if (squared_distance(x[i], box) == 0 && in_tet(x[i], x[a], x[b], x[c], x[d]))
                most = std::max(most, distance_to(x[i], other.surface, x));
    }
    return most;
}

}  // namespace

TrueDepth true_depth(const World& world) {
    const Model& m = world.model();
    const std::vector<Vec3d>& x = world.state().x;
    const auto moves = [&](const Body& body, Index i) {
        return body.rigid || m.free[i] != Vec3d{};
    };
    TrueDepth out;
    for (std::size_t b = 0; b < m.bodies.size(); ++b) {
        const Body& body = m.bodies[b];
        for (std::size_t o = 0; o < m.bodies.size(); ++o) {
            const Body& other = m.bodies[o];
            if (o == b || m.contact_filter.bodies(static_cast<Index>(b), static_cast<Index>(o)))
                continue;
            Box3 whole = empty_box();
            for (Index i = other.node_begin; i < other.node_end; ++i) include(whole, x[i]);
            std::vector<Index> nodes;
            for (const Index i : body.surface_nodes)
                if (moves(body, i) && squared_distance(x[i], whole) == 0) nodes.push_back(i);
            out.bodies = std::max(out.bodies, depth_in(m, x, nodes, other));
        }
        for (std::size_t o = 0; o < m.obstacles.size(); ++o) {
            if (!m.obstacles[o].solid ||
                m.contact_filter.obstacle(static_cast<Index>(b), static_cast<Index>(o)))
                continue;
            for (const Index i : body.surface_nodes)
                if (moves(body, i))
                    out.obstacles = std::max(
                        out.obstacles, -sample(m.obstacles[o], x[i], world.state().time).distance);
        }
    }
    return out;
}

double mean_surface_edge(const Model& model) {
    MeanEdge edge;
    for (const Body& body : model.bodies) edge.add(body.surface, model.mesh.nodes);
    return edge.value();
}

}  // namespace limber
