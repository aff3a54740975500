// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/body_contacts.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

constexpr Index queries_per_chunk = 32;
/// A vertex that comes this close (as a share of the thickness) hits; others slide.
constexpr double hit_share = 0.1;

/// A box that stands still in the world, seen in the course of a step from a moving frame.
Box3 seen_from(const Box3& box, const Vec3d& frame, double h) {
    Box3 out = box;
    include(out, Box3{box.lo - h * frame, box.hi - h * frame});
    return out;
}

}  // namespace

void BodyContacts::find(const ContactInput& in, const BodyContactOptions& options,
                        ContactSet& out) {
    prepare(in);
    const bool any = surfaces_.size() > in.bodies.size() ||
                     (options.bodies && in.bodies.size() > 1) || (options.self && !sides_.empty());
    if (!any) return;
    move_obstacles(in);
    parallel_chunks(static_cast<Index>(sides_.size()),
                    [&](Index i) { bound(in, options, sides_[i], surfaces_[i]); });
    find_pairs(in, options);
    if (pairs_.empty()) return;
    parallel_chunks(static_cast<Index>(sides_.size()), [&](Index i) {
        Side& side = sides_[i];
        if (!side.wanted) return;
        if (side.obstacle >= 0) {
            MeshObstacle& o = obstacles_[i - in.bodies.size()];
            if (o.fitted) return;
            o.fitted = true;
        }
        surfaces_[i].refit(side.points, in.h);
    });
    find_vertices(in, options, out);
    find_edges(in, options, out);
}

/// Builds the surfaces where the input is not the one of the last call.
void BodyContacts::prepare(const ContactInput& in) {
    std::size_t n = 0;
    bool same = true;
    const auto next = [&](const Triangle* first) {
        same = same && n < built_of_.size() && built_of_[n] == first;
        if (!same) {
            built_of_.resize(n);
            built_of_.push_back(first);
        }
        ++n;
    };
    for (const ContactSurface& body : in.bodies) next(body.triangles.data());
    for (const Obstacle& o : in.obstacles)
        if (const auto* mesh = std::get_if<MeshShape>(&o.shape)) next(mesh->mesh.triangles.data());
    if (same && n == built_of_.size() && n == surfaces_.size()) return;
    built_of_.resize(n);

    surfaces_.assign(n, {});
    sides_.assign(n, {});
    obstacles_.clear();
    const std::span<const Vec3d> rest = in.rest.empty() ? in.x : in.rest;
    for (std::size_t i = 0; i < in.bodies.size(); ++i) {
        surfaces_[i].build(in.bodies[i].triangles, rest);
        sides_[i].body = static_cast<Index>(i);
        sides_[i].open = in.bodies[i].open;
    }
    Index corners = 0;
    for (std::size_t o = 0, i = in.bodies.size(); o < in.obstacles.size(); ++o) {
        const auto* shape = std::get_if<MeshShape>(&in.obstacles[o].shape);
        if (!shape) continue;
        surfaces_[i].build(shape->mesh.triangles, shape->mesh.nodes);
        sides_[i].obstacle = static_cast<Index>(o);
        sides_[i].first_corner = corners;
        corners += shape->mesh.n_nodes();
        obstacles_.push_back(
            {shape->mesh.nodes, std::vector<Vec3d>(shape->mesh.nodes.size()), {}, {}, false});
        ++i;
    }
    Index edges = 0;
    for (std::size_t i = 0; i < n; ++i) {
        Side& side = sides_[i];
        const std::span<const Vec3d> x = side.body >= 0 ? rest : obstacles_[i - in.bodies.size()].x;
        double sum = 0;
        for (const Surface::Edge& e : surfaces_[i].edges()) sum += norm(x[e.b] - x[e.a]);
        side.cell = surfaces_[i].edges().empty() ? 0 : sum / double(surfaces_[i].edges().size());
        side.first_edge = edges;
        edges += static_cast<Index>(surfaces_[i].edges().size());
    }
    const std::size_t room = in.surface_nodes.size();
    queries_.reserve(2 * room);
    slots_.reserve(2 * room);
    found_.reserve(2 * room);
}

/// Corners of the mesh obstacles in the world, and where they go.
void BodyContacts::move_obstacles(const ContactInput& in) {
    for (std::size_t k = 0; k < obstacles_.size(); ++k) {
        MeshObstacle& m = obstacles_[k];
        const Obstacle& o = in.obstacles[sides_[in.bodies.size() + k].obstacle];
        const std::vector<Vec3d>& local = std::get<MeshShape>(o.shape).mesh.nodes;
        const ObstaclePose start = pose_at(o, in.time), end = pose_at(o, in.time + in.h);
        const bool still = start == end;
        if (still && m.fitted && start == m.start && end == m.end) continue;
        m.fitted = false;
        m.start = start;
        m.end = end;
        parallel_for(static_cast<Index>(local.size()), 1024, [&](Index i) {
            m.x[i] = start.rotation * local[i] + start.position;
            m.v[i] = still ? Vec3d{} : carried_velocity(start, end, m.x[i], in.h);
        });
    }
}

/// Mean velocity, spread and box of one surface: the only pass over all nodes when nothing is near.
void BodyContacts::bound(const ContactInput& in, const BodyContactOptions& o, Side& side,
                         Surface& surface) {
    side.wanted = false;
    side.points = {in.x, in.v, {}};
    if (side.obstacle >= 0) {
        const MeshObstacle& m = obstacles_[&side - sides_.data() - in.bodies.size()];
        side.points = {m.x, m.v, {}};
    }
    const auto& [x, v, frame] = side.points;
    Vec3d sum{};
    Box3 now = empty_box(), later = empty_box();
    for (Index i : surface.nodes()) {
        sum += v[i];
        include(now, x[i]);
        include(later, x[i] + in.h * v[i]);
    }
    const Vec3d mean =
        surface.nodes().empty() ? Vec3d{} : (1.0 / double(surface.nodes().size())) * sum;
    double spread = 0;
    for (Index i : surface.nodes()) spread = std::max(spread, squared_norm(v[i] - mean));
    side.points.frame = mean;
    side.spread = std::sqrt(spread);
    const Vec3d size = now.size();
    side.depth = 0.5 * std::min({size.x, size.y, size.z});
    side.box = now;
    if (o.arriving) include(side.box, later);
    side.box = inflated(side.box, 0.5 * o.thickness);
}

/// Pairs of overlapping boxes, by a sweep along x; in the order of their sides.
void BodyContacts::find_pairs(const ContactInput& in, const BodyContactOptions& o) {
    const auto ignored = [&](const Side& a, const Side& b) {
        if (!in.filter) return false;
        if (a.body >= 0 && b.body >= 0) return in.filter->bodies(a.body, b.body);
        return in.filter->obstacle(std::max(a.body, b.body), std::max(a.obstacle, b.obstacle));
    };
    pairs_.clear();
    by_x_.clear();
    for (std::size_t i = 0; i < sides_.size(); ++i) by_x_.push_back(static_cast<Index>(i));
    std::sort(by_x_.begin(), by_x_.end(), [&](Index s, Index t) {
        return std::pair(sides_[s].box.lo.x, s) < std::pair(sides_[t].box.lo.x, t);
    });
    for (std::size_t i = 0; i < by_x_.size(); ++i) {
        const Index s = by_x_[i];
        if (o.self && sides_[s].body >= 0 && !sides_[s].open && !ignored(sides_[s], sides_[s]))
            pairs_.push_back({s, s, sides_[s].box, {}});
        for (std::size_t k = i + 1; k < by_x_.size(); ++k) {
            const Index t = by_x_[k];
            const Side &a = sides_[s], &b = sides_[t];
            if (!(b.box.lo.x <= a.box.hi.x)) break;
            if (!overlap(a.box, b.box)) continue;
            if (a.obstacle >= 0 && b.obstacle >= 0) continue;
            if (a.open && b.open) continue;
            if (a.body >= 0 && b.body >= 0 && !o.bodies) continue;
            if (ignored(a, b)) continue;
            Box3 region;
            for (int axis = 0; axis < 3; ++axis) {
                region.lo[axis] = std::max(a.box.lo[axis], b.box.lo[axis]);
                region.hi[axis] = std::min(a.box.hi[axis], b.box.hi[axis]);
            }
            pairs_.push_back({std::min(s, t), std::max(s, t), region, {}});
        }
    }
    std::sort(pairs_.begin(), pairs_.end(), [](const Pair& p, const Pair& q) {
        return std::pair(p.a, p.b) < std::pair(q.a, q.b);
    });
    for (const Pair& pair : pairs_) sides_[pair.a].wanted = sides_[pair.b].wanted = true;
}

void BodyContacts::find_vertices(const ContactInput& in, const BodyContactOptions& o,
                                 ContactSet& out) {
    queries_.clear();
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        Pair& pair = pairs_[p];
        for (bool turned : {false, true}) {
            if (turned && pair.a == pair.b) continue;
            const Index from = turned ? pair.b : pair.a, to = turned ? pair.a : pair.b;
            if (sides_[to].open) continue;
            const Side& side = sides_[from];
            const std::size_t first = queries_.size();
            surfaces_[from].nodes_near(
                seen_from(inflated(pair.region, o.thickness), side.points.frame, in.h),
                [&](Index node) {
                    Box3 path{side.points.x[node], side.points.x[node]};
                    if (o.arriving) include(path, path.lo + in.h * side.points.v[node]);
                    if (overlap(inflated(path, 0.5 * o.thickness), pair.region))
                        queries_.push_back({static_cast<Index>(p), turned, node});
                });
            std::sort(queries_.begin() + first, queries_.end(),
                      [](const Query& a, const Query& b) { return a.item < b.item; });
        }
    }
    const Index n = static_cast<Index>(queries_.size());
    found_.resize(n);
    slots_.resize(n);
    depth_.assign((n + queries_per_chunk - 1) / queries_per_chunk, 0.0);
    parallel_for(n, queries_per_chunk, [&](Index i) {
        found_[i] = meet(in, o, queries_[i], slots_[i], depth_[i / queries_per_chunk]);
    });
    for (double depth : depth_) out.max_penetration = std::max(out.max_penetration, depth);

    Index i = 0;
    begin_vertices_ = static_cast<Index>(out.contacts.size());
    for (std::size_t p = 0; p < pairs_.size(); ++p)
        for (bool turned : {false, true}) {
            for (; i < n && queries_[i].pair == Index(p) && queries_[i].turned == turned; ++i)
                if (found_[i]) out.contacts.push_back(slots_[i]);
            pairs_[p].found[turned] = static_cast<Index>(out.contacts.size());
        }
}

/// Whether the vertex meets the other surface in this step; fills `c` if so.
bool BodyContacts::meet(const ContactInput& in, const BodyContactOptions& o, const Query& query,
                        Contact& c, double& depth) const {
    const Pair& pair = pairs_[query.pair];
    const Index from = query.turned ? pair.b : pair.a, to = query.turned ? pair.a : pair.b;
    const Side &A = sides_[from], &B = sides_[to];
    const Surface& surface = surfaces_[to];
    const double d = o.thickness;
    const Vec3d &p = A.points.x[query.item], &v = A.points.v[query.item];
    const double reach = o.arriving ? in.h * (norm(v - B.points.frame) + B.spread) : 0;
    Surface::Nearest near;
    if (from == to) {
        const Vec3d outward = surface.node_normal(A.points, query.item);
        near = surface.nearest(B.points, p, 0, d + std::max(reach, 0.5 * B.cell), [&](Index t) {
            return dot(outward, surface.area_normal(B.points, t)) < 0 &&
                   far_at_rest(in, o, to, query.item, t);
        });
    } else {
        near = surface.nearest(B.points, p, 0, d + reach);
        // Nothing nearby: far outside, as most are, or deep inside.
        if (near.triangle < 0 && surface.encloses(B.points, p))
            near = surface.nearest(B.points, p, 0, B.depth);
    }
    if (near.triangle < 0) return false;
    Vec3d pseudo = surface.pseudonormal(B.points, near), normal = p - near.at.point;
    const bool inside = dot(normal, pseudo) < 0;
    if (inside && from != to && !A.open && nearer_its_back(A, B, query.item, pseudo, near)) {
        pseudo = surface.pseudonormal(B.points, near);
        normal = p - near.at.point;
    }
    if (inside) depth = std::max(depth, near.distance);
    const double touching = hit_share * d;
    const bool moving = o.arriving && from != to && reach > touching;
    if (inside || !moving || near.distance < touching) {
        if (!inside && near.distance >= d + reach) return false;
        // Next to the surface the way to it has no direction. Where the vertex stands beside an
        // edge or a corner, as those of stacked boxes do, it is carried by the face that it faces.
        const bool touches = near.distance <= touching && from != to && !A.open;
        if (touches) {
            near = surface.facing(B.points, p, touching,
                                  -surfaces_[from].node_normal(A.points, query.item));
            normal = surface.area_normal(B.points, near.triangle);
        } else if (near.distance > 0.01 * d + 1e-12) {
            normal = (inside ? -1.0 : 1.0) * normal;
        } else {
            normal = pseudo;
        }
    } else if (near.distance >= d + reach) {
        return false;
    } else if (!follow(in, to, p, v, touching, near, normal)) {
        // Slides or passes by: the surface as it is at the end, so that no bend on the way counts.
        const Vec3d end = p + in.h * (v - B.points.frame);
        near = surface.nearest(B.points, end, in.h, d);
        if (near.triangle < 0) return false;
        normal = end - near.at.point;
    }
    const double length = norm(normal);
    if (!(length > 0)) return false;
    normal *= 1 / length;

    const Triangle& face = surface.triangles()[near.triangle];
    Vec3d foot{}, foot_velocity{};
    ContactStencil stencil;
    const auto add = [&](Index node, double weight) {
        stencil.node[stencil.n] = node;
        stencil.weight[stencil.n++] = weight;
    };
    if (A.body >= 0) add(query.item, 1);
    for (int k = 0; k < 3; ++k) {
        const double w = near.at.weight[k];
        if (w == 0) continue;
        foot += w * B.points.x[face[k]];
        foot_velocity += w * B.points.v[face[k]];
        if (B.body >= 0) add(face[k], A.body >= 0 ? -w : w);
    }
    c.gap = dot(normal, p - foot);
    if (o.arriving && !(c.gap + in.h * dot(normal, v - foot_velocity) < d)) return false;
    c.at = stencil;
    c.normal = A.body >= 0 ? normal : -normal;
    c.surface_velocity = A.body < 0 ? v : (B.body < 0 ? foot_velocity : Vec3d{});
    name(in, o, A, B, c);
    c.key = A.body < 0 ? ContactKey{ContactKey::obstacle_node, A.first_corner + query.item, B.body}
            : B.body < 0 ? ContactKey{ContactKey::node_obstacle, query.item, B.obstacle}
                         : ContactKey{ContactKey::node_body, query.item, B.body};
    return true;
}

/// Whether a vertex inside is more than half way through a thin body, so that the nearest way out
/// is through its back; `near` becomes the way out by the nearest face that the vertex looks at.
/// But where its own body is the thinner of the two the vertex is on the back of that, with its own
/// front beyond: it goes out the nearest way.
bool BodyContacts::nearer_its_back(const Side& A, const Side& B, Index node, const Vec3d& pseudo,
                                   Surface::Nearest& near) const {
    const Surface &own = surfaces_[&A - sides_.data()], &other = surfaces_[&B - sides_.data()];
    const Vec3d outward = own.node_normal(A.points, node);
    if (!(dot(outward, pseudo) > 0)) return false;
    const Vec3d& p = A.points.x[node];
    const auto faced = [&](const Surface& surface, const MovingPoints& points, double limit) {
        return surface.nearest(points, p, 0, limit, [&](Index t) {
            return dot(outward, surface.area_normal(points, t)) < 0;
        });
    };
    const Surface::Nearest front = faced(other, B.points, 2 * B.depth);
    if (front.triangle < 0) return false;
    if (faced(own, A.points, front.distance).triangle >= 0) return false;
    near = front;
    return true;
}

/// Bodies, obstacle and friction of a contact whose positive side is `from` where that is a body.
void BodyContacts::name(const ContactInput& in, const BodyContactOptions& o, const Side& from,
                        const Side& to, Contact& c) const {
    c.body = from.body >= 0 ? from.body : to.body;
    c.obstacle = std::max(from.obstacle, to.obstacle);
    c.other = c.obstacle >= 0 ? -1 : to.body;
    c.friction = o.friction;
    if (c.obstacle >= 0 && in.obstacles[c.obstacle].friction >= 0)
        c.friction = in.obstacles[c.obstacle].friction;
    c.force = {};
}

/// Follows a point that is farther than `touching` along its path until it is not; false where that
/// does not happen within the step. No step is longer than what the fastest approach needs to close
/// the gap. A path that still grazes the surface after the last one counts as a hit: its normal
/// speed there is next to nothing, and so is the force. `normal` is not normalised.
bool BodyContacts::follow(const ContactInput& in, Index to, const Vec3d& p, const Vec3d& velocity,
                          double touching, Surface::Nearest& near, Vec3d& normal) const {
    const Side& B = sides_[to];
    const Vec3d u = velocity - B.points.frame;
    const double speed = norm(u) + B.spread;
    const double close_enough = 0.1 * touching + 1e-9 * in.h * speed;
    double s = 0;
    for (int i = 0; i < 64; ++i) {
        s += (near.distance - touching) / speed;
        if (!(s < in.h)) return false;
        near = surfaces_[to].nearest(B.points, p + s * u, s,
                                     touching + speed * (in.h - s) + close_enough);
        if (near.triangle < 0) return false;
        if (near.distance - touching < close_enough) break;
    }
    normal = p + s * u - near.at.point;
    if (!(norm(normal) > 0)) normal = surfaces_[to].area_normal(B.points, near.triangle, s);
    return true;
}

/// Neighbours on the surface are close for ever; only what the contact zone does not reach at rest
/// can come into contact. Behind the face, through the material, an edge length is as near.
bool BodyContacts::far_at_rest(const ContactInput& in, const BodyContactOptions& o, Index side,
                               Index node, Index triangle) const {
    const auto& [a, b, c] = surfaces_[side].triangles()[triangle];
    if (a == node || b == node || c == node) return false;
    const std::span<const Vec3d> x = in.rest.empty() ? in.x : in.rest;
    const Vec3d away = x[node] - nearest_on_triangle(x[node], x[a], x[b], x[c]).point;
    double zone = 2 * o.thickness;
    if (!(dot(away, limber::cross(x[b] - x[a], x[c] - x[a])) > 0))
        zone =
            std::max(zone, std::sqrt(std::max({squared_norm(x[b] - x[a]), squared_norm(x[c] - x[b]),
                                               squared_norm(x[a] - x[c])})));
    return squared_norm(away) > zone * zone;
}

}  // namespace limber
