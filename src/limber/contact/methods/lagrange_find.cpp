// SPDX-License-Identifier: Apache-2.0
// Which contacts LagrangeContact solves for, and how deep a step ends: the half of it that looks.
#include <algorithm>

#include "limber/contact/contact_read_back.h"
#include "limber/contact/methods/lagrange.h"
#include "limber/core/parallel.h"
#include "limber/mesh/mean_edge.h"

namespace limber {

namespace {

constexpr Index nodes_at_once = 2048;
// Of a face's contacts, whose normals are less than 37 degrees apart: one.
constexpr double same_side = 0.8;

}  // namespace

double LagrangeContact::mean_edge(const ContactInput& in) {
    if (mean_edge_ > 0) return mean_edge_;
    MeanEdge edge;
    for (const ContactSurface& body : in.bodies)
        edge.add(body.triangles, in.rest.empty() ? in.x : in.rest);
    return mean_edge_ = edge.empty() ? 1e-2 : edge.value();
}

double LagrangeContact::alarm_distance(const ContactInput& in) {
    return options_.distance + (options_.alarm > 0 ? options_.alarm : 0.1 * mean_edge(in));
}

double LagrangeContact::spacing(const ContactInput& in) {
    return options_.spacing > 0 ? options_.spacing : 0.1 * (alarm_distance(in) - options_.distance);
}

void LagrangeContact::find(const ContactInput& in, bool at_end, ContactSet& set) {
    const double alarm = alarm_distance(in);
    finder_.find(in,
                 {.thickness = alarm,
                  .friction = options_.friction,
                  .bodies = options_.bodies,
                  .self = options_.self},
                 set, at_end);
    for (const auto& joint : joints_)
        std::erase_if(set.contacts, [&](const Contact& c) { return joint->replaces(c); });
    thin_out(in, spacing(in), set.contacts);
}

/// Where vertices of two bodies stand on each other both see the contact: two constraints that say
/// the same make W singular and the solver slow. Obstacles have one side, and are left alone unless
/// the scene asks for it.
void LagrangeContact::thin_out(const ContactInput& in, double spacing,
                               std::vector<Contact>& contacts) {
    const auto same_bodies = [](const Contact& a, const Contact& b) {
        return a.obstacle == b.obstacle &&
               std::minmax(a.body, a.other) == std::minmax(b.body, b.other);
    };
    kept_.clear();
    kept_at_.clear();
    std::size_t n = 0;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const Contact& c = contacts[i];
        bool wanted = true;
        if (c.obstacle < 0 || options_.spacing > 0) {
            const Vec3d point = contact_point(c, in.x);
            for (std::size_t k = 0; wanted && k < kept_.size(); ++k) {
                if (!(squared_norm(kept_[k] - point) < spacing * spacing)) continue;
                const Contact& other = contacts[kept_at_[k]];
                wanted = !same_bodies(c, other) || std::abs(dot(c.normal, other.normal)) < 0.9;
            }
            if (wanted) {
                kept_.push_back(point);
                kept_at_.push_back(static_cast<Index>(n));
            }
        }
        if (wanted) contacts[n++] = contacts[i];
    }
    contacts.resize(n);
}

/// The deepest node among contacts that can move. Crossings of edges are not a measure: those
/// beside a vertex that touches are left to it.
ContactSet::Left LagrangeContact::deepest(const ContactInput& in,
                                          const std::vector<Contact>& contacts) const {
    ContactSet::Left out;
    for (const Contact& c : contacts) {
        const double depth = options_.distance - c.gap;
        if (c.key.kind == ContactKey::edges || !(depth > out.depth)) continue;
        bool moves = in.free.empty();
        for (int k = 0; k < c.at.n && !moves; ++k) moves = in.free[c.at.node[k]] != Vec3d{};
        if (moves) out = {depth, c.body, c.other, c.obstacle};
    }
    return out;
}

/// Where the velocities v take the surfaces: the geometry there, whatever rows there are.
ContactSet::Left LagrangeContact::deepest_at_end(const ContactInput& in, std::span<const Vec3d> v) {
    const Index n = static_cast<Index>(v.size());
    end_.resize(n);
    still_.assign(n, {});
    parallel_for(n, nodes_at_once, [&](Index i) { end_[i] = in.x[i] + in.h * v[i]; });
    ContactInput there = in;
    there.x = end_;
    there.v = still_;
    there.time = in.time + in.h;
    finder_.find(there,
                 {.thickness = alarm_distance(in),
                  .friction = options_.friction,
                  .bodies = options_.bodies,
                  .self = options_.self,
                  .arriving = false},
                 found_);
    for (const auto& joint : joints_)
        std::erase_if(found_.contacts, [&](const Contact& c) { return joint->replaces(c); });
    return deepest(in, found_.contacts);
}

void LagrangeContact::report_depth(const ContactInput& in, const ContactSet::Left& deepest,
                                   ContactSet& set) {
    set.max_penetration = deepest.depth;
    set.left = deepest.depth > options_.overlap * mean_edge(in) ? deepest : ContactSet::Left{};
}

/// Contacts along the paths that v takes, and those there were that push or are near: what is left
/// out could be run into in turn.
void LagrangeContact::find_more(const ContactInput& in, std::span<const Vec3d> v, bool at_end,
                                ContactSet& set) {
    ContactInput now = in;
    now.v = v;
    find(now, at_end, found_);
    keys_.clear();
    for (const Contact& c : found_.contacts) keys_.push_back(c.key);
    std::sort(keys_.begin(), keys_.end());
    const double near = 0.5 * alarm_distance(in);
    const std::size_t n_found = found_.contacts.size();
    for (const Contact& c : set.contacts) {
        if (c.force == Vec3d{} && !(end_gap(c, v, in.h) < near)) continue;
        if (!std::binary_search(keys_.begin(), keys_.end(), c.key)) {
            found_.contacts.push_back(c);
            continue;
        }
        // A face that lies over an edge touches on both of its sides, at points of its own.
        if (c.key.kind != ContactKey::face_obstacle) continue;
        const auto begin = found_.contacts.begin();
        if (std::none_of(begin, begin + static_cast<std::ptrdiff_t>(n_found),
                         [&](const Contact& other) {
                             return other.key == c.key && dot(other.normal, c.normal) > same_side;
                         }))
            found_.contacts.push_back(c);
    }
    thin_out(in, spacing(in), found_.contacts);
    std::swap(set.contacts, found_.contacts);
}

}  // namespace limber
