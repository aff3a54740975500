// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/check/first_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "limber/contact/lowest_point.h"
#include "limber/solve/descent/options.h"

namespace limber {

namespace {

Box3 box_of(const Model& model, const Body& body) {
    return bounding_box(
        std::span(model.mesh.nodes).subspan(body.node_begin, body.node_end - body.node_begin));
}

double thickness_of(const Box3& box) {
    const Vec3d size = box.size();
    return std::min({size.x, size.y, size.z});
}

bool held(const Model& model, const Body& body) {
    for (Index i = body.node_begin; i < body.node_end; ++i)
        if (model.free[i] != Vec3d{1, 1, 1}) return true;
    return false;
}

/// Whether contact is looked for at all.
bool touches(const SceneDef& scene) {
    return contact_entry(scene.contact.options.name).acts && scene.time.analysis != Analysis::modal;
}

/// What of a body's surface lies inside an obstacle. Nodes that pins hold are where the user put
/// them.
struct NodesInside {
    Index n_nodes = 0, n_surface = 0;
    double depth = 0;  // [m]
    Vec3d where{};     // of the deepest
};
NodesInside inside(const Model& model, const Body& body, const Obstacle& obstacle,
                   double tolerance) {
    NodesInside out;
    for (Index i : body.surface_nodes) {
        if (!body.rigid && model.free[i] != Vec3d{1, 1, 1}) continue;
        ++out.n_surface;
        const double depth = -sample(obstacle, model.mesh.nodes[i], 0).distance;
        if (!(depth > tolerance)) continue;
        ++out.n_nodes;
        if (depth > out.depth) {
            out.depth = depth;
            out.where = model.mesh.nodes[i];
        }
    }
    return out;
}

/// The deepest point of a body's faces in an obstacle that no node of theirs is in: a post through
/// the middle of a face.
struct FaceInside {
    double depth = 0;  // [m]
    Vec3d where{};
};
FaceInside face_inside(const Model& model, const Body& body, const Obstacle& obstacle) {
    FaceInside out;
    if (std::holds_alternative<PlaneShape>(obstacle.shape)) return out;
    const ObstaclePose pose = pose_at(obstacle, 0);
    for (const Triangle& t : body.surface) {
        Corners p;
        bool free = body.rigid.has_value();
        for (int k = 0; k < 3; ++k) {
            p[k] = pose.to_local(model.mesh.nodes[t[k]]);
            free = free || model.free[t[k]] == Vec3d{1, 1, 1};
        }
        const double edge = longest_edge(p);
        if (!free || !(sample(obstacle.shape, p[0]).distance < edge)) continue;
        const LowestPoint low = lowest_point(obstacle.shape, p);
        // What a face leaves to its nodes (contact/face_contacts.cpp) is no matter here either.
        const double depth = -low.surface.distance;
        if (!(depth > 0.03 * edge) || !(depth > out.depth)) continue;
        out = {depth, pose.rotation * low.at.point + pose.position};
    }
    return out;
}

/// The softest material of a body and its mean density, over its tets.
struct Softest {
    const Material* material = nullptr;
    double young = std::numeric_limits<double>::infinity();  // [Pa]
    double density = 0;                                      // [kg/m³]
};
Softest softest(const Model& model, const Body& body) {
    Softest out;
    std::set<Index> used(model.tet_material.begin() + body.tet_begin,
                         model.tet_material.begin() + body.tet_end);
    for (Index m : used) {
        const double young = small_strain(model.materials[m]).young();
        if (young < out.young) {
            out.young = young;
            out.material = &model.materials[m];
        }
    }
    for (Index t = body.tet_begin; t < body.tet_end; ++t)
        out.density += model.materials[model.tet_material[t]].density /
                       static_cast<double>(body.tet_end - body.tet_begin);
    return out;
}

/// Where a material was written; the scene itself for the default one.
SourcePlace place_of(const SceneDef& scene, const std::string& material, std::string_view key) {
    const auto found = scene.materials.find(material);
    return found == scene.materials.end() ? SourcePlace{scene.file} : found->second.origin.at(key);
}

}  // namespace

void check_obstacles(const SceneDef& scene, const Model& model, const Warn& warn) {
    if (!touches(scene)) return;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        const double tolerance = std::min(1e-6, 0.01 * norm(box_of(model, body).size()));
        for (std::size_t k = 0; k < model.obstacles.size(); ++k) {
            const Obstacle& obstacle = model.obstacles[k];
            if (!obstacle.solid) continue;
            if (model.contact_filter.obstacle(static_cast<Index>(b), static_cast<Index>(k)))
                continue;
            const NodesInside found = inside(model, body, obstacle, tolerance);
            if (found.n_nodes == 0) {
                const FaceInside face = face_inside(model, body, obstacle);
                if (!(face.depth > tolerance)) continue;
                warn(scene.bodies[b].origin.place,
                     fmt::format("obstacle '{}' begins inside body '{}', between its nodes: {:.3g} "
                                 "m deep near [{:.3g}, {:.3g}, {:.3g}]: contact will throw it out, "
                                 "with energy out of nothing; translate it",
                                 obstacle.name, body.name, face.depth, face.where.x, face.where.y,
                                 face.where.z));
                continue;
            }
            const std::string text = fmt::format(
                "body '{}' begins inside obstacle '{}': {} of {} surface nodes up to "
                "{:.3g} m deep near [{:.3g}, {:.3g}, {:.3g}]",
                body.name, obstacle.name, found.n_nodes, found.n_surface, found.depth,
                found.where.x, found.where.y, found.where.z);
            const SourcePlace& place = scene.bodies[b].origin.place;
            if (2 * found.n_nodes > found.n_surface)
                throw InputError(place,
                                 text + "; allowed: less than half of it" +
                                     (found.n_nodes == found.n_surface &&
                                              std::holds_alternative<PlaneShape>(obstacle.shape)
                                          ? " (the normal of a plane points out of the solid side)"
                                          : "") +
                                     ", translate moves it, and [contact] ignore lets it pass");
            warn(place, text +
                            ": contact will throw it out, with energy out of nothing; translate "
                            "it, or [contact] separate = true moves it");
        }
    }
}

void warn_about_weight(const SceneDef& scene, const Model& model, const Warn& warn) {
    const double g = norm(model.gravity);
    if (!(g > 0) || scene.time.analysis == Analysis::modal) return;
    const Vec3d down = (1 / g) * model.gravity;
    const bool others = touches(scene) && (!model.obstacles.empty() || model.bodies.size() > 1);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        if (body.tet_begin == body.tet_end || !(others || held(model, body))) continue;
        double lowest = -std::numeric_limits<double>::infinity(), highest = -lowest;
        for (Index i = body.node_begin; i < body.node_end; ++i) {
            lowest = std::max(lowest, dot(down, model.mesh.nodes[i]));
            highest = std::min(highest, dot(down, model.mesh.nodes[i]));
        }
        const Softest soft = softest(model, body);
        const double height = lowest - highest;
        const double weight = soft.density * g * height;
        if (!(weight > soft.young)) continue;
        warn(
            scene.bodies[b].origin.place,
            fmt::format("body '{}' is too soft for its own weight: density {:.3g} kg/m^3 x gravity "
                        "{:.3g} m/s^2 x height {:.3g} m = {:.3g} Pa is more than the {:.3g} Pa of "
                        "young of material '{}': it collapses, its tets turn inside out and it may "
                        "pass what it lies on; young well above {:.2g} Pa carries it",
                        body.name, soft.density, g, height, weight, soft.young, soft.material->name,
                        weight));
    }
}

void warn_about_locking(const SceneDef& scene, const Model& model, const Warn& warn) {
    const std::set<Index> used(model.tet_material.begin(), model.tet_material.end());
    for (Index m : used) {
        const Material& material = model.materials[m];
        const double poisson = small_strain(material).poisson();
        if (!(poisson > 0.45 + 1e-9)) continue;  // what rounding makes of a user's 0.45
        warn(place_of(scene, material.name, "poisson"),
             fmt::format("material.{}: a Poisson's ratio of {:.4g} locks linear tets: bodies come "
                         "out stiffer than the material, most of all in bending; 0.45 and less is "
                         "safe, a finer mesh helps",
                         material.name, poisson));
    }
}

void warn_about_step(const SceneDef& scene, const Model& model, const Warn& warn) {
    if (scene.time.analysis != Analysis::dynamic) return;
    const SourcePlace& place = scene.time.origin.at("step");
    if (scene.time.end && *scene.time.end < 0.999 * model.h)
        warn(place, fmt::format("time.step = {:.3g} s is longer than time.end = {:.3g} s: the run "
                                "is one step and passes its end",
                                model.h, *scene.time.end));
    const double g = norm(model.gravity);
    for (const Body& body : model.bodies) {
        const double fall = g * model.h * model.h, size = norm(box_of(model, body).size());
        const double room = std::max(thickness_of(box_of(model, body)), 0.01 * size);
        if (!(fall > room)) continue;
        warn(place, fmt::format("time.step = {:.3g} s is too long: in one step gravity moves body "
                                "'{}' by {:.3g} m, more than its thickness of {:.3g} m; safe: "
                                "time.step <= {:.2g} s",
                                model.h, body.name, fall, room, std::sqrt(0.1 * room / g)));
    }
}

void warn_about_precision(const SceneDef& scene, const Model& model, const Warn& warn) {
    const AnyOptions& options = scene.solver.options;
    const StepperEntry& solver = stepper_entry(options.name);
    if (!solver.in_floats || !solver.in_floats(options) || scene.time.analysis == Analysis::modal)
        return;
    constexpr double rounding = 0x1p-24;  // of a float, relative
    constexpr double strain = 1e-4;       // that may be lost to it
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        // Floats are relative to the middle of the body (Objective).
        double farthest = 0, edges = 0;
        Vec3d middle;
        for (Index i = body.node_begin; i < body.node_end; ++i) middle += model.mesh.nodes[i];
        middle = (1.0 / std::max<Index>(body.node_end - body.node_begin, 1)) * middle;
        for (Index i = body.node_begin; i < body.node_end; ++i)
            for (int k = 0; k < 3; ++k)
                farthest = std::max(farthest, std::fabs(model.mesh.nodes[i][k] - middle[k]));
        for (const Triangle& t : body.surface)
            edges += norm(model.mesh.nodes[t[1]] - model.mesh.nodes[t[0]]);
        if (body.surface.empty()) continue;
        const double edge = edges / static_cast<double>(body.surface.size());
        if (!(rounding * farthest > strain * edge)) continue;
        warn(scene.bodies[b].origin.place,
             fmt::format("body '{}' reaches {:.3g} m from its middle, where a float is {:.2g} m "
                         "apart from the next, {:.2g} of its edges of {:.3g} m: single precision "
                         "loses its strains; solver.direction = \"newton_cg\", or "
                         "solver.precision = \"double\"",
                         body.name, farthest, 2 * rounding * farthest,
                         2 * rounding * farthest / edge, edge));
    }
}

}  // namespace limber
