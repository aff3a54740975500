// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/doctor/overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "limber/core/parallel.h"
#include "limber/mesh/box_tree.h"

namespace limber {

namespace {

constexpr Index overlap_grain = 2048;      // queries a chunk
constexpr std::size_t max_pairs = 1000;    // kept of a chunk; a body laid over itself has millions
constexpr double depth_ratio = 1e-3;       // of a height: touching bodies may cut in by rounding
constexpr double plane_ratio = 1e-5;       // of a face's size: faces this near lie on each other
constexpr double parallel_cosine = 1e-12;  // squared sine below which two edges have no axis

using Corners = std::array<Vec3d, 4>;

Corners corners_of(const TetMesh& mesh, Index tet) {
    const Tet& t = mesh.tets[tet];
    return {mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]], mesh.nodes[t[3]]};
}

struct Interval {
    double lo, hi;
};
template <std::size_t N>
Interval project(const std::array<Vec3d, N>& points, const Vec3d& axis) {
    Interval i{dot(points[0], axis), dot(points[0], axis)};
    for (std::size_t k = 1; k < N; ++k) {
        const double s = dot(points[k], axis);
        i.lo = std::min(i.lo, s);
        i.hi = std::max(i.hi, s);
    }
    return i;
}

/// Whether the shadows on the axis have no more than `depth` in common.
template <std::size_t N>
bool separates(const Vec3d& axis, const std::array<Vec3d, N>& a, const std::array<Vec3d, N>& b,
               double depth) {
    const Interval p = project(a, axis), q = project(b, axis);
    return std::min(p.hi, q.hi) - std::max(p.lo, q.lo) <= depth * norm(axis);
}

struct OverlapSolid {
    std::array<Vec3d, 4> normals;
    std::array<Vec3d, 6> edges;
    double height;  // the smallest
};
OverlapSolid solid_of(const Corners& x) {
    OverlapSolid s;
    s.edges = {x[1] - x[0], x[2] - x[0], x[3] - x[0], x[2] - x[1], x[3] - x[1], x[3] - x[2]};
    s.normals = {cross(s.edges[3], s.edges[4]), cross(s.edges[2], s.edges[1]),
                 cross(s.edges[0], s.edges[2]), cross(s.edges[1], s.edges[0])};
    double largest = 0;
    for (const Vec3d& n : s.normals) largest = std::max(largest, norm(n));
    s.height = std::fabs(dot(s.edges[0], cross(s.edges[1], s.edges[2]))) / largest;
    return s;
}

/// Pairs found by query(i, pairs), i = 0 .. n - 1, each chunk stopping when it has enough.
template <class Query>
void collect(Overlaps& found, Index n, Query query) {
    std::vector<std::vector<std::array<Index, 2>>> part(
        static_cast<std::size_t>((n + overlap_grain - 1) / overlap_grain));
    parallel_ranges(n, overlap_grain, [&](Index begin, Index end) {
        auto& pairs = part[begin / overlap_grain];
        for (Index i = begin; i < end && pairs.size() < max_pairs; ++i) query(i, pairs);
    });
    for (auto& pairs : part) {
        found.capped = found.capped || pairs.size() >= max_pairs;
        for (auto& [a, b] : pairs) found.pairs.push_back({std::min(a, b), std::max(a, b)});
    }
    std::sort(found.pairs.begin(), found.pairs.end());
    found.pairs.erase(std::unique(found.pairs.begin(), found.pairs.end()), found.pairs.end());
}

/// Boxes that may meet a given one.
class BoxFinder {
  public:
    explicit BoxFinder(std::vector<Box3> boxes) : boxes_(std::move(boxes)) {
        std::vector<Vec3d> centres;
        for (const Box3& box : boxes_) centres.push_back(0.5 * (box.lo + box.hi));
        tree_.build(centres);
        tree_.refit([&](Index i) { return boxes_[i]; });
    }
    /// Calls use(i) for every box i that meets `box`.
    template <class Use>
    void meet(const Box3& box, Use&& use) const {
        tree_.overlapping(box, [&](Index i) {
            if (overlap(boxes_[i], box)) use(i);
        });
    }

  private:
    std::vector<Box3> boxes_;
    BoxTree tree_;
};

/// Every k-th, so that no more than `most` are left.
std::vector<Index> thinned(std::vector<Index> items, Index most, bool& sampled) {
    const auto n = static_cast<Index>(items.size());
    if (n <= most) return items;
    sampled = true;
    const Index every = (n + most - 1) / most;
    std::vector<Index> kept;
    for (Index i = 0; i < n; i += every) kept.push_back(items[i]);
    return kept;
}

}  // namespace

bool tets_overlap(const TetMesh& mesh, Index a, Index b) {
    Corners x = corners_of(mesh, a), y = corners_of(mesh, b);
    const Vec3d origin = x[0];  // so that a far-away body does not lose the digits of its shadows
    for (Vec3d& p : x) p -= origin;
    for (Vec3d& p : y) p -= origin;
    const OverlapSolid s = solid_of(x), t = solid_of(y);
    const double depth = depth_ratio * std::min(s.height, t.height);
    for (const OverlapSolid* solid : {&s, &t})
        for (const Vec3d& axis : solid->normals)
            if (separates(axis, x, y, depth)) return false;
    for (const Vec3d& e : s.edges)
        for (const Vec3d& f : t.edges) {
            const Vec3d axis = cross(e, f);
            if (squared_norm(axis) <= parallel_cosine * squared_norm(e) * squared_norm(f)) continue;
            if (separates(axis, x, y, depth)) return false;
        }
    return true;
}

Overlaps find_overlaps(const TetMesh& mesh, const FaceTable& faces, Index max_looked_at) {
    Overlaps found;
    std::vector<Index> surface;
    for (const FaceSide side : faces.boundary)
        if (surface.empty() || surface.back() != side / 4) surface.push_back(side / 4);
    surface = thinned(std::move(surface), max_looked_at, found.sampled);
    std::vector<Box3> boxes;
    for (const Index tet : surface) boxes.push_back(bounding_box(corners_of(mesh, tet)));
    const BoxFinder finder(std::move(boxes));
    const auto neighbours = [&](Index a, Index b) {
        for (int k = 0; k < 4; ++k)
            if (faces.across[4 * a + k] >= 0 && faces.across[4 * a + k] / 4 == b) return true;
        return false;
    };
    collect(found, mesh.n_tets(), [&](Index tet, auto& pairs) {
        finder.meet(bounding_box(corners_of(mesh, tet)), [&](Index item) {
            const Index other = surface[item];
            if (other == tet || neighbours(tet, other)) return;
            if (tets_overlap(mesh, tet, other)) pairs.push_back({tet, other});
        });
    });
    return found;
}

namespace {

/// A boundary face, corners counter-clockwise from outside, relative to the mesh.
struct Facet {
    std::array<Vec3d, 3> corners;
    Vec3d normal;  // unit, outward
    double size;   // longest edge [m]
    double height;
};
Facet facet_of(const TetMesh& mesh, FaceSide side) {
    const Triangle t = outward_face(mesh, side);
    Facet f{{mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]]}, {}, 0, 0};
    for (int k = 0; k < 3; ++k)
        f.size = std::max(f.size, norm(f.corners[(k + 1) % 3] - f.corners[k]));
    f.normal = cross(f.corners[1] - f.corners[0], f.corners[2] - f.corners[0]);
    const double twice_area = norm(f.normal);
    f.normal *= 1 / twice_area;
    f.height = twice_area / f.size;
    return f;
}

bool same_places(const Facet& f, const Facet& g, double tolerance) {
    for (const Vec3d& p : f.corners) {
        bool found = false;
        for (const Vec3d& q : g.corners) found = found || norm(p - q) <= tolerance;
        if (!found) return false;
    }
    return true;
}

/// Whether g lies on f from the other side, with area in common but other corners. `behind` is the
/// fourth corner of g's tet.
bool lies_on(const Facet& f, const Facet& g, const Vec3d& behind) {
    const double tolerance = plane_ratio * std::max(f.size, g.size);
    if (dot(f.normal, g.normal) > -0.99) return false;
    for (const Vec3d& p : g.corners)
        if (std::fabs(dot(p - f.corners[0], f.normal)) > tolerance) return false;
    if (dot(behind - f.corners[0], f.normal) < 10 * tolerance) return false;
    const double depth = depth_ratio * std::min(f.height, g.height);
    for (const Facet* facet : {&f, &g})
        for (int k = 0; k < 3; ++k) {
            const Vec3d edge = facet->corners[(k + 1) % 3] - facet->corners[k];
            if (separates(cross(edge, f.normal), f.corners, g.corners, depth)) return false;
        }
    return !same_places(f, g, tolerance);
}

}  // namespace

Overlaps find_mismatched_faces(const TetMesh& mesh, const FaceTable& faces, Index max_looked_at) {
    Overlaps found;
    const auto box_of = [&](FaceSide side) {
        const Facet f = facet_of(mesh, side);
        const double margin = plane_ratio * f.size;
        Box3 box = bounding_box(f.corners);
        box.lo -= Vec3d{margin, margin, margin};
        box.hi += Vec3d{margin, margin, margin};
        return box;
    };
    const std::vector<FaceSide> sides = thinned(faces.boundary, max_looked_at, found.sampled);
    std::vector<Box3> boxes;
    for (const FaceSide side : sides) boxes.push_back(box_of(side));
    const BoxFinder finder(std::move(boxes));
    collect(found, static_cast<Index>(faces.boundary.size()), [&](Index i, auto& pairs) {
        const FaceSide side = faces.boundary[i];
        const Facet f = facet_of(mesh, side);
        finder.meet(box_of(side), [&](Index item) {
            const FaceSide other = sides[item];
            if (side / 4 == other / 4 || (other < side && !found.sampled)) return;
            if (lies_on(f, facet_of(mesh, other), mesh.nodes[mesh.tets[other / 4][other % 4]]))
                pairs.push_back({side / 4, other / 4});
        });
    });
    return found;
}

}  // namespace limber
