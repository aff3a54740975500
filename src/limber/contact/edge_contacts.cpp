// SPDX-License-Identifier: Apache-2.0
// Edge against edge: the second half of BodyContacts.
#include <algorithm>
#include <cmath>

#include "limber/contact/body_contacts.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

constexpr Index edge_queries_per_chunk = 32;
/// Slack of the test that a normal lies between two face normals: about half a degree, so that
/// faces that lie flat on each other do not flicker.
constexpr double arc_slack = 0.01;
/// A vertex in contact holds its edges this far (as a share of their length) beside it, unless they
/// are nearer by more than this share of the thickness.
constexpr double covered_share = 0.25, covered_gap = 0.1;

bool between(const Vec3d& n, const Vec3d& left, const Vec3d& right, const Vec3d& direction) {
    return dot(cross(left, n), direction) > -arc_slack &&
           dot(cross(n, right), direction) > -arc_slack && dot(n, left + right) > 0;
}

}  // namespace

/// Convex edges that stand out: between its end points the surface rises about length * sine / 4
/// over what the vertices alone hold off.
bool BodyContacts::sharp(const Side& side, const Surface& surface, Index edge, double s,
                         double thickness, SharpEdge& out) const {
    const Surface::Edge& e = surface.edges()[edge];
    if (!e.plain) return false;
    const Vec3d along = side.points.at(e.b, s) - side.points.at(e.a, s);
    const Vec3d left = surface.area_normal(side.points, e.left, s);
    const Vec3d right = surface.area_normal(side.points, e.right, s);
    const double length = norm(along), area = norm(left) * norm(right);
    // cross(left, right) is along the edge where it is convex.
    const double sine_length = dot(limber::cross(left, right), along);
    if (!(sine_length > std::max(thickness, 1e-3 * length) * area)) return false;
    out.direction = (1 / length) * along;
    out.left = (1 / norm(left)) * left;
    out.right = (1 / norm(right)) * right;
    out.length = length;
    return true;
}

void BodyContacts::find_edges(const ContactInput& in, const BodyContactOptions& o,
                              ContactSet& out) {
    queries_.clear();
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        const Pair& pair = pairs_[p];
        if (sides_[pair.a].open || sides_[pair.b].open) continue;
        const Side& side = sides_[pair.a];
        const Surface& surface = surfaces_[pair.a];
        const Vec3d& frame = side.points.frame;
        Box3 region = inflated(pair.region, o.thickness);
        const Box3 world = region;
        include(region, Box3{region.lo - in.h * frame, region.hi - in.h * frame});
        const std::size_t first = queries_.size();
        surface.edges_near(region, [&](Index e) {
            const Surface::Edge& edge = surface.edges()[e];
            Box3 path = empty_box();
            for (Index node : {edge.a, edge.b}) {
                include(path, side.points.x[node]);
                if (o.arriving) include(path, side.points.x[node] + in.h * side.points.v[node]);
            }
            SharpEdge unused;
            if (overlap(path, world) && sharp(side, surface, e, 0, o.thickness, unused))
                queries_.push_back({static_cast<Index>(p), false, e});
        });
        std::sort(queries_.begin() + first, queries_.end(),
                  [](const Query& a, const Query& b) { return a.item < b.item; });
    }
    const Index n = static_cast<Index>(queries_.size());
    // First how many each edge has, then where they begin, then the contacts themselves.
    begin_.assign(n + 1, 0);
    parallel_for(n, edge_queries_per_chunk,
                 [&](Index i) { begin_[i + 1] = cross_edges(in, o, queries_[i], out, nullptr); });
    const auto first = static_cast<Index>(out.contacts.size());
    begin_[0] = first;
    for (Index i = 0; i < n; ++i) begin_[i + 1] += begin_[i];
    if (begin_[n] == first) return;
    slots_.resize(std::max<std::size_t>(slots_.size(), begin_[n] - first));
    parallel_for(n, edge_queries_per_chunk, [&](Index i) {
        if (begin_[i + 1] > begin_[i])
            cross_edges(in, o, queries_[i], out, slots_.data() + (begin_[i] - first));
    });
    out.contacts.insert(out.contacts.end(), slots_.begin(), slots_.begin() + (begin_[n] - first));
}

/// Contacts of one edge of a pair's first surface with the edges of its second; into `out` where
/// that is given. The count.
Index BodyContacts::cross_edges(const ContactInput& in, const BodyContactOptions& o,
                                const Query& query, const ContactSet& set, Contact* out) const {
    const Pair& pair = pairs_[query.pair];
    const Side &A = sides_[pair.a], &B = sides_[pair.b];
    const Surface::Edge& edge = surfaces_[pair.a].edges()[query.item];
    MovingPoints moving = A.points;
    moving.frame = B.points.frame;
    const auto path_of = [&](const MovingPoints& p, const Surface::Edge& e) {
        Box3 path = empty_box();
        for (Index node : {e.a, e.b}) {
            include(path, p.x[node]);
            if (o.arriving) include(path, p.at(node, in.h));
        }
        return path;
    };
    const double length = norm(A.points.x[edge.b] - A.points.x[edge.a]);
    const Box3 near = inflated(path_of(moving, edge), std::max(o.thickness, 0.25 * length));
    SharpEdge unused;
    Index n = 0;
    const Surface& surface = surfaces_[pair.b];
    surface.edges_near(near, [&](Index other) {
        if (pair.a == pair.b && other <= query.item) return;
        if (!overlap(near, path_of(B.points, surface.edges()[other]))) return;
        if (!sharp(B, surface, other, 0, o.thickness, unused)) return;
        Contact c;
        if (!cross(in, o, pair, query.item, other, set, c)) return;
        if (out) out[n] = c;
        ++n;
    });
    return n;
}

/// Whether two edges meet in this step; fills `c` if so.
bool BodyContacts::cross(const ContactInput& in, const BodyContactOptions& o, const Pair& pair,
                         Index ea, Index eb, const ContactSet& set, Contact& c) const {
    const Side &A = sides_[pair.a], &B = sides_[pair.b];
    const Surface::Edge &a = surfaces_[pair.a].edges()[ea], &b = surfaces_[pair.b].edges()[eb];
    const std::array<Index, 4> node{a.a, a.b, b.a, b.b};
    if (pair.a == pair.b && !far_at_rest(in, o, a, b)) return false;
    // All in the frame of B; its nodes and those of A, s seconds into the step.
    MovingPoints moving = A.points;
    moving.frame = B.points.frame;
    std::array<Vec3d, 4> x;
    double s = 0;
    const auto place = [&] {
        for (int k = 0; k < 4; ++k) x[k] = k < 2 ? moving.at(node[k], s) : B.points.at(node[k], s);
    };
    place();
    const double d = o.thickness;
    EdgePair at = nearest_on_edges(x[0], x[1], x[2], x[3]);
    const double limit = std::max(
        d, 0.25 * std::sqrt(std::min(squared_norm(x[1] - x[0]), squared_norm(x[3] - x[2]))));
    double distance = edge_distance(x[0], x[1], x[2], x[3]);
    if (distance >= d && o.arriving) {
        double speed = 0;
        for (int i = 0; i < 2; ++i)
            for (int k = 2; k < 4; ++k)
                speed = std::max(speed, norm(A.points.v[node[i]] - B.points.v[node[k]]));
        const bool deep = at.inner && distance < limit;  // may have crossed already
        double t = 0;
        for (int i = 0; i < 64 && distance - d > 0.01 * d + 1e-9 * in.h * speed; ++i) {
            t += (distance - d) / speed;
            if (!(t < in.h)) break;
            s = t;
            place();
            distance = edge_distance(x[0], x[1], x[2], x[3]);
        }
        if (!(t < in.h)) {
            if (!deep) return false;
            s = 0;
            place();
        }
        at = nearest_on_edges(x[0], x[1], x[2], x[3]);
    } else if (distance >= limit) {
        return false;
    }
    if (!at.inner) return false;  // a vertex is nearer
    SharpEdge sa, sb;
    if (!sharp(B, surfaces_[pair.b], eb, s, d, sb) || !sharp(A, surfaces_[pair.a], ea, s, d, sa))
        return false;
    Vec3d normal = limber::cross(sa.direction, sb.direction);
    normal *= 1 / norm(normal);  // not parallel: at.inner
    if (dot(normal, sb.left + sb.right) < 0) normal = -normal;
    if (!between(normal, sb.left, sb.right, sb.direction) ||
        !between(-normal, sa.left, sa.right, sa.direction))
        return false;

    const std::array<double, 4> weight{1 - at.s, at.s, -(1 - at.t), -at.t};
    Vec3d apart{}, u{};
    ContactStencil stencil;
    c.surface_velocity = {};
    for (int k = 0; k < 4; ++k) {
        const Side& side = k < 2 ? A : B;
        apart += weight[k] * side.points.x[node[k]];
        u += weight[k] * side.points.v[node[k]];
        if (side.body < 0) {
            c.surface_velocity -= weight[k] * side.points.v[node[k]];
            continue;
        }
        stencil.node[stencil.n] = node[k];
        stencil.weight[stencil.n++] = weight[k];
    }
    c.gap = dot(normal, apart);
    if (!(o.arriving ? c.gap + in.h * dot(normal, u) < d : c.gap < d)) return false;
    if (c.gap < -limit || covered(pair, ea, eb, at, c.gap + covered_gap * d, set)) return false;
    c.at = stencil;
    c.normal = normal;
    c.key = {ContactKey::edges, A.first_edge + ea, B.first_edge + eb};
    name(in, o, A, B, c);
    return true;
}

/// An end point nearby is in contact with the other surface already, no farther away than `gap`.
bool BodyContacts::covered(const Pair& pair, Index ea, Index eb, const EdgePair& at, double gap,
                           const ContactSet& set) const {
    const Index pair_number = static_cast<Index>(&pair - pairs_.data());
    const Index begin = pair_number == 0 ? begin_vertices_ : pairs_[pair_number - 1].found[1];
    const auto touches = [&](bool turned, Index node) {
        const Side& side = sides_[turned ? pair.b : pair.a];
        const Index key = side.body >= 0 ? node : side.first_corner + node;
        const auto first = set.contacts.begin() + (turned ? pair.found[0] : begin);
        const auto last = set.contacts.begin() + pair.found[turned];
        const auto it = std::lower_bound(
            first, last, key, [](const Contact& c, Index wanted) { return c.key.a < wanted; });
        return it != last && it->key.a == key && it->gap <= gap;
    };
    const bool self = pair.a == pair.b;
    const auto end_of = [](const Surface::Edge& e, double s) {
        return s < covered_share ? e.a : (s > 1 - covered_share ? e.b : -1);
    };
    const Index end_a = end_of(surfaces_[pair.a].edges()[ea], at.s);
    const Index end_b = end_of(surfaces_[pair.b].edges()[eb], at.t);
    return (end_a >= 0 && touches(false, end_a)) || (end_b >= 0 && touches(!self, end_b));
}

bool BodyContacts::far_at_rest(const ContactInput& in, const BodyContactOptions& o,
                               const Surface::Edge& a, const Surface::Edge& b) const {
    if (a.a == b.a || a.a == b.b || a.b == b.a || a.b == b.b) return false;
    const std::span<const Vec3d> x = in.rest.empty() ? in.x : in.rest;
    const double longest = std::max(norm(x[a.b] - x[a.a]), norm(x[b.b] - x[b.a]));
    return edge_distance(x[a.a], x[a.b], x[b.a], x[b.b]) > std::max(2 * o.thickness, longest);
}

}  // namespace limber
