// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/obstacle.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

/// |v| without overflow or underflow on the way: a plain sum of squares ends at 1e154. Subnormal
/// vectors have too few digits for a direction and count as zero.
double length(const Vec3d& v) {
    const double largest = std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
    if (largest > 1e-140 && largest < 1e140) return norm(v);
    if (!std::isfinite(largest)) return largest;
    if (largest < std::numeric_limits<double>::min()) return 0;
    return largest * norm(Vec3d{v.x / largest, v.y / largest, v.z / largest});
}
double length(double a, double b) {
    return length(Vec3d{a, b, 0});
}
Vec3d divide(const Vec3d& v, double s) {
    return {v.x / s, v.y / s, v.z / s};
}
/// The side of a symmetry plane; points on it count as positive.
double side(double s) {
    return s < 0 ? -1.0 : 1.0;
}

/// Cylindrical coordinates about y; on the axis the direction is x.
struct Radial {
    double rho;
    Vec3d direction;
    explicit Radial(const Vec3d& p) : rho(length(p.x, p.z)), direction{1, 0, 0} {
        if (rho > 0) direction = {p.x / rho, 0, p.z / rho};
    }
};

SurfaceSample sample_shape(const PlaneShape& plane, const Vec3d& p) {
    return {dot(plane.normal, p), plane.normal};
}

SurfaceSample sample_shape(const SphereShape& sphere, const Vec3d& p) {
    const double r = length(p);
    return {r - sphere.radius, r > 0 ? divide(p, r) : Vec3d{0, 1, 0}};
}

SurfaceSample sample_shape(const BoxShape& box, const Vec3d& p) {
    const Vec3d q{std::fabs(p.x) - box.half.x, std::fabs(p.y) - box.half.y,
                  std::fabs(p.z) - box.half.z};
    const Vec3d out{std::max(q.x, 0.0), std::max(q.y, 0.0), std::max(q.z, 0.0)};
    const double d = length(out);
    if (d > 0)
        return {d, {side(p.x) * (out.x / d), side(p.y) * (out.y / d), side(p.z) * (out.z / d)}};
    // Inside: the nearest face is the axis with the largest (least negative) q.
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (q[i] > q[axis]) axis = i;
    Vec3d n;
    n[axis] = side(p[axis]);
    return {q[axis], n};
}

SurfaceSample sample_shape(const CylinderShape& cylinder, const Vec3d& p) {
    const Radial radial(p);
    const Vec3d up{0, side(p.y), 0};
    const double wall = radial.rho - cylinder.radius;
    const double cap = std::fabs(p.y) - cylinder.half_height;
    const double out_wall = std::max(wall, 0.0), out_cap = std::max(cap, 0.0);
    const double d = length(out_wall, out_cap);
    if (d > 0) return {d, (out_wall / d) * radial.direction + (out_cap / d) * up};
    return wall >= cap ? SurfaceSample{wall, radial.direction} : SurfaceSample{cap, up};
}

SurfaceSample sample_shape(const TorusShape& torus, const Vec3d& p) {
    // In the half plane through the axis the torus is a circle about (major, 0).
    const Radial radial(p);
    const double a = radial.rho - torus.major;
    const double r = length(a, p.y);
    if (r == 0) return {-torus.minor, radial.direction};
    return {r - torus.minor, (a / r) * radial.direction + Vec3d{0, p.y / r, 0}};
}

SurfaceSample sample_shape(const MeshShape& shape, const Vec3d& p) {
    const MovingPoints points{shape.mesh.nodes, {}};
    const Surface::Nearest near =
        shape.tree.nearest(points, p, 0, std::numeric_limits<double>::infinity());
    if (near.triangle < 0) {  // so far away that squares overflow
        const double r = length(p);
        return {r, divide(p, r)};
    }
    const Vec3d out = shape.tree.pseudonormal(points, near);
    const Vec3d away = p - near.at.point;
    const bool inside = dot(away, out) < 0;
    // On the surface itself the way to it has no direction.
    const double r = length(away), flat = length(out);
    const bool on_it = !(r > 1e-12 * norm(shape.tree.box().size()));
    const Vec3d n = on_it ? divide(out, flat > 0 ? flat : 1) : divide(away, inside ? -r : r);
    return {inside ? -near.distance : near.distance, n};
}

}  // namespace

MeshShape::MeshShape(TriMesh surface) : mesh(std::move(surface)) {
    LIMBER_CHECK(!mesh.triangles.empty(), "a surface needs a triangle");
    tree.build(mesh.triangles, mesh.nodes);
    tree.refit({mesh.nodes, {}}, 0);
}

SurfaceSample sample(const ObstacleShape& shape, const Vec3d& p) {
    return std::visit([&](const auto& s) { return sample_shape(s, p); }, shape);
}

ObstaclePose pose_at(const Obstacle& obstacle, double t) {
    const Motion& motion = obstacle.motion;
    return {motion.angle.empty() ? obstacle.orientation : motion.rotation(t) * obstacle.orientation,
            motion.apply(obstacle.position, t)};
}

SurfaceSample sample(const Obstacle& obstacle, const Vec3d& p, double t) {
    const ObstaclePose pose = pose_at(obstacle, t);
    const SurfaceSample local = sample(obstacle.shape, pose.to_local(p));
    return {local.distance, pose.rotation * local.normal};
}

Vec3d carried_velocity(const ObstaclePose& start, const ObstaclePose& end, const Vec3d& p,
                       double h) {
    LIMBER_ASSERT(h > 0);
    Vec3d moved = end.position - start.position;
    // (R_end - R_start) R_startᵀ (p - c): no rounding where the obstacle does not turn.
    if (start.rotation != end.rotation)
        moved += (end.rotation - start.rotation) * start.to_local(p);
    return divide(moved, h);
}

Vec3d carried_velocity(const Obstacle& obstacle, const Vec3d& p, double t, double h) {
    LIMBER_CHECK(h > 0, "the step must be positive");
    if (obstacle.motion.still()) return {};
    return carried_velocity(pose_at(obstacle, t), pose_at(obstacle, t + h), p, h);
}

double max_penetration(std::span<const Vec3d> x, std::span<const Index> surface_nodes,
                       std::span<const Obstacle> obstacles, double time) {
    constexpr Index max_chunks = 256;  // so that the partial results fit on the stack
    const Index n = static_cast<Index>(surface_nodes.size());
    const Index grain = std::max<Index>(512, (n + max_chunks - 1) / max_chunks);
    double deepest = 0;
    for (const Obstacle& obstacle : obstacles) {
        if (!obstacle.solid) continue;
        const ObstaclePose pose = pose_at(obstacle, time);
        std::array<double, max_chunks> partial{};
        parallel_ranges(n, grain, [&](Index begin, Index end) {
            double& depth = partial[begin / grain];
            for (Index i = begin; i < end; ++i) {
                const Vec3d local = pose.to_local(x[surface_nodes[i]]);
                depth = std::max(depth, -sample(obstacle.shape, local).distance);
            }
        });
        deepest = std::max(deepest, *std::max_element(partial.begin(), partial.end()));
    }
    return deepest;
}

}  // namespace limber
