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
// How often what sheets run into at the end of a step is put to the rest of the contacts.
constexpr int most_looks = 6;
// Of their thickness: so far they may press into each other before that is done.
constexpr double squeezed = 0.1;

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

BodyContactOptions LagrangeContact::near(const ContactInput& in) {
    BodyContactOptions out;
    out.thickness = alarm_distance(in);
    out.friction = options_.friction;
    out.bodies = options_.bodies;
    out.self = options_.self;
    out.sheets = false;  // find_sheets()
    return out;
}

/// Sheets on the way that v takes them; into `found`. Sheets that lie on each other have thousands
/// of crossings that their nodes look after: only those of edges count that they do not.
void LagrangeContact::find_sheets(const ContactInput& in, std::span<const Vec3d> v,
                                  ContactSet& found) {
    ContactInput way = in;
    way.v = v;
    SheetContacts::Options options;
    options.alarm = alarm_distance(in);
    options.friction = options_.friction;
    options.sheets = options_.bodies;
    options.self = options_.self;
    options.every_edge = false;
    found.contacts.clear();
    sheets_.find(way, options, found);
}

void LagrangeContact::find(const ContactInput& in, bool at_end, ContactSet& set) {
    finder_.find(in, near(in), set, at_end);
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
        const bool sheet = c.key.kind == ContactKey::sheet_node ||
                           c.key.kind == ContactKey::sheet_edges;  // both sides do not say the same
        if (!sheet && (c.obstacle < 0 || options_.spacing > 0)) {
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
    parallel_for(n, nodes_at_once, [&](Index i) { end_[i] = in.x[i] + in.h * v[i]; });
    return deepest_at(in, end_, in.time + in.h);
}

/// The same of nodes at x, which stand still.
ContactSet::Left LagrangeContact::deepest_at(const ContactInput& in, std::span<const Vec3d> x,
                                             double time) {
    still_.assign(x.size(), {});
    ContactInput there = in;
    there.x = x;
    there.v = still_;
    there.time = time;
    BodyContactOptions options = near(in);
    options.arriving = false;
    finder_.find(there, options, found_);
    for (const auto& joint : joints_)
        std::erase_if(found_.contacts, [&](const Contact& c) { return joint->replaces(c); });
    return deepest(in, found_.contacts);
}

void LagrangeContact::report_depth(const ContactInput& in, const ContactSet::Left& deepest,
                                   ContactSet& set) {
    set.max_penetration = deepest.depth;
    set.left = deepest.depth > options_.overlap * mean_edge(in) ? deepest : ContactSet::Left{};
}

/// Nodes of bodies against bodies as they were where the last pass ended, instead of where they
/// were hit on the way: with that normal and those weights h u_n is the true gap there, and a pass
/// is a step of Newton's method on it. A sheet that is driven turns by twenty degrees between the
/// two. What went through a thin body ends near its back; it stays where it was hit.
void LagrangeContact::turn_to_end(const ContactInput& in, std::vector<Contact>& contacts) {
    by_key_.clear();
    for (const Contact& c : at_end_)
        if (c.key.kind == ContactKey::node_body && c.obstacle < 0)
            by_key_.emplace_back(c.key, static_cast<Index>(&c - at_end_.data()));
    std::sort(by_key_.begin(), by_key_.end());
    const double near = alarm_distance(in);
    for (Contact& c : contacts) {
        const auto same = std::lower_bound(by_key_.begin(), by_key_.end(), std::pair(c.key, 0));
        if (same == by_key_.end() || same->first != c.key) continue;
        const Contact& end = at_end_[same->second];
        if (!(std::abs(end.gap) < near) || !(dot(end.normal, c.normal) > 0)) continue;
        c = end;
        c.gap = dot(c.normal, c.at.gather(in.x));
    }
}

/// Whether a node that touches two faces of a body is in the fold between them, and needs both.
bool LagrangeContact::in_a_fold(const Contact& a, const Contact& b, const ContactInput& in,
                                std::span<const Vec3d> v) const {
    if (a.obstacle >= 0 || dot(a.normal, b.normal) > 0.99) return false;
    const auto foot = [&](const Contact& c) {
        const Index node = c.key.a;
        return in.x[node] + in.h * v[node] - c.at.gather(in.x) - in.h * c.at.gather(v);
    };
    return dot(foot(b) - foot(a), b.normal - a.normal) < 0;  // against the way in a hollow
}

/// Contacts along the paths that v takes, and those there were that push or are near: what is left
/// out could be run into in turn.
void LagrangeContact::find_more(const ContactInput& in, std::span<const Vec3d> v, bool at_end,
                                ContactSet& set) {
    ContactInput now = in;
    now.v = v;
    find(now, at_end, found_);
    if (at_end) turn_to_end(in, found_.contacts);
    by_key_.clear();
    for (const Contact& c : found_.contacts)
        by_key_.emplace_back(c.key, static_cast<Index>(&c - found_.contacts.data()));
    std::sort(by_key_.begin(), by_key_.end());
    const double near = 0.5 * alarm_distance(in);
    const std::size_t n_found = found_.contacts.size();
    for (const Contact& c : set.contacts) {
        const bool sheet =
            c.key.kind == ContactKey::sheet_node || c.key.kind == ContactKey::sheet_edges;
        const double moved = at_end ? in.h * norm(c.at.gather(v) - c.at.gather(free_)) : 0;
        if (!sheet && c.force == Vec3d{} && !(end_gap(c, v, in.h) < near + moved)) continue;
        const auto same = std::lower_bound(by_key_.begin(), by_key_.end(), std::pair(c.key, 0));
        if (same == by_key_.end() || same->first != c.key) {
            found_.contacts.push_back(c);
            continue;
        }
        if (at_end && c.key.kind == ContactKey::node_body && c.force != Vec3d{} &&
            in_a_fold(c, found_.contacts[same->second], in, v))
            found_.contacts.push_back(c);
        // A face that lies over an edge touches on both of its sides, at points of its own.
        if (c.key.kind != ContactKey::face_obstacle) continue;
        const auto begin = found_.contacts.begin();
        if (std::none_of(begin, begin + static_cast<std::ptrdiff_t>(n_found),
                         [&](const Contact& other) {
                             return other.key == c.key && dot(other.normal, c.normal) > same_side;
                         }))
            found_.contacts.push_back(c);
    }
    for (const Contact& c : extra_) {
        const auto same =
            std::find_if(found_.contacts.begin(), found_.contacts.end(), [&](const Contact& other) {
                return other.key == c.key && other.at.n == c.at.n && other.at.node == c.at.node &&
                       dot(other.normal, c.normal) > same_side;
            });
        if (same == found_.contacts.end())
            found_.contacts.push_back(c);
        else
            *same = c;
    }
    extra_.clear();
    thin_out(in, spacing(in), found_.contacts);
    std::swap(set.contacts, found_.contacts);
}

/// Sheets that would go through each other on the way that the step takes at last. What they run
/// into is solved for as well; where that goes on, the step is too long.
ContactMethod::Settled LagrangeContact::sheets_settle(const ContactInput& in,
                                                      std::span<const Vec3d> v, ContactSet& set) {
    find_sheets(in, v, found_);
    ContactSet::Left deepest;
    bool through = false;
    for (const Contact& c : found_.contacts) {
        const double thickness = 0.5 * (in.bodies[c.body].thickness + in.bodies[c.other].thickness);
        const double depth = -end_gap(c, v, in.h);
        if (!(depth > squeezed * thickness)) continue;
        extra_.push_back(c);
        through = through || depth > (c.key.kind == ContactKey::sheet_edges ? 0.5 : 1) * thickness;
        if (depth > deepest.depth) deepest = {depth, c.body, c.other, -1};
    }
    if (!(deepest.depth > 0)) return Settled::yes;
    if (looks_++ < most_looks) return Settled::again;
    if (through && !in.last_try) return Settled::reject;
    if (through && deepest.depth > set.left.depth) {
        set.left = deepest;
        set.max_penetration = std::max(set.max_penetration, deepest.depth);
    }
    return Settled::yes;
}

}  // namespace limber
