// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/triangle_bvh.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "limber/core/check.h"

namespace limber {

namespace {

constexpr Index leaf_size = 4;
constexpr int max_depth = 64;  // median splits halve the count, so 2^31 triangles are 31 deep
/// A node is far from p at more than this many of its radii. Barill et al. use 2; to first order
/// the error stays below 0.1, and only the side of 1/2 matters here.
constexpr double far_radii = 2;

Vec3d closest_on_segment(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
    const Vec3d ab = b - a;
    const double length = squared_norm(ab);
    if (!(length > 0)) return a;
    return a + std::clamp(dot(p - a, ab) / length, 0.0, 1.0) * ab;
}

double squared_distance_to_box(const Vec3d& p, const Vec3d& lo, const Vec3d& hi) {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        const double d = std::max({lo[a] - p[a], 0.0, p[a] - hi[a]});
        sum += d * d;
    }
    return sum;
}

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
bool hits_box(const Vec3d& o, const Vec3d& d, const Vec3d& lo, const Vec3d& hi, double limit) {
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

Vec3d closest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d n = cross(b - a, c - a);
    const double area = squared_norm(n);
    if (area > 0 && dot(cross(b - a, p - a), n) >= 0 && dot(cross(c - b, p - b), n) >= 0 &&
        dot(cross(a - c, p - c), n) >= 0)
        return p - (dot(p - a, n) / area) * n;
    Vec3d best = closest_on_segment(p, a, b);
    for (const Vec3d& q : {closest_on_segment(p, b, c), closest_on_segment(p, c, a)})
        if (squared_norm(p - q) < squared_norm(p - best)) best = q;
    return best;
}

TriangleBvh::TriangleBvh(const TriMesh& mesh) {
    LIMBER_CHECK(!mesh.triangles.empty(), "a tree needs a triangle");
    const Index n = mesh.n_triangles();
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), Index{0});
    centroids_.resize(n);
    for (Index t = 0; t < n; ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        centroids_[t] = (1.0 / 3) * (mesh.nodes[a] + mesh.nodes[b] + mesh.nodes[c]);
    }
    nodes_.reserve(2 * std::size_t(n) / leaf_size + 1);
    corners_.reserve(n);
    triangle_.reserve(n);
    build(mesh, order, 0, n);
    centroids_ = {};
}

Index TriangleBvh::build(const TriMesh& mesh, std::vector<Index>& order, Index begin, Index end) {
    const Index node = static_cast<Index>(nodes_.size());
    nodes_.emplace_back();
    dipoles_.emplace_back();
    const auto first = order.begin() + begin, last = order.begin() + end;
    if (end - begin <= leaf_size) {
        std::sort(first, last);
        nodes_[node].first = static_cast<Index>(corners_.size());
        nodes_[node].count = end - begin;
        for (auto it = first; it != last; ++it) {
            const auto& [a, b, c] = mesh.triangles[*it];
            corners_.push_back({mesh.nodes[a], mesh.nodes[b], mesh.nodes[c]});
            triangle_.push_back(*it);
        }
    } else {
        Vec3d lo = centroids_[*first], hi = lo;
        for (auto it = first; it != last; ++it)
            for (int a = 0; a < 3; ++a) {
                lo[a] = std::min(lo[a], centroids_[*it][a]);
                hi[a] = std::max(hi[a], centroids_[*it][a]);
            }
        const Vec3d size = hi - lo;
        const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
        const Index middle = begin + (end - begin) / 2;
        // Ties by index, so that the tree does not depend on the library's sort.
        std::nth_element(first, order.begin() + middle, last, [&](Index s, Index t) {
            const double a = centroids_[s][axis], b = centroids_[t][axis];
            return a < b || (a == b && s < t);
        });
        build(mesh, order, begin, middle);
        const Index right = build(mesh, order, middle, end);
        nodes_[node].first = right;
    }
    make_dipole(node, begin, end);
    return node;
}

/// Leaf order equals build order, so the triangles of a node are corners_[begin .. end).
void TriangleBvh::make_dipole(Index node, Index begin, Index end) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    Node& box = nodes_[node];
    Dipole& dipole = dipoles_[node];
    box.lo = {inf, inf, inf};
    box.hi = {-inf, -inf, -inf};
    double total = 0;
    Vec3d weighted{}, plain{};
    for (Index t = begin; t < end; ++t) {
        const Corners& x = corners_[t];
        for (const Vec3d& p : x)
            for (int a = 0; a < 3; ++a) {
                box.lo[a] = std::min(box.lo[a], p[a]);
                box.hi[a] = std::max(box.hi[a], p[a]);
            }
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
}

TriangleBvh::Closest TriangleBvh::closest(const Vec3d& p) const {
    struct Entry {
        Index node;
        double squared;
    };
    Entry stack[max_depth];
    int top = 0;
    stack[top++] = {0, squared_distance_to_box(p, nodes_[0].lo, nodes_[0].hi)};
    Closest best;
    double squared = std::numeric_limits<double>::infinity();
    while (top > 0) {
        const Entry entry = stack[--top];
        if (entry.squared >= squared) continue;
        const Node& node = nodes_[entry.node];
        if (node.count > 0) {
            for (Index t = node.first; t < node.first + node.count; ++t) {
                const Vec3d q =
                    closest_on_triangle(p, corners_[t][0], corners_[t][1], corners_[t][2]);
                const double d = squared_norm(p - q);
                if (d >= squared) continue;
                squared = d;
                best.point = q;
                best.triangle = triangle_[t];
            }
            continue;
        }
        const Index left = entry.node + 1, right = node.first;
        const double dl = squared_distance_to_box(p, nodes_[left].lo, nodes_[left].hi);
        const double dr = squared_distance_to_box(p, nodes_[right].lo, nodes_[right].hi);
        const Entry near{dl <= dr ? left : right, std::min(dl, dr)};
        const Entry far{dl <= dr ? right : left, std::max(dl, dr)};
        if (far.squared < squared) stack[top++] = far;
        if (near.squared < squared) stack[top++] = near;
    }
    best.distance = std::sqrt(squared);
    return best;
}

double TriangleBvh::winding_number(const Vec3d& p) const {
    Index stack[max_depth];
    int top = 0;
    stack[top++] = 0;
    double sum = 0;  // of Ω / 4π; a dipole gives n · r / (4π |r|³)
    while (top > 0) {
        const Index i = stack[--top];
        const Dipole& dipole = dipoles_[i];
        const Vec3d r = dipole.centre - p;
        const double squared = squared_norm(r);
        if (squared > far_radii * far_radii * dipole.squared_radius) {
            sum += dot(dipole.normal, r) / (4 * std::numbers::pi * squared * std::sqrt(squared));
            continue;
        }
        const Node& node = nodes_[i];
        if (node.count == 0) {
            stack[top++] = node.first;
            stack[top++] = i + 1;
            continue;
        }
        for (Index t = node.first; t < node.first + node.count; ++t) {
            const Corners& x = corners_[t];
            sum += half_solid_angle(x[0] - p, x[1] - p, x[2] - p) / (2 * std::numbers::pi);
        }
    }
    return sum;
}

double TriangleBvh::first_hit(const Vec3d& origin, const Vec3d& direction, double from) const {
    Index stack[max_depth];
    int top = 0;
    stack[top++] = 0;
    double nearest = std::numeric_limits<double>::infinity();
    while (top > 0) {
        const Index i = stack[--top];
        const Node& node = nodes_[i];
        if (!hits_box(origin, direction, node.lo, node.hi, nearest)) continue;
        if (node.count == 0) {
            stack[top++] = node.first;
            stack[top++] = i + 1;
            continue;
        }
        for (Index t = node.first; t < node.first + node.count; ++t) {
            const double s = hit_triangle(origin, direction, corners_[t]);
            if (s > from) nearest = std::min(nearest, s);
        }
    }
    return nearest;
}

}  // namespace limber
