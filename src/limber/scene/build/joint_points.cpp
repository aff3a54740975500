// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/joint_points.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/mesh/embedding.h"
#include "limber/mesh/triangle_bvh.h"

namespace limber {

namespace {

/// Four nodes far from one plane: each the farthest from what the earlier ones span.
Tet spread_nodes(std::span<const Vec3d> x, const Body& body) {
    Tet out{};
    const auto farthest = [&](auto measure) {
        Index best = body.node_begin;
        double most = -1;
        for (Index i = body.node_begin; i < body.node_end; ++i)
            if (const double m = measure(x[i]); m > most) {
                most = m;
                best = i;
            }
        return best;
    };
    const Vec3d first = x[body.node_begin];
    out[0] = farthest([&](const Vec3d& p) { return norm(p - first); });
    const Vec3d a = x[out[0]];
    out[1] = farthest([&](const Vec3d& p) { return norm(p - a); });
    const Vec3d ab = x[out[1]] - a;
    out[2] = farthest([&](const Vec3d& p) { return norm(cross(ab, p - a)); });
    const Vec3d n = cross(ab, x[out[2]] - a);
    out[3] = farthest([&](const Vec3d& p) { return std::abs(dot(n, p - a)); });
    return out;
}

}  // namespace

JointPoints::JointPoints(const SceneDef& scene, const Model& model)
    : scene_(scene), model_(model) {}
JointPoints::~JointPoints() = default;

JointSide JointPoints::side(const std::string& name) const {
    JointSide out;
    if (name.empty()) return out;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
        if (scene_.bodies[i].name == name) out.body = static_cast<Index>(i);
    for (std::size_t i = 0; i < scene_.obstacles.size(); ++i)
        if (scene_.obstacles[i].name && *scene_.obstacles[i].name == name)
            out.obstacle = static_cast<Index>(i);
    LIMBER_CHECK(out.body >= 0 || out.obstacle >= 0, "check_joints lets no unknown name pass");
    return out;
}

std::string JointPoints::side_text(const JointSide& side) const {
    if (side.body >= 0) return "body '" + model_.bodies[side.body].name + "'";
    if (side.obstacle >= 0) return "obstacle '" + model_.obstacles[side.obstacle].name + "'";
    return "a fixed place";
}

JointPoint JointPoints::node(Index body, Index node) const {
    JointPoint out;
    out.at = ContactStencil::of_node(node);
    out.body = body;
    return out;
}

const JointPoints::Soft& JointPoints::soft(Index b) {
    const auto [it, fresh] = soft_.try_emplace(b);
    if (!fresh) return it->second;
    const Body& body = model_.bodies[b];
    TetMesh& mesh = it->second.mesh;
    mesh.nodes.assign(model_.mesh.nodes.begin() + body.node_begin,
                      model_.mesh.nodes.begin() + body.node_end);
    for (Index t = body.tet_begin; t < body.tet_end; ++t) {
        Tet tet = model_.mesh.tets[t];
        for (Index& node : tet) node -= body.node_begin;
        mesh.tets.push_back(tet);
    }
    TriMesh surface{mesh.nodes, body.surface};
    for (Triangle& t : surface.triangles)
        for (Index& node : t) node -= body.node_begin;
    it->second.surface = std::make_unique<TriangleBvh>(surface);
    return it->second;
}

/// Affine weights on four nodes: exact under every rigid motion.
JointPoint JointPoints::on_rigid(Index b, const Vec3d& p) const {
    const std::vector<Vec3d>& x = model_.mesh.nodes;
    const Tet n = spread_nodes(x, model_.bodies[b]);
    const Vec3d &a = x[n[0]], &q = x[n[1]], &c = x[n[2]], &d = x[n[3]];
    const double volume = tet_volume(a, q, c, d);
    LIMBER_CHECK(volume != 0, "a rigid body has a volume");
    JointPoint out;
    out.body = b;
    out.at.n = 4;
    out.at.node = n;
    out.at.weight = {0, tet_volume(a, p, c, d) / volume, tet_volume(a, q, p, d) / volume,
                     tet_volume(a, q, c, p) / volume};
    out.at.weight[0] = 1 - out.at.weight[1] - out.at.weight[2] - out.at.weight[3];
    return out;
}

std::vector<JointPoint> JointPoints::at(const JointSide& side, const std::vector<Vec3d>& places) {
    std::vector<JointPoint> out;
    if (side.body >= 0 && !model_.bodies[side.body].rigid) {
        const Index begin = model_.bodies[side.body].node_begin;
        const Embedding where = embed(soft(side.body).mesh, places);
        for (std::size_t i = 0; i < places.size(); ++i) {
            JointPoint p;
            p.body = side.body;
            for (int k = 0; k < 4; ++k) {
                // A corner that carries nothing would only make the row longer.
                if (std::abs(where.weights[i][k]) < 1e-12) continue;
                p.at.node[p.at.n] = begin + where.corners[i][k];
                p.at.weight[p.at.n++] = where.weights[i][k];
            }
            out.push_back(p);
        }
        return out;
    }
    for (const Vec3d& place : places) {
        if (side.body >= 0) {
            out.push_back(on_rigid(side.body, place));
            continue;
        }
        JointPoint p;
        p.obstacle = side.obstacle;
        p.place = place;
        if (side.obstacle >= 0) {  // back to before its motion
            p.motion = model_.obstacles[side.obstacle].motion;
            const Vec3d moved = place - p.motion.center - p.motion.translate.value(0);
            if (!p.motion.still())
                p.place = p.motion.center + transpose(p.motion.rotation(0)) * moved;
        }
        out.push_back(p);
    }
    return out;
}

double JointPoints::outside(const JointSide& side, const Vec3d& place) {
    if (side.body < 0 || model_.bodies[side.body].rigid) return 0;
    const TriangleBvh& surface = *soft(side.body).surface;
    if (surface.winding_number(place) > 0.5) return 0;
    return surface.closest(place).distance;
}

double JointPoints::size(Index b) const {
    const Body& body = model_.bodies[b];
    return norm(
        bounding_box(
            std::span(model_.mesh.nodes).subspan(body.node_begin, body.node_end - body.node_begin))
            .size());
}

}  // namespace limber
