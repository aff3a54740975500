// SPDX-License-Identifier: Apache-2.0
#include "limber/io/polygon.h"

namespace limber {

namespace {

/// Twice the area vector (Newell): its direction is the mean normal.
Vec3d newell_normal(std::span<const Vec3d> points, std::span<const Index> corners) {
    Vec3d sum;
    const Vec3d& o = points[corners[0]];
    for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        sum += cross(points[corners[i]] - o, points[corners[i + 1]] - o);
    return sum;
}

/// Positive where a, b, c turn left seen against `normal`.
double turn(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& normal) {
    return dot(cross(b - a, c - a), normal);
}

bool is_ear(std::span<const Vec3d> points, std::span<const Index> ring, std::size_t at,
            const Vec3d& normal) {
    const std::size_t n = ring.size();
    const Index ia = ring[(at + n - 1) % n], ib = ring[at], ic = ring[(at + 1) % n];
    const Vec3d &a = points[ia], &b = points[ib], &c = points[ic];
    if (!(turn(a, b, c, normal) > 0)) return false;
    for (Index other : ring) {
        if (other == ia || other == ib || other == ic) continue;
        const Vec3d& p = points[other];
        if (turn(a, b, p, normal) >= 0 && turn(b, c, p, normal) >= 0 && turn(c, a, p, normal) >= 0)
            return false;
    }
    return true;
}

void cut_quadrangle(std::span<const Vec3d> points, std::span<const Index> q, const Vec3d& normal,
                    std::vector<Triangle>& out) {
    const auto inside =
        [&](int i) {  // the diagonal from corner i leaves two triangles that turn left
            const Vec3d &a = points[q[i]], &b = points[q[(i + 1) % 4]], &c = points[q[(i + 2) % 4]],
                        &d = points[q[(i + 3) % 4]];
            return turn(a, b, c, normal) > 0 && turn(a, c, d, normal) > 0;
        };
    const bool first = inside(0), second = inside(1);
    const bool shorter =
        squared_norm(points[q[2]] - points[q[0]]) <= squared_norm(points[q[3]] - points[q[1]]);
    if (first == second ? shorter : first) {
        out.push_back({q[0], q[1], q[2]});
        out.push_back({q[0], q[2], q[3]});
    } else {
        out.push_back({q[0], q[1], q[3]});
        out.push_back({q[1], q[2], q[3]});
    }
}

}  // namespace

void triangulate_polygon(std::span<const Vec3d> points, std::span<const Index> corners,
                         std::vector<Triangle>& out) {
    if (corners.size() < 3) return;
    if (corners.size() == 3) {
        out.push_back({corners[0], corners[1], corners[2]});
        return;
    }
    const Vec3d normal = newell_normal(points, corners);
    if (corners.size() == 4) return cut_quadrangle(points, corners, normal, out);
    // Beyond this many corners the search for ears, quadratic at best, gives way to a fan.
    constexpr std::size_t most_corners = 4096;
    std::vector<Index> ring(corners.begin(), corners.end());
    std::size_t at = 0, tried = 0;
    while (ring.size() > 3) {
        const std::size_t n = ring.size();
        const bool give_up = tried == n || corners.size() > most_corners;
        if (!give_up && !is_ear(points, ring, at % n, normal)) {
            ++at;
            ++tried;
            continue;
        }
        at %= n;
        out.push_back({ring[(at + n - 1) % n], ring[at], ring[(at + 1) % n]});
        ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(at));
        tried = 0;
    }
    out.push_back({ring[0], ring[1], ring[2]});
}

}  // namespace limber
