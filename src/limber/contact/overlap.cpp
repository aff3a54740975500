// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/overlap.h"

#include <algorithm>
#include <cmath>

namespace limber {

namespace {

/// Where the segment goes through the triangle, clear of its rim: the parameter in (0, 1), else -1.
double through(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b, const Vec3d& c,
               double rim) {
    const Vec3d n = cross(b - a, c - a);
    const double before = dot(p - a, n), after = dot(q - a, n);
    if (!(before * after < 0)) return -1;
    const double s = before / (before - after);
    const Vec3d x = p + s * (q - p);
    const double area = squared_norm(n);
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
        if (!(dot(cross(to - from, x - from), n) > rim * area)) return -1;
    return s;
}

}  // namespace

OverlapFinder::OverlapFinder(std::span<const ContactSurface> bodies, std::span<const Vec3d> x)
    : surfaces_(bodies.size()) {
    for (std::size_t i = 0; i < bodies.size(); ++i) surfaces_[i].build(bodies[i].triangles, x);
}

bool OverlapFinder::inside(const MovingPoints& p, Index body, const Vec3d& point,
                           double& depth) const {
    const Surface& surface = surfaces_[body];
    if (!(squared_distance(point, surface.box()) == 0)) return false;
    const Surface::Nearest near =
        surface.nearest(p, point, 0, std::numeric_limits<double>::infinity());
    if (near.triangle < 0) return false;
    depth = near.distance;
    return dot(point - near.at.point, surface.pseudonormal(p, near)) < 0;
}

void OverlapFinder::count_nodes(const MovingPoints& p, Index from, Index to, double tolerance,
                                BodyOverlap& out) const {
    for (Index node : surfaces_[from].nodes()) {
        double depth = 0;
        if (!inside(p, to, p.x[node], depth) || !(depth > tolerance)) continue;
        ++out.n_nodes;
        if (depth <= out.depth) continue;
        out.depth = depth;
        out.where = p.x[node];
    }
}

void OverlapFinder::count_edges(const MovingPoints& p, Index from, Index to, double tolerance,
                                BodyOverlap& out) const {
    const Surface& faces = surfaces_[to];
    for (const Surface::Edge& edge : surfaces_[from].edges()) {
        const Vec3d &a = p.x[edge.a], &b = p.x[edge.b];
        Box3 box = empty_box();
        include(box, a);
        include(box, b);
        if (!overlap(box, faces.box())) continue;
        bool crosses = false;
        faces.triangles_near(box, [&](Index t) {
            const auto& [i, j, k] = faces.triangles()[t];
            const double s = through(a, b, p.x[i], p.x[j], p.x[k], 1e-9);
            const double end = std::min(s, 1 - s) * norm(b - a);
            if (s < 0 || !(end > tolerance)) return;
            crosses = true;
            if (out.depth == 0) out.where = a + s * (b - a);
        });
        out.n_edges += crosses;
    }
}

std::vector<BodyOverlap> OverlapFinder::find(std::span<const Vec3d> x, double tolerance) {
    const MovingPoints p{x, {}, {}};
    for (Surface& surface : surfaces_) surface.refit(p, 0);
    std::vector<BodyOverlap> found;
    const Index n = static_cast<Index>(surfaces_.size());
    for (Index a = 0; a < n; ++a)
        for (Index b = a + 1; b < n; ++b) {
            if (!overlap(surfaces_[a].box(), surfaces_[b].box())) continue;
            BodyOverlap pair{a, b, 0, 0, 0, {}};
            count_nodes(p, a, b, tolerance, pair);
            count_nodes(p, b, a, tolerance, pair);
            count_edges(p, a, b, tolerance, pair);
            count_edges(p, b, a, tolerance, pair);
            if (pair.n_nodes + pair.n_edges > 0) found.push_back(pair);
        }
    return found;
}

double OverlapFinder::way_out(std::span<const Vec3d> x, Index a, Index b, const Vec3d& way) const {
    const MovingPoints p{x, {}, {}};
    double farthest = 0;
    for (bool turned : {false, true}) {
        const Index from = turned ? b : a, to = turned ? a : b;
        const Vec3d ray = turned ? -way : way;
        const Surface& faces = surfaces_[to];
        const double length = norm(faces.box().size());
        for (Index node : surfaces_[from].nodes()) {
            double depth = 0;
            if (!inside(p, to, x[node], depth)) continue;
            const Vec3d end = x[node] + length * ray;
            Box3 box = empty_box();
            include(box, x[node]);
            include(box, end);
            faces.triangles_near(box, [&](Index t) {
                const auto& [i, j, k] = faces.triangles()[t];
                farthest =
                    std::max(farthest, length * through(x[node], end, x[i], x[j], x[k], -1e-6));
            });
        }
    }
    return farthest;
}

}  // namespace limber
