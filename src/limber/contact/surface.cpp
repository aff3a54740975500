// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/surface.h"

#include <cmath>
#include <limits>

#include "limber/core/check.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {

namespace {

Vec3d unit(const Vec3d& v) {
    const double length = norm(v);
    return length > 0 ? (1 / length) * v : Vec3d{};
}

}  // namespace

void Surface::build(std::span<const Triangle> triangles, std::span<const Vec3d> x) {
    triangles_.assign(triangles.begin(), triangles.end());
    nodes_ = nodes_of(triangles_);
    first_node_ = nodes_.empty() ? 0 : nodes_.front();
    const Index n = static_cast<Index>(triangles_.size());

    edges_.clear();
    triangle_edges_.assign(n, {-1, -1, -1});
    const std::vector<EdgeUse> uses = edge_uses(triangles_);
    for (std::size_t i = 0, end = 0; i < uses.size(); i = end) {
        while (end < uses.size() && uses[end].lo == uses[i].lo && uses[end].hi == uses[i].hi) ++end;
        Edge edge{uses[i].lo, uses[i].hi, uses[i].triangle, uses[end - 1].triangle, false};
        if (end - i == 2 && uses[i].forward != uses[i + 1].forward) {
            edge.plain = true;
            if (!uses[i].forward) std::swap(edge.left, edge.right);
        }
        for (std::size_t k = i; k < end; ++k) {
            const Triangle& t = triangles_[uses[k].triangle];
            for (int c = 0; c < 3; ++c)
                if (std::minmax(t[c], t[(c + 1) % 3]) == std::minmax(edge.a, edge.b))
                    triangle_edges_[uses[k].triangle][c] = static_cast<Index>(edges_.size());
        }
        edges_.push_back(edge);
    }

    begin_.assign(nodes_.empty() ? 1 : nodes_.back() - first_node_ + 2, 0);
    for (const Triangle& t : triangles_)
        for (Index node : t) ++begin_[node - first_node_ + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    incident_.resize(3 * std::size_t(n));
    std::vector<Index> next = begin_;
    std::vector<Vec3d> centres(n);
    for (Index t = 0; t < n; ++t) {
        for (Index node : triangles_[t]) incident_[next[node - first_node_]++] = t;
        const auto& [a, b, c] = triangles_[t];
        centres[t] = (1.0 / 3) * (x[a] + x[b] + x[c]);
    }
    tree_.build(centres);
}

void Surface::refit(const MovingPoints& p, double h) {
    tree_.refit([&](Index t) {
        Box3 box = empty_box();
        for (Index node : triangles_[t]) {
            include(box, p.x[node]);
            include(box, p.at(node, h));
        }
        return box;
    });
}

bool Surface::encloses(const MovingPoints& p, const Vec3d& place) const {
    const Box3 all = tree_.box();
    if (!(squared_distance(place, all) == 0)) return false;
    // Symmetric bodies have edges right above each other: look from beside.
    const double beside = 1e-7 * norm(all.size());
    const Vec3d point = place + Vec3d{1.3 * beside, 2.9 * beside, 1.9 * beside};
    // Along the shortest way out of the box: x is that axis, y and z the others.
    int x = 0;
    bool up = true;
    double shortest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k)
        for (bool upwards : {false, true}) {
            const double way = upwards ? all.hi[k] - point[k] : point[k] - all.lo[k];
            if (!(way < shortest)) continue;
            shortest = way;
            x = k;
            up = upwards;
        }
    const int y = (x + 1) % 3, z = (x + 2) % 3;
    Box3 ray{point, point};
    (up ? ray.hi : ray.lo)[x] = (up ? all.hi : all.lo)[x];
    bool odd = false;
    tree_.overlapping(ray, [&](Index t) {
        const auto& [i, j, k] = triangles_[t];
        const Vec3d a = p.x[i] - point, b = p.x[j] - point, c = p.x[k] - point;
        // Twice the areas the ray makes with the edges, seen along it.
        const double u = b[y] * c[z] - b[z] * c[y], v = c[y] * a[z] - c[z] * a[y];
        const double w = a[y] * b[z] - a[z] * b[y];
        if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0))) return;
        const double sum = u + v + w;
        const double at = (u * a[x] + v * b[x] + w * c[x]) / sum;
        if (up ? at > 0 : at < 0) odd = !odd;
    });
    return odd;
}

Vec3d Surface::area_normal(const MovingPoints& p, Index triangle, double s) const {
    const auto& [a, b, c] = triangles_[triangle];
    const Vec3d x = p.at(a, s);
    return cross(p.at(b, s) - x, p.at(c, s) - x);
}

Vec3d Surface::node_normal(const MovingPoints& p, Index node) const {
    Vec3d sum{};
    for (Index t : triangles_of(node)) {
        const Triangle& corners = triangles_[t];
        const int k = corners[0] == node ? 0 : (corners[1] == node ? 1 : 2);
        const Vec3d e = p.x[corners[(k + 1) % 3]] - p.x[node];
        const Vec3d f = p.x[corners[(k + 2) % 3]] - p.x[node];
        const Vec3d n = cross(e, f);
        sum += std::atan2(norm(n), dot(e, f)) * unit(n);
    }
    return sum;
}

Surface::Nearest Surface::facing(const MovingPoints& p, const Vec3d& point, double limit,
                                 const Vec3d& way) const {
    Nearest best;
    double most = -std::numeric_limits<double>::infinity();
    tree_.overlapping(inflated(Box3{point, point}, limit), [&](Index t) {
        const auto& [a, b, c] = triangles_[t];
        const TrianglePoint q = nearest_on_triangle(point, p.x[a], p.x[b], p.x[c]);
        const double distance = norm(point - q.point);
        if (!(distance <= limit)) return;
        const double along = dot(unit(area_normal(p, t)), way);
        // Triangles of one face are as good as each other: the nearest, then the first.
        const bool better =
            along > most + 1e-6 ||
            (along > most - 1e-6 &&
             (distance < best.distance || (distance == best.distance && t < best.triangle)));
        if (!better) return;
        most = std::max(most, along);
        best = {t, q, distance};
    });
    return best;
}

Vec3d Surface::pseudonormal(const MovingPoints& p, const Nearest& near) const {
    const Triangle& corners = triangles_[near.triangle];
    int positive = 0, zero = -1, corner = -1;
    for (int k = 0; k < 3; ++k) {
        if (near.at.weight[k] > 0)
            ++positive, corner = k;
        else
            zero = k;
    }
    if (positive == 3) return area_normal(p, near.triangle);
    if (positive == 1) return node_normal(p, corners[corner]);
    const Edge& edge = edges_[triangle_edges_[near.triangle][(zero + 1) % 3]];
    return unit(area_normal(p, edge.left)) + unit(area_normal(p, edge.right));
}

}  // namespace limber
