// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/check/overlaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "limber/contact/overlap.h"
#include "limber/scene/registry.h"

namespace limber {

namespace {

/// None where nothing touches.
std::optional<ContactSight> contact_sight(const SceneDef& scene) {
    const ContactEntry& entry = contact_entry(scene.contact.options.name);
    if (!entry.sight) return {};
    return entry.sight(scene.contact.options);
}
/// How far apart bodies stay that feel each other [m]; none where they do not.
std::optional<double> body_contact(const SceneDef& scene) {
    const std::optional<ContactSight> sight = contact_sight(scene);
    if (!sight || !sight->bodies) return {};
    return sight->distance;
}

std::vector<ContactSurface> surfaces_of(const Model& model) {
    std::vector<ContactSurface> surfaces;
    for (const Body& body : model.bodies) {
        if (body.cloth)
            surfaces.push_back({});  // nothing can be inside a sheet
        else
            surfaces.push_back({body.surface, body.surface_nodes});
    }
    return surfaces;
}

/// Rounding of coordinates is no overlap; of bodies of microns, a hundredth of their size.
double tolerance_of(const Model& model) {
    double smallest = std::numeric_limits<double>::infinity();
    for (const Body& body : model.bodies) {
        Box3 box = empty_box();
        for (Index i : body.surface_nodes) include(box, model.mesh.nodes[i]);
        smallest = std::min(smallest, norm(box.size()));
    }
    return std::min(1e-6, 0.01 * smallest);
}

/// Three digits are enough for a warning.
std::string short_text(double value) {
    return fmt::format("{:.3g}", value);
}

std::string short_text(const Vec3d& v) {
    return fmt::format("[{:.3g}, {:.3g}, {:.3g}]", v.x, v.y, v.z);
}

std::string pair_text(const Model& model, const BodyOverlap& pair) {
    std::string text = "bodies '" + model.bodies[pair.a].name + "' and '" +
                       model.bodies[pair.b].name + "' overlap at the start: ";
    text += pair.n_nodes > 0 ? std::to_string(pair.n_nodes) + " nodes up to " +
                                   short_text(pair.depth) + " m deep"
                             : std::to_string(pair.n_edges) + " edges pass through faces";
    return text + " near " + short_text(pair.where);
}

/// One attempt after the other to move overlapping bodies apart.
class Separator {
  public:
    Separator(Model& model, double thickness)
        : model_(model),
          margin_(thickness),
          tolerance_(tolerance_of(model)),
          surfaces_(surfaces_of(model)),
          finder_(surfaces_, model.mesh.nodes) {
        for (const Body& body : model.bodies) {
            double mass = 0;
            for (Index i = body.node_begin; i < body.node_end; ++i) {
                mass += model.mass[i];
                if (model.free[i] != Vec3d{1, 1, 1}) mass = std::numeric_limits<double>::infinity();
            }
            mass_.push_back(mass);
            moved_.push_back({});
        }
    }

    /// The pairs that are left; none when it worked.
    std::vector<BodyOverlap> run() {
        constexpr int attempts = 100;
        std::vector<BodyOverlap> left;
        for (int i = 0; i < attempts; ++i) {
            leave_obstacles();
            left = finder_.find(model_.mesh.nodes, tolerance_);
            std::erase_if(left, [&](const BodyOverlap& pair) {
                return model_.contact_filter.bodies(pair.a, pair.b);
            });
            if (left.empty()) return left;
            for (const BodyOverlap& pair : left) part(pair);
        }
        return left;
    }
    const std::vector<Vec3d>& moved() const { return moved_; }  // per body [m]

  private:
    void move(Index body, const Vec3d& by) {
        const Body& b = model_.bodies[body];
        for (Index i = b.node_begin; i < b.node_end; ++i) model_.mesh.nodes[i] += by;
        moved_[body] += by;
    }

    Vec3d centre(Index body) const {
        Vec3d sum{};
        for (Index i : surfaces_[body].nodes) sum += model_.mesh.nodes[i];
        return (1.0 / double(surfaces_[body].nodes.size())) * sum;
    }

    /// Along the axis or the line of centres that is the shortest way.
    void part(const BodyOverlap& pair) {
        const double a = mass_[pair.a], b = mass_[pair.b];
        if (std::isinf(a) && std::isinf(b)) return;
        std::vector<Vec3d> ways{{0, 1, 0},  {0, -1, 0}, {1, 0, 0},
                                {-1, 0, 0}, {0, 0, 1},  {0, 0, -1}};
        const Vec3d line = centre(pair.a) - centre(pair.b);
        if (norm(line) > 0) ways.push_back((1 / norm(line)) * line);
        double shortest = std::numeric_limits<double>::infinity();
        Vec3d best = ways.back();
        for (const Vec3d& way : ways) {
            const double length = finder_.way_out(model_.mesh.nodes, pair.a, pair.b, way);
            if (!(length > 0 && length < shortest)) continue;
            shortest = length;
            best = way;
        }
        if (!std::isfinite(shortest)) {  // only edges cross: along the line of centres, by steps
            best = ways.back();
            shortest = 0.05 * norm(line);
        }
        const Vec3d by = (shortest + margin_) * best;
        const double share = std::isinf(a) ? 0 : (std::isinf(b) ? 1 : b / (a + b));
        move(pair.a, share * by);
        move(pair.b, (share - 1) * by);
    }

    void leave_obstacles() {
        for (Index number = 0; number < static_cast<Index>(model_.obstacles.size()); ++number) {
            const Obstacle& o = model_.obstacles[number];
            if (!o.solid) continue;
            for (std::size_t body = 0; body < model_.bodies.size(); ++body) {
                if (std::isinf(mass_[body])) continue;
                if (model_.contact_filter.obstacle(static_cast<Index>(body), number)) continue;
                SurfaceSample deepest{0, {}};
                for (Index i : model_.bodies[body].surface_nodes) {
                    const SurfaceSample s = sample(o, model_.mesh.nodes[i], 0);
                    if (s.distance < deepest.distance) deepest = s;
                }
                if (deepest.distance < -tolerance_)
                    move(static_cast<Index>(body), (margin_ - deepest.distance) * deepest.normal);
            }
        }
    }

    Model& model_;
    double margin_, tolerance_;
    std::vector<ContactSurface> surfaces_;
    OverlapFinder finder_;
    std::vector<double> mass_;  // infinite where a pin holds the body [kg]
    std::vector<Vec3d> moved_;
};

/// How far a body falls before it meets an obstacle, looking along gravity from its lowest node.
std::optional<double> drop(const Model& model, const Body& body, const Vec3d& down) {
    if (body.surface_nodes.empty()) return {};
    Index lowest = body.surface_nodes.front();
    for (Index i : body.surface_nodes)
        if (dot(down, model.mesh.nodes[i]) > dot(down, model.mesh.nodes[lowest])) lowest = i;
    std::optional<double> shortest;
    for (const Obstacle& o : model.obstacles) {
        if (!o.solid) continue;
        double fallen = 0;
        for (int k = 0; k < 200 && fallen < 1e6; ++k) {
            const double d = sample(o, model.mesh.nodes[lowest] + fallen * down, 0).distance;
            if (d < 1e-6) {
                shortest = std::min(shortest.value_or(fallen), fallen);
                break;
            }
            fallen += d;
        }
    }
    return shortest;
}

}  // namespace

void warn_about_overlaps(const SceneDef& scene, const Model& model, const Warn& warn) {
    if (!body_contact(scene) || model.bodies.size() < 2) return;
    OverlapFinder finder(surfaces_of(model), model.mesh.nodes);
    for (const BodyOverlap& pair : finder.find(model.mesh.nodes, tolerance_of(model))) {
        if (model.contact_filter.bodies(pair.a, pair.b)) continue;
        warn(scene.bodies[pair.b].origin.place,
             pair_text(model, pair) + "; [contact] separate = true moves them apart");
    }
}

void separate_bodies(const SceneDef& scene, Model& model, const Warn& warn) {
    const std::optional<double> distance = body_contact(scene);
    if (!distance) return;
    Separator separator(model, *distance);
    const std::vector<BodyOverlap> left = separator.run();
    if (!left.empty()) {
        std::string text = "contact.separate: could not move these apart:";
        for (const BodyOverlap& pair : left) text += "\n  " + pair_text(model, pair);
        throw InputError(scene.contact.origin.at("separate"), text);
    }
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
        if (separator.moved()[i] != Vec3d{})
            warn(scene.bodies[i].origin.place, "body '" + model.bodies[i].name + "' was moved by " +
                                                   short_text(separator.moved()[i]) +
                                                   " m to separate it");
}

ImpactSpeed impact_speed(const SceneDef& scene, const Model& model, const Body& body) {
    double speed = 0;
    for (Index n : body.surface_nodes) speed = std::max(speed, norm(model.initial_velocity[n]));
    ImpactSpeed out{speed, "its initial speed of " + short_text(speed) + " m/s"};
    const double g = norm(model.gravity);
    for (Index n = body.node_begin; n < body.node_end; ++n)
        if (model.free[n] != Vec3d{1, 1, 1}) return out;
    if (!(g > 0)) return out;
    const double end =
        scene.time.end.value_or(static_cast<double>(scene.time.steps.value_or(0)) * model.h);
    if (const auto height = drop(model, body, (1 / g) * model.gravity)) {
        const double fall = std::min(std::sqrt(2 * g * *height), g * end);
        if (fall > speed) out = {fall, "the " + short_text(fall) + " m/s of its fall"};
    }
    return out;
}

void warn_about_self(const SceneDef& scene, const Model& model, const Warn& warn) {
    const std::optional<ContactSight> sight = contact_sight(scene);
    if (!sight || !sight->self || sight->sees_end) return;
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
        if (model.bodies[i].cloth)
            warn(scene.bodies[i].origin.place,
                 "layers of cloth '" + model.bodies[i].name +
                     "' that have gone through each other stay so under contact.method = \"" +
                     scene.contact.options.name +
                     "\", which looks at a step from its start alone; \"lagrange\" looks at its "
                     "end too and repeats it in parts");
}

void warn_about_speed(const SceneDef& scene, const Model& model, const Warn& warn) {
    const std::optional<ContactSight> reach = contact_sight(scene);
    if (!reach || (model.obstacles.empty() && model.bodies.size() < 2)) return;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        Box3 box = empty_box();
        for (Index n : body.surface_nodes) include(box, model.mesh.nodes[n]);
        const auto [speed, why] = impact_speed(scene, model, body);
        const Vec3d size = box.size();
        const bool followed = reach->followed;
        const double room =
            (followed ? 1 : 0.5) * std::min({size.x, size.y, size.z}) + reach->distance;
        if (!(speed * model.h > room)) continue;
        warn(scene.bodies[i].origin.place,
             "body '" + body.name + "' goes " + short_text(speed * model.h) + " m a step at " +
                 why + ", more than " + (followed ? "" : "half ") +
                 "its thickness and the contact's (" + short_text(room) +
                 " m): it may pass through others; safe: time.step <= " +
                 short_text(0.99 * room / speed) + " s");
    }
}

}  // namespace limber
