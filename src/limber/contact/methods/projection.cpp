// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/projection.h"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"

namespace limber {

void ProjectionContact::detect(const ContactInput& in, ContactSet& out) {
    start_.assign(in.x.begin(), in.x.end());
    out.contacts.clear();
    out.terms.clear();
    out.max_penetration = 0;
}

void ProjectionContact::correct(const ContactInput& in, std::span<Vec3d> x, std::span<Vec3d> v,
                                ContactSet& set, std::span<Vec3d> f) {
    // One obstacle after the other: the last one has the last word where two overlap.
    for (std::size_t o = 0; o < in.obstacles.size(); ++o)
        project(in, static_cast<Index>(o), x, v, set, f);
}

void ProjectionContact::project(const ContactInput& in, Index o, std::span<Vec3d> x,
                                std::span<Vec3d> v, ContactSet& set, std::span<Vec3d> f) {
    const Obstacle& obstacle = in.obstacles[o];
    const ObstaclePose start = pose_at(obstacle, in.time), end = pose_at(obstacle, in.time + in.h);
    const double mu = obstacle.friction >= 0 ? obstacle.friction : options_.friction;
    found_.resize(in.surface_nodes.size());
    parallel_for(static_cast<Index>(in.surface_nodes.size()), 256, [&](Index k) {
        Contact& contact = found_[k];
        contact.at.n = 0;
        const Index i = in.surface_nodes[k];
        if (in.ignores(i, o)) return;
        const SurfaceSample at = sample(obstacle.shape, end.to_local(x[i]));
        const double depth = options_.thickness - at.distance;
        if (!(depth > 0)) return;
        const Vec3d n = end.rotation * at.normal;
        const Vec3d carried =
            start == end ? Vec3d{} : carried_velocity(start, end, start_[i], in.h);
        const Vec3d way = x[i] - start_[i] - in.h * carried;
        const Vec3d slide = way - dot(way, n) * n;
        const double length = norm(slide);
        Vec3d move = depth * n;
        if (length > 0) move -= std::fmin(1.0, mu * depth / length) * slide;
        if (!in.free.empty())
            for (int axis = 0; axis < 3; ++axis) move[axis] *= in.free[i][axis];
        x[i] += move;
        v[i] += (1 / in.h) * move;
        contact.at = ContactStencil::of_node(i);
        contact.key = {ContactKey::node_obstacle, i, o};
        contact.obstacle = o;
        contact.normal = n;
        contact.gap = at.distance;
        contact.surface_velocity = carried;
        contact.friction = mu;
        contact.force = (in.mass[i] / (in.h * in.h)) * move;
        f[i] += contact.force;
    });
    for (std::size_t body = 0; body < in.bodies.size(); ++body)
        for (Index node : in.bodies[body].nodes) {
            const auto at =
                std::lower_bound(in.surface_nodes.begin(), in.surface_nodes.end(), node);
            Contact& contact = found_[at - in.surface_nodes.begin()];
            if (contact.at.n == 0) continue;
            contact.body = static_cast<Index>(body);
            set.contacts.push_back(contact);
        }
}

}  // namespace limber
