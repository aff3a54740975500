// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/triangle_bvh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/check.h"
#include "limber/mesh/proximity.h"

namespace limber {

namespace {

/// A node is far from p at more than this many of its radii. Barill et al. use 2; to first order
/// the error stays below 0.1, and only the side of 1/2 matters here.
constexpr double far_radii = 2;

/// Ω / 2 of a triangle seen from the origin (van Oosterom & Strackee 1983, Eq. (8)).
double half_solid_angle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const double la = norm(a), lb = norm(b), lc = norm(c);
    return std::atan2(dot(a, cross(b, c)),
                      la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

/// Distance along the ray to the triangle, infinite where it misses.
double hit_triangle(const Vec3d& o, const Vec3d& d, const std::array<Vec3d, 3>& t) {
    constexpr double miss = std::numeric_limits<double>::infinity();
    const Vec3d e1 = t[1] - t[0], e2 = t[2] - t[0];
    const Vec3d h = cross(d, e2);
    const double det = dot(e1, h);
    if (det == 0) return miss;
    const Vec3d s = o - t[0];
    const double u = dot(s, h) / det;
    const Vec3d q = cross(s, e1);
    const double v = dot(d, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 ? dot(e2, q) / det : miss;
}

/// The ray enters the box at a parameter below `limit`.
bool hits_box(const Vec3d& o, const Vec3d& d, const Box3& box, double limit) {
    const auto& [lo, hi] = box;
    double enter = 0, leave = limit;
    for (int a = 0; a < 3; ++a) {
        if (d[a] == 0) {
            if (o[a] < lo[a] || o[a] > hi[a]) return false;
            continue;
        }
        const double s = (lo[a] - o[a]) / d[a], t = (hi[a] - o[a]) / d[a];
        enter = std::max(enter, std::min(s, t));
        leave = std::min(leave, std::max(s, t));
    }
    return enter <= leave;
}

}  // namespace

TriangleBvh::TriangleBvh(const TriMesh& mesh) {
    LIMBER_CHECK(!mesh.triangles.empty(), "a tree needs a triangle");
    std::vector<Vec3d> centroids;
    centroids.reserve(mesh.triangles.size());
    for (const auto& [a, b, c] : mesh.triangles)
        centroids.push_back((1.0 / 3) * (mesh.nodes[a] + mesh.nodes[b] + mesh.nodes[c]));
    tree_.build(centroids);
    tree_.refit([&](Index t) {
        Box3 box = empty_box();
        for (const Index node : mesh.triangles[t]) include(box, mesh.nodes[node]);
        return box;
    });
    corners_.reserve(mesh.triangles.size());
    for (const Index t : tree_.items()) {
        const auto& [a, b, c] = mesh.triangles[t];
        corners_.push_back({mesh.nodes[a], mesh.nodes[b], mesh.nodes[c]});
    }
    for (const auto& [begin, end] : tree_.ranges()) dipoles_.push_back(dipole_of(begin, end));
}

TriangleBvh::Dipole TriangleBvh::dipole_of(Index begin, Index end) const {
    Dipole dipole;
    double total = 0;
    Vec3d weighted{}, plain{};
    for (Index t = begin; t < end; ++t) {
        const Corners& x = corners_[t];
        const Vec3d n = 0.5 * cross(x[1] - x[0], x[2] - x[0]);
        const double area = norm(n);
        const Vec3d centroid = (1.0 / 3) * (x[0] + x[1] + x[2]);
        dipole.normal += n;
        weighted += area * centroid;
        plain += centroid;
        total += area;
    }
    dipole.centre = total > 0 ? (1 / total) * weighted : (1.0 / (end - begin)) * plain;
    for (Index t = begin; t < end; ++t)
        for (const Vec3d& p : corners_[t])
            dipole.squared_radius =
                std::max(dipole.squared_radius, squared_norm(p - dipole.centre));
    return dipole;
}

TriangleBvh::Closest TriangleBvh::closest(const Vec3d& p) const {
    Closest best;
    double squared = std::numeric_limits<double>::infinity();
    tree_.nearest(p, squared, [&](Index k) {
        const auto& [a, b, c] = corners_[k];
        const Vec3d q = nearest_on_triangle(p, a, b, c).point;
        const double d = squared_norm(p - q);
        if (d >= squared) return;
        squared = d;
        best.point = q;
        best.triangle = tree_.items()[k];
    });
    best.distance = std::sqrt(squared);
    return best;
}

double TriangleBvh::winding_number(const Vec3d& p) const {
    double sum = 0;  // of Ω / 4π; a dipole gives n · r / (4π |r|³)
    const auto enter = [&](Index node, const Box3&) {
        const Dipole& dipole = dipoles_[node];
        const Vec3d r = dipole.centre - p;
        const double squared = squared_norm(r);
        const bool far = squared > far_radii * far_radii * dipole.squared_radius;
        if (far)
            sum += dot(dipole.normal, r) / (4 * std::numbers::pi * squared * std::sqrt(squared));
        return !far;
    };
    tree_.walk(enter, [&](Index k) {
        const Corners& x = corners_[k];
        sum += half_solid_angle(x[0] - p, x[1] - p, x[2] - p) / (2 * std::numbers::pi);
    });
    return sum;
}

double TriangleBvh::first_hit(const Vec3d& origin, const Vec3d& direction, double from) const {
    double nearest = std::numeric_limits<double>::infinity();
    tree_.walk([&](Index, const Box3& box) { return hits_box(origin, direction, box, nearest); },
               [&](Index k) {
                   const double s = hit_triangle(origin, direction, corners_[k]);
                   if (s > from) nearest = std::min(nearest, s);
               });
    return nearest;
}

}  // namespace limber
