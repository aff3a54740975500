// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/obstacle_contacts.h"

#include <algorithm>

#include "limber/core/parallel.h"

namespace limber {
namespace {

constexpr Index nodes_per_chunk = 256;

/// Sphere tracing: an exact distance is a step that cannot miss the surface. `from` is farther than
/// the thickness. A path that still grazes the surface after the last iteration counts as a hit:
/// its normal speed there is next to nothing, and so is the force.
bool follow(const ObstacleShape& shape, double thickness, const Vec3d& from, const Vec3d& path,
            SurfaceSample& hit) {
    const double length = norm(path);
    const double close_enough = 0.01 * thickness + 1e-9 * length;
    double s = hit.distance - thickness;
    Vec3d p = from;
    for (int i = 0; i < 64; ++i) {
        if (!(s < length)) return false;
        p = from + (s / length) * path;
        hit = sample(shape, p);
        const double left = hit.distance - thickness;
        if (left < close_enough) break;
        s += left;
    }
    hit.distance += dot(hit.normal, from - p);  // of `from` to the tangent plane at p
    return true;
}

}  // namespace

/// Whether the node touches the obstacle in this step; fills `contact` if so. `depth` becomes the
/// larger of itself and the geometric penetration. Comparisons are false for positions that are not
/// finite: those are reported by the guard of the time loop, not hidden behind a contact force.
bool ObstacleContacts::meet(const ContactInput& in, const ObstacleContactOptions& options,
                            Index node, Index obstacle, Contact& contact, double& depth) const {
    const MovingPose& pose = poses_[obstacle];
    const Obstacle& o = in.obstacles[obstacle];
    if (!o.solid) return false;
    // Without the bodies' surfaces a mesh obstacle is met by their nodes alone, here.
    if (!in.bodies.empty() && std::holds_alternative<MeshShape>(o.shape)) return false;
    if (in.ignores(node, obstacle)) return false;
    const Vec3d& x = in.x[node];
    const Vec3d local = pose.start.to_local(x);
    SurfaceSample surface = sample(o.shape, local);
    depth = std::max(depth, -surface.distance);
    const double d = options.thickness;
    const bool inside = surface.distance < d;
    const SurfaceSample start = surface;
    if (!options.arriving && !inside) return false;

    contact.surface_velocity = carried_velocity(pose.start, pose.end, x, in.h);
    const Vec3d u = in.v[node] - contact.surface_velocity;
    if (!inside) {
        const Vec3d path = in.h * (transpose(pose.end.rotation) * u);
        if (!follow(o.shape, d, local, path, surface)) return false;
    }
    if (options.at_end) {
        const Vec3d end = pose.end.to_local(x + in.h * in.v[node]);
        const SurfaceSample hit = surface;
        surface = sample(o.shape, end);
        surface.distance -= in.h * dot(pose.end.rotation * surface.normal, u);
        // A node that goes in beside an edge may end nearest to the side around the corner, deep
        // behind which it began: more than a step closes. It is held on the side it came from.
        if (surface.distance < -d && start.distance > -d) surface = hit;
    }
    contact.at = ContactStencil::of_node(node);
    contact.key = {ContactKey::node_obstacle, node, obstacle};
    contact.obstacle = obstacle;
    contact.body = in.body_of(node);
    contact.other = -1;
    contact.normal = pose.end.rotation * surface.normal;
    contact.gap = surface.distance;
    contact.friction = o.friction < 0 ? options.friction : o.friction;
    contact.force = {};
    if (!options.arriving) return true;
    return contact.gap + in.h * dot(contact.normal, u) < d;
}

void ObstacleContacts::find(const ContactInput& in, const ObstacleContactOptions& options,
                            ContactSet& out) {
    const Index n = static_cast<Index>(in.surface_nodes.size());
    const Index n_obstacles = static_cast<Index>(in.obstacles.size());
    const Index n_chunks = (n + nodes_per_chunk - 1) / nodes_per_chunk;
    poses_.clear();
    for (const Obstacle& o : in.obstacles)
        poses_.push_back({pose_at(o, in.time), pose_at(o, in.time + in.h)});
    touches_.assign(static_cast<std::size_t>(n) * n_obstacles, 0);
    begin_.assign(n_chunks + 1, 0);
    depth_.assign(n_chunks, 0.0);

    // First which pairs touch, then where each chunk's contacts begin, then the contacts
    // themselves: the order is by node, then obstacle, whoever works on a chunk.
    parallel_ranges(n, nodes_per_chunk, [&](Index begin, Index end) {
        const Index chunk = begin / nodes_per_chunk;
        Contact contact;
        for (Index i = begin; i < end; ++i)
            for (Index o = 0; o < n_obstacles; ++o) {
                const bool touch =
                    meet(in, options, in.surface_nodes[i], o, contact, depth_[chunk]);
                touches_[static_cast<std::size_t>(i) * n_obstacles + o] = touch;
                begin_[chunk + 1] += touch;
            }
    });
    for (Index chunk = 0; chunk < n_chunks; ++chunk) begin_[chunk + 1] += begin_[chunk];
    out.max_penetration = 0;
    for (double depth : depth_) out.max_penetration = std::max(out.max_penetration, depth);

    // Room for every surface node, so that a body that settles slowly does not allocate as it does.
    out.contacts.reserve(n);
    out.contacts.resize(begin_[n_chunks]);
    parallel_ranges(n, nodes_per_chunk, [&](Index begin, Index end) {
        Index next = begin_[begin / nodes_per_chunk];
        double depth = 0;
        for (Index i = begin; i < end; ++i)
            for (Index o = 0; o < n_obstacles; ++o) {
                if (!touches_[static_cast<std::size_t>(i) * n_obstacles + o]) continue;
                meet(in, options, in.surface_nodes[i], o, out.contacts[next++], depth);
            }
    });
}

}  // namespace limber
