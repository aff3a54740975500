// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/proximity.h"

#include <algorithm>

namespace limber {

namespace {

/// Nearly parallel edges have no single nearest pair; their end points against faces serve.
constexpr double parallel_sine = 1e-3;

double nearest_on_segment(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
    const Vec3d ab = b - a;
    const double length = squared_norm(ab);
    return length > 0 ? std::clamp(dot(p - a, ab) / length, 0.0, 1.0) : 0.0;
}

}  // namespace

TrianglePoint nearest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d n = cross(b - a, c - a);
    const double area = squared_norm(n);
    if (area > 0) {
        const double u = dot(cross(c - b, p - b), n), v = dot(cross(a - c, p - c), n);
        const double w = dot(cross(b - a, p - a), n);
        if (u >= 0 && v >= 0 && w >= 0) {
            const double sum = u + v + w;
            return {p - (dot(p - a, n) / area) * n, {u / sum, v / sum, w / sum}};
        }
    }
    const std::array<Vec3d, 3> x{a, b, c};
    TrianglePoint best;
    double nearest = -1;
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3;
        const double s = nearest_on_segment(p, x[k], x[l]);
        const Vec3d q = x[k] + s * (x[l] - x[k]);
        const double squared = squared_norm(p - q);
        if (nearest >= 0 && !(squared < nearest)) continue;
        nearest = squared;
        best = {q, {}};
        best.weight[k] = 1 - s;
        best.weight[l] = s;
    }
    return best;
}

EdgePair nearest_on_edges(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1) {
    const Vec3d d = a1 - a0, e = b1 - b0, r = a0 - b0;
    const double dd = squared_norm(d), ee = squared_norm(e), de = dot(d, e);
    const double det = dd * ee - de * de;  // |d|² |e|² sin²
    if (!(det > parallel_sine * parallel_sine * dd * ee)) return {};
    const double dr = dot(d, r), er = dot(e, r);
    const EdgePair pair{(de * er - ee * dr) / det, (dd * er - de * dr) / det, true};
    const bool inner = pair.s > 0 && pair.s < 1 && pair.t > 0 && pair.t < 1;
    return inner ? pair : EdgePair{};
}

double edge_distance(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1) {
    if (const EdgePair p = nearest_on_edges(a0, a1, b0, b1); p.inner)
        return norm(a0 + p.s * (a1 - a0) - b0 - p.t * (b1 - b0));
    const auto to = [](const Vec3d& p, const Vec3d& x, const Vec3d& y) {
        return squared_norm(p - x - nearest_on_segment(p, x, y) * (y - x));
    };
    return std::sqrt(std::min({to(a0, b0, b1), to(a1, b0, b1), to(b0, a0, a1), to(b1, a0, a1)}));
}

}  // namespace limber
