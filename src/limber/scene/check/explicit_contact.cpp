// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/check/explicit_contact.h"

#include <fmt/format.h>

#include <cmath>

#include "limber/contact/methods/penalty.h"
#include "limber/mesh/mean_edge.h"
#include "limber/scene/check/overlaps.h"
#include "limber/scene/registry.h"

namespace limber {
namespace {

/// Of the mean edge of a surface: deeper than this is sinking.
constexpr double shallow = 0.1;
/// Of a node's elastic stiffness that holds against a spring on it (contact/methods/penalty.cpp).
constexpr double elastic_share = 0.3;

constexpr const char* ways_out =
    "form = \"implicit\" or method = \"lagrange\" hold; unsafe = true runs it all the same";

bool explicit_forces(const SceneDef& scene, const PenaltyOptions& penalty) {
    if (penalty.form != PenaltyForm::automatic) return penalty.form == PenaltyForm::explicit_form;
    return has_explicit_contact(scene);
}

/// A spring k on a mass m is stable for h sqrt(k/m) < 2 (symplectic Euler).
void check_stability(const SceneDef& scene, const Model& model, double stiffness) {
    const double h = model.h;
    for (const Body& body : model.bodies)
        for (Index i : body.surface_nodes) {
            const double m = model.mass[i] + elastic_share * h * h * model.stiffness[i];
            if (!(model.mass[i] > 0) || h * h * stiffness <= 4 * m) continue;
            throw InputError(
                scene.contact.origin.at("stiffness"),
                fmt::format("contact.stiffness = {:.3g} N/m is too stiff for explicit contact "
                            "forces: with time.step = {:.3g} s the nodes of body '{}' that touch "
                            "run away; allowed here: up to {:.2g} N/m; {}",
                            stiffness, h, body.name, 0.9 * 4 * m / (h * h), ways_out));
        }
}

/// The contacts of a body are together at most as stiff as M / h² (contact/methods/penalty.cpp):
/// what comes at a speed v is stopped over v h, and its weight rests g h² deep.
void check_depth(const SceneDef& scene, const Model& model, double thickness) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        const auto [speed, why] = impact_speed(scene, model, body);
        const double depth = model.h * (speed + model.h * norm(model.gravity)) - thickness;
        MeanEdge edge;
        edge.add(body.surface, model.mesh.nodes);
        if (!(depth > shallow * edge.value())) continue;
        throw InputError(
            scene.bodies[b].origin.place,
            fmt::format("body '{}' would sink about {:.2g} m into what it meets at {}: explicit "
                        "contact forces cannot be stiffer with time.step = {:.3g} s; safe: "
                        "time.step <= {:.2g} s; {}",
                        body.name, depth, why, model.h,
                        0.9 * (thickness + shallow * edge.value()) /
                            (speed + model.h * norm(model.gravity)),
                        ways_out));
    }
}

}  // namespace

void check_explicit_contact(const SceneDef& scene, const Model& model) {
    const auto& penalty = scene.contact.options.as<PenaltyOptions>();
    if (penalty.unsafe || scene.time.analysis != Analysis::dynamic) return;
    if (model.obstacles.empty() && model.bodies.size() < 2) return;
    if (!explicit_forces(scene, penalty)) return;
    if (penalty.stiffness > 0)
        check_stability(scene, model, penalty.stiffness);
    else
        check_depth(scene, model, penalty.thickness);
}

}  // namespace limber
