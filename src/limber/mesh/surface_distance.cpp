// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/surface_distance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index distance_grain = 128;  // queries a chunk

/// Maximum and mean distance of points to the surface in a tree.
void distances(std::span<const Vec3d> points, const TriangleBvh& tree, double& max, double& mean) {
    if (points.empty()) return;
    std::vector<double> found(points.size());
    parallel_for(static_cast<Index>(points.size()), distance_grain,
                 [&](Index i) { found[i] = tree.closest(points[i]).distance; });
    double sum = 0;
    for (double d : found) sum += d;
    mean = sum / static_cast<double>(found.size());
    max = *std::max_element(found.begin(), found.end());
}

/// Number of parts of the surface where each is a body of its own, 0 where that is not plain: boxes
/// that overlap may mean crossing parts or a cavity.
Index separate_parts(const TriMesh& mesh) {
    const std::vector<Index> part = triangle_parts(mesh);
    const Index n = *std::max_element(part.begin(), part.end()) + 1;
    constexpr Index plain = 1000;  // more parts are not worth n² comparisons
    if (n > plain) return 0;
    std::vector<std::vector<Vec3d>> points(n);
    for (Index t = 0; t < mesh.n_triangles(); ++t)
        for (Index node : mesh.triangles[t]) points[part[t]].push_back(mesh.nodes[node]);
    std::vector<Box3> boxes;
    for (const auto& p : points) boxes.push_back(bounding_box(p));
    for (Index a = 0; a < n; ++a)
        for (Index b = a + 1; b < n; ++b)
            if (overlap(boxes[a], boxes[b])) return 0;
    return n;
}

}  // namespace

SurfaceSolid::SurfaceSolid(const TriMesh& surface)
    : surface_(close_surface(surface)),
      tree_(surface_.mesh),
      bounds_(bounding_box(surface_.mesh.nodes)) {}

double SurfaceSolid::value(const Vec3d& p) const {
    const double distance = tree_.closest(p).distance;
    for (int a = 0; a < 3; ++a)
        if (p[a] < bounds_.lo[a] || p[a] > bounds_.hi[a]) return distance;
    return std::fabs(tree_.winding_number(p)) > 0.5 ? -distance : distance;
}

/// How far it is through the solid, straight in from the middles of up to 2000 triangles: the
/// second percentile, because near sharp edges every surface is thin.
double SurfaceSolid::thinnest() const {
    const TriMesh& mesh = surface_.mesh;
    const Index n = std::min<Index>(mesh.n_triangles(), 2000);
    const double skip = 1e-6 * norm(bounds_.size());
    std::vector<double> through(n);
    parallel_for(n, distance_grain, [&](Index i) {
        const auto t = static_cast<Index>(std::int64_t{i} * mesh.n_triangles() / n);
        const auto& [a, b, c] = mesh.triangles[t];
        const Vec3d normal = cross(mesh.nodes[b] - mesh.nodes[a], mesh.nodes[c] - mesh.nodes[a]);
        const double length = norm(normal);
        through[i] = std::numeric_limits<double>::infinity();
        if (!(length > 0)) return;
        const Vec3d middle = (1.0 / 3) * (mesh.nodes[a] + mesh.nodes[b] + mesh.nodes[c]);
        through[i] = tree_.first_hit(middle, (-1 / length) * normal, skip);
    });
    std::sort(through.begin(), through.end());
    const double found = through[n / 50];
    return std::isfinite(found) ? found : 0;
}

void SurfaceSolid::describe(StuffingOptions& options) const {
    options.thinnest = thinnest();
    options.shape_parts = separate_parts(surface_.mesh);
    // The signed volume counts what two parts share twice.
    options.shape_volume = options.shape_parts > 0 ? surface_.volume : 0;
}

SurfaceDistance measure_distance(const TriMesh& boundary, const TriMesh& surface) {
    SurfaceDistance d;
    if (boundary.triangles.empty() || surface.triangles.empty()) return d;
    distances(boundary.nodes, TriangleBvh(surface), d.max_to, d.mean_to);
    std::vector<Vec3d> points;
    for (Index node : nodes_of(surface.triangles)) points.push_back(surface.nodes[node]);
    for (const auto& [a, b, c] : surface.triangles)
        points.push_back((1.0 / 3) * (surface.nodes[a] + surface.nodes[b] + surface.nodes[c]));
    distances(points, TriangleBvh(boundary), d.max_from, d.mean_from);
    return d;
}

}  // namespace limber
