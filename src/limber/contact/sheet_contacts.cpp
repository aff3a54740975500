// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/sheet_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/parallel.h"

namespace limber {
namespace {

constexpr Index sheet_nodes_per_chunk = 64, edges_per_chunk = 128;
/// Of the distance at the start, or of what is kept: nearer than this things have met.
constexpr double touching_share = 0.1;
constexpr int max_sheet_advances = 48;
/// Edges are kept apart by this share of what nodes and faces are: over the bend of a face the
/// nodes beside them are nearer.
constexpr double edge_share = 0.5;

struct Nearest {
    Vec3d apart;  // from the second to the first
    std::array<double, 4> weight{};
    bool inner = true;  // of edges: within both
};

/// A node and a face.
Nearest node_to_face(const std::array<Vec3d, 4>& x) {
    const TrianglePoint q = nearest_on_triangle(x[0], x[1], x[2], x[3]);
    return {x[0] - q.point, {1, -q.weight[0], -q.weight[1], -q.weight[2]}};
}

Nearest edge_to_edge(const std::array<Vec3d, 4>& x) {
    const EdgePair p = nearest_on_edges(x[0], x[1], x[2], x[3]);
    const Vec3d apart = x[0] + p.s * (x[1] - x[0]) - x[2] - p.t * (x[3] - x[2]);
    return {apart, {1 - p.s, p.s, -(1 - p.t), -p.t}, p.inner};
}

bool share_a_node(const std::array<Index, 4>& node, int first) {
    for (int i = 0; i < first; ++i)
        for (int k = first; k < 4; ++k)
            if (node[i] == node[k]) return true;
    return false;
}

}  // namespace

bool SheetContacts::any(const ContactInput& in, const Options& options) {
    std::size_t n = 0;
    for (const ContactSurface& body : in.bodies) n += body.open;
    return (options.self && n > 0) || (options.sheets && n > 1);
}

void SheetContacts::prepare(const ContactInput& in) {
    std::size_t n = 0;
    bool same = true;
    for (const ContactSurface& body : in.bodies) {
        if (!body.open) continue;
        same = same && n < built_of_.size() && built_of_[n] == body.triangles.data();
        ++n;
    }
    if (same && n == built_of_.size()) return;
    sheets_.clear();
    built_of_.clear();
    const std::span<const Vec3d> rest = in.rest.empty() ? in.x : in.rest;
    Index edges = 0;
    for (std::size_t i = 0; i < in.bodies.size(); ++i) {
        if (!in.bodies[i].open) continue;
        Sheet& sheet = sheets_.emplace_back();
        sheet.body = static_cast<Index>(i);
        sheet.half = 0.5 * in.bodies[i].thickness;
        sheet.first_edge = edges;
        sheet.surface.build(in.bodies[i].triangles, rest);
        edges += static_cast<Index>(sheet.surface.edges().size());
        built_of_.push_back(in.bodies[i].triangles.data());
    }
}

bool SheetContacts::wanted(const ContactInput& in, const Options& options, Index a, Index b) const {
    if (a == b ? !options.self : !options.sheets) return false;
    if (in.filter && in.filter->bodies(sheets_[a].body, sheets_[b].body)) return false;
    return a == b || overlap(inflated(sheets_[a].surface.box(), options.alarm + sheets_[a].half),
                             inflated(sheets_[b].surface.box(), sheets_[b].half));
}

/// Follows the pair; false where it stays out of the alarm distance. Comparisons are false for
/// positions that are not finite.
bool SheetContacts::meet(const ContactInput& in, const std::array<Index, 4>& node, bool edges,
                         double kept, double alarm, Approach& out) const {
    const int first = edges ? 2 : 1;  // nodes of the first thing
    const auto nearest = edges ? edge_to_edge : node_to_face;
    std::array<Vec3d, 4> x;
    double speed = 0;
    for (int k = 0; k < 4; ++k) x[k] = in.x[node[k]];
    for (int i = 0; i < first; ++i)
        for (int k = first; k < 4; ++k)
            speed = std::max(speed, squared_norm(in.v[node[i]] - in.v[node[k]]));
    speed = std::sqrt(speed);
    const auto distance = [&](const Nearest& n) {
        return n.inner ? norm(n.apart) : edge_distance(x[0], x[1], x[2], x[3]);
    };
    Nearest near = nearest(x);
    double d = distance(near);
    const double start = d;
    if (!(start - in.h * speed < kept + alarm)) return false;

    const std::span<const Vec3d> rest = in.rest.empty() ? in.x : in.rest;
    for (int k = 0; k < 4; ++k) x[k] = rest[node[k]];
    const double at_rest = 0.5 * distance(nearest(x));
    kept = std::min(kept, at_rest);
    alarm = std::min(alarm, at_rest);

    const double touching = touching_share * std::min(start, kept);
    double s = 0;
    out.meets = d <= touching;
    for (int i = 0; i < max_sheet_advances && !out.meets; ++i) {
        s += (d - touching) / speed;
        if (!(s < in.h)) break;
        for (int k = 0; k < 4; ++k) x[k] = in.x[node[k]] + s * in.v[node[k]];
        near = nearest(x);
        d = distance(near);
        // A path that grazes to the last is a meeting too.
        out.meets = d <= (1 + touching_share) * touching || i + 1 == max_sheet_advances;
    }
    if (!out.meets) {
        s = in.h;
        for (int k = 0; k < 4; ++k) x[k] = in.x[node[k]] + s * in.v[node[k]];
        near = nearest(x);
        d = distance(near);
    }
    if (!near.inner || !(d > 0)) return false;
    out.when = s;
    out.normal = (1 / d) * near.apart;
    out.n = 0;
    Vec3d apart{}, u{};
    for (int k = 0; k < 4; ++k) {
        if (near.weight[k] == 0) continue;
        apart += near.weight[k] * in.x[node[k]];
        u += near.weight[k] * in.v[node[k]];
        out.node[out.n] = node[k];
        out.weight[out.n++] = near.weight[k];
    }
    out.gap = dot(out.normal, apart) - kept;
    // Where they have turned so much that they are on the wrong side of each other at the start:
    // the way from one place to the other, along which they are not. To stay where one is solves
    // for all contacts then.
    if (const double way = norm(apart); out.gap < std::min(0.0, start - kept) && way > 0) {
        out.normal = (1 / way) * apart;
        out.gap = way - kept;
    }
    out.end_gap = out.gap + in.h * dot(out.normal, u);
    return out.end_gap < alarm;
}

Contact SheetContacts::contact_of(const Options& options, const Approach& a, Index from,
                                  Index to) const {
    Contact c;
    c.at = {a.node, a.weight, a.n};
    c.body = sheets_[from].body;
    c.other = sheets_[to].body;
    c.normal = a.normal;
    c.gap = a.gap;
    c.friction = options.friction;
    return c;
}

/// Contacts of a node with the faces of a sheet, one on either side of its own; how many.
int SheetContacts::meet_faces(const ContactInput& in, const Options& options, const Query& query,
                              Contact* out) const {
    const Sheet &A = sheets_[query.from], &B = sheets_[query.to];
    const double kept = A.half + B.half;
    const Index node = query.item;
    Box3 path = empty_box();
    include(path, in.x[node]);
    include(path, A.points.at(node, in.h));
    Approach best[2];
    bool any[2] = {false, false};
    const Vec3d up = A.surface.node_normal(A.points, node);
    B.surface.triangles_near(inflated(path, kept + options.alarm), [&](Index t) {
        const auto& [a, b, c] = B.surface.triangles()[t];
        if (a == node || b == node || c == node) return;
        Approach now;
        if (!meet(in, {node, a, b, c}, false, kept, options.alarm, now)) return;
        const int side = dot(now.normal, up) < 0;
        Approach& before = best[side];
        const bool first = !any[side] || now.meets > before.meets ||
                           (now.meets == before.meets &&
                            (now.meets ? now.when < before.when : now.end_gap < before.end_gap));
        if (first) before = now;
        any[side] = true;
    });
    int n = 0;
    for (const int side : {0, 1}) {
        if (!any[side]) continue;
        out[n] = contact_of(options, best[side], query.from, query.to);
        out[n++].key = {ContactKey::sheet_node, node, 2 * B.body + side};
    }
    return n;
}

int SheetContacts::meet_edges(const ContactInput& in, const Options& options, const Query& query,
                              std::vector<Contact>& out) const {
    const Sheet &A = sheets_[query.from], &B = sheets_[query.to];
    const double kept = edge_share * (A.half + B.half);
    const Surface::Edge& edge = A.surface.edges()[query.item];
    const auto path_of = [&](const Sheet& sheet, const Surface::Edge& e) {
        Box3 path = empty_box();
        for (const Index node : {e.a, e.b}) {
            include(path, in.x[node]);
            include(path, sheet.points.at(node, in.h));
        }
        return path;
    };
    const double zone = kept + (options.every_edge ? options.alarm : 0.0);
    const Box3 path = inflated(path_of(A, edge), zone);
    int n = 0;
    B.surface.edges_near(path, [&](Index other) {
        const Surface::Edge& b = B.surface.edges()[other];
        if (query.from == query.to && other <= query.item) return;
        const std::array<Index, 4> node{edge.a, edge.b, b.a, b.b};
        if (share_a_node(node, 2) || !overlap(path, path_of(B, b))) return;
        const ContactKey key{ContactKey::sheet_edges, A.first_edge + query.item,
                             B.first_edge + other};
        Approach now;
        if (!meet(in, node, true, kept, zone - kept, now)) return;
        if (!options.every_edge && !(now.meets && now.end_gap < 0)) return;
        out.push_back(contact_of(options, now, query.from, query.to));
        out.back().key = key;
        ++n;
    });
    return n;
}

void SheetContacts::find(const ContactInput& in, const Options& options, ContactSet& out) {
    if (!any(in, options)) return;
    prepare(in);
    // One frame for all, so that a fall in common makes no boxes long.
    Vec3d frame{};
    double count = 0;
    for (const Sheet& sheet : sheets_)
        for (const Index node : sheet.surface.nodes()) {
            frame += in.v[node];
            ++count;
        }
    frame *= count > 0 ? 1 / count : 0.0;
    for (Sheet& sheet : sheets_) {
        sheet.points = {in.x, in.v, frame};
        sheet.surface.refit(sheet.points, in.h);
    }

    queries_.clear();
    const Index n_sheets = static_cast<Index>(sheets_.size());
    for (Index from = 0; from < n_sheets; ++from)
        for (Index to = 0; to < n_sheets; ++to)
            if (wanted(in, options, from, to))
                for (const Index node : sheets_[from].surface.nodes())
                    queries_.push_back({from, to, node});
    Index n = static_cast<Index>(queries_.size());
    slots_.resize(std::max<std::size_t>(slots_.size(), 2 * queries_.size()));
    found_.assign(n, 0);
    parallel_for(n, sheet_nodes_per_chunk, [&](Index i) {
        found_[i] = static_cast<std::uint8_t>(
            meet_faces(in, options, queries_[i], slots_.data() + 2 * std::size_t(i)));
    });
    for (Index i = 0; i < n; ++i)
        for (int k = 0; k < found_[i]; ++k) out.contacts.push_back(slots_[2 * std::size_t(i) + k]);

    queries_.clear();
    for (Index from = 0; from < n_sheets; ++from)
        for (Index to = from; to < n_sheets; ++to)
            if (wanted(in, options, from, to))
                for (Index e = 0; e < std::ssize(sheets_[from].surface.edges()); ++e)
                    queries_.push_back({from, to, e});
    n = static_cast<Index>(queries_.size());
    chunks_.resize((n + edges_per_chunk - 1) / edges_per_chunk);
    parallel_ranges(n, edges_per_chunk, [&](Index begin, Index end) {
        std::vector<Contact>& chunk = chunks_[begin / edges_per_chunk];
        chunk.clear();
        for (Index i = begin; i < end; ++i) meet_edges(in, options, queries_[i], chunk);
    });
    for (const std::vector<Contact>& chunk : chunks_)
        out.contacts.insert(out.contacts.end(), chunk.begin(), chunk.end());
}

}  // namespace limber
