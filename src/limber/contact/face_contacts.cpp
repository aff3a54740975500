// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/face_contacts.h"

#include <algorithm>
#include <array>

#include "limber/contact/lowest_point.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

constexpr Index faces_per_chunk = 512, candidates_per_chunk = 32;
/// Of the longest edge: what stands out by less is left to the nodes, and gaps are counted from
/// there, so that a face that bends a little more is not struck.
constexpr double flat_share = 0.03;
constexpr int max_advances = 32;  // steps along the path of a face

/// An edge of the mesh is one thing, whichever of its faces found it.
std::array<Index, 3> feature_of(const Contact& c) {
    std::array<Index, 3> nodes{-1, -1, -1};
    for (int k = 0; k < c.at.n; ++k) nodes[k] = c.at.node[k];
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

}  // namespace

/// Faces that an obstacle's surface may come near, by the distance of their centres.
void FaceContacts::gather(const ContactInput& in, const ObstacleContactOptions& options) {
    places_.clear();
    bool any = false;
    for (const Obstacle& o : in.obstacles) {
        const bool mesh = std::holds_alternative<MeshShape>(o.shape);
        const bool bends = o.solid && !std::holds_alternative<PlaneShape>(o.shape);
        places_.push_back({pose_at(o, in.time), pose_at(o, in.time + in.h), bends, mesh});
        any = any || bends;
    }
    candidates_.clear();
    if (!any) return;
    const Index n_obstacles = static_cast<Index>(in.obstacles.size());
    for (std::size_t b = 0; b < in.bodies.size(); ++b) {
        const ContactSurface& body = in.bodies[b];
        const Index n = static_cast<Index>(body.triangles.size());
        near_.assign(static_cast<std::size_t>(n) * n_obstacles, 0);
        parallel_for(n, faces_per_chunk, [&](Index t) {
            const Triangle& face = body.triangles[t];
            const Corners p{in.x[face[0]], in.x[face[1]], in.x[face[2]]};
            const Vec3d centre = blend(p, {1. / 3, 1. / 3, 1. / 3});
            // The longest edge is more than any point's way to the centre.
            const double reach = longest_edge(p) + options.thickness;
            for (Index o = 0; o < n_obstacles; ++o) {
                const Place& place = places_[o];
                if (!place.bends || (place.mesh && !body.open)) continue;
                if (in.filter && in.filter->obstacle(static_cast<Index>(b), o)) continue;
                const double distance =
                    sample(in.obstacles[o].shape, place.start.to_local(centre)).distance;
                bool near = distance < reach;
                for (int k = 0; options.arriving && !near && k < 3; ++k) {
                    const Vec3d u =
                        in.v[face[k]] - carried_velocity(place.start, place.end, p[k], in.h);
                    near = distance < reach + in.h * norm(u);
                }
                near_[static_cast<std::size_t>(t) * n_obstacles + o] = near;
            }
        });
        for (Index t = 0; t < n; ++t)
            for (Index o = 0; o < n_obstacles; ++o)
                if (near_[static_cast<std::size_t>(t) * n_obstacles + o])
                    candidates_.push_back({static_cast<Index>(b), t, o});
    }
}

/// Whether the face meets the obstacle in this step between its nodes; fills `contact` if so.
/// Comparisons are false for positions that are not finite.
bool FaceContacts::meet(const ContactInput& in, const ObstacleContactOptions& options,
                        const Candidate& at, Contact& contact) const {
    const Obstacle& o = in.obstacles[at.obstacle];
    const Place& place = places_[at.obstacle];
    const Triangle& face = in.bodies[at.body].triangles[at.face];
    Corners start, path{};
    double speed = 0;
    for (int k = 0; k < 3; ++k) {
        const Vec3d& x = in.x[face[k]];
        start[k] = place.start.to_local(x);
        if (!options.arriving) continue;
        const Vec3d u = in.v[face[k]] - carried_velocity(place.start, place.end, x, in.h);
        path[k] = in.h * (transpose(place.end.rotation) * u);
        speed = std::max(speed, norm(path[k]));
    }
    const auto corners_at = [&](double s) {
        return Corners{start[0] + s * path[0], start[1] + s * path[1], start[2] + s * path[2]};
    };
    const double d = options.thickness, close_enough = 0.01 * d + 1e-9 * speed;
    double s = 0;
    LowestPoint low = lowest_point(o.shape, start);
    for (int i = 0; i < max_advances && low.surface.distance - d >= close_enough; ++i) {
        s += (low.surface.distance - d) / speed;
        if (!(s < 1)) return false;
        low = lowest_point(o.shape, corners_at(s));
    }
    if (options.at_end) low = lowest_point(o.shape, corners_at(s = 1));

    const Corners p = corners_at(s);
    double nearest = sample(o.shape, p[0]).distance, farthest = nearest;
    for (int k = 1; k < 3; ++k) {
        const double of_corner = sample(o.shape, p[k]).distance;
        nearest = std::min(nearest, of_corner);
        farthest = std::max(farthest, of_corner);
    }
    // Deep inside there is no way out that a face knows and its nodes do not.
    const double distance = low.surface.distance + flat_share * longest_edge(p);
    if (!(distance < nearest) || farthest < 0) return false;
    const Vec3d way = blend(path, low.at.weight);
    contact.gap = distance - s * dot(low.surface.normal, way);
    if (options.arriving ? !(contact.gap + dot(low.surface.normal, way) < d) : !(contact.gap < d))
        return false;
    contact.at.n = 0;
    Vec3d point{};
    for (int k = 0; k < 3; ++k) {
        if (low.at.weight[k] == 0) continue;
        contact.at.node[contact.at.n] = face[k];
        contact.at.weight[contact.at.n++] = low.at.weight[k];
        point += low.at.weight[k] * in.x[face[k]];
    }
    contact.obstacle = at.obstacle;
    contact.body = at.body;
    contact.other = -1;
    contact.normal = place.end.rotation * low.surface.normal;
    contact.surface_velocity = carried_velocity(place.start, place.end, point, in.h);
    contact.friction = o.friction < 0 ? options.friction : o.friction;
    contact.force = {};
    return true;
}

void FaceContacts::find(const ContactInput& in, const ObstacleContactOptions& options,
                        ContactSet& out) {
    gather(in, options);
    const Index n = static_cast<Index>(candidates_.size());
    if (n == 0) return;
    slots_.resize(std::max<std::size_t>(slots_.size(), n));
    found_.assign(n, 0);
    parallel_for(n, candidates_per_chunk,
                 [&](Index i) { found_[i] = meet(in, options, candidates_[i], slots_[i]); });
    const std::size_t first = out.contacts.size();
    Index face_begin = 0, body = 0;  // faces are counted through all bodies
    for (Index i = 0; i < n; ++i) {
        const Candidate& at = candidates_[i];
        for (; body < at.body; ++body)
            face_begin += static_cast<Index>(in.bodies[body].triangles.size());
        if (!found_[i]) continue;
        Contact& c = slots_[i];
        if (c.at.n < 3) {
            const auto same = [&](const Contact& other) {
                return other.obstacle == c.obstacle && feature_of(other) == feature_of(c);
            };
            if (std::any_of(out.contacts.begin() + static_cast<std::ptrdiff_t>(first),
                            out.contacts.end(), same))
                continue;
        }
        c.key = {ContactKey::face_obstacle, face_begin + at.face, at.obstacle};
        out.max_penetration = std::max(out.max_penetration, -c.gap);
        out.contacts.push_back(c);
    }
}

}  // namespace limber
