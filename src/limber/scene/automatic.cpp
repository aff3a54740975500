// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/automatic.h"

#include <fmt/format.h>

#include "limber/scene/body_mesh.h"
#include "limber/scene/scene_def.h"

namespace limber {

namespace {

// A new factor every step is the cheapest way up to here, and exact; beyond it the factor is kept.
constexpr double small_tets = 3000;
// Beyond this a factor of Newton's method costs more than the iterations without one
// (limber bench descent-today).
constexpr double large_tets = 20000;

struct Choice {
    std::string name, why;
};

bool has_joints(const SceneDef& scene) {
    return !scene.attachments.empty() || !scene.cables.empty() || !scene.cavities.empty() ||
           !scene.needles.empty();
}

bool can_touch(const SceneDef& scene) {
    return !scene.obstacles.empty() || scene.bodies.size() > 1 || has_joints(scene);
}

bool any_of_bodies(const SceneDef& scene, bool (*is)(const BodyDef& body)) {
    return std::any_of(scene.bodies.begin(), scene.bodies.end(), is);
}

/// The first law that linearly implicit steps do not have, or cloth; empty: none.
std::string nonlinear_law(const SceneDef& scene) {
    const auto law_of = [&](const std::string& name) -> std::string {
        const auto it = scene.materials.find(name);
        if (it == scene.materials.end()) return {};
        const std::string kind(it->second.kind);
        if (it->second.invertible) return kind + " with invertible = true";
        return kind == "corotated" || kind == "linear" ? std::string() : kind;
    };
    for (const BodyDef& body : scene.bodies) {
        if (body.rigid) continue;
        if (body.cloth) return "cloth";
        std::string law = law_of(body.material.value_or("default"));
        for (const RegionDef& region : body.regions)
            if (law.empty()) law = law_of(region.material);
        if (!law.empty()) return law;
    }
    return {};
}

Choice solver_for(const SceneDef& scene, bool by_constraints) {
    double tets = 0;
    for (const BodyDef& body : scene.bodies) tets += expected_tets(body);
    const std::string size =
        tets > 0 ? fmt::format("about {:.0f} tets", tets) : std::string("a mesh of unknown size");
    if (scene.time.analysis == Analysis::modal) return {"cholesky", "modes need none"};
    if (scene.time.analysis != Analysis::dynamic)
        return {"newton", "an equilibrium is a minimum of the energy"};
    if (scene.time.integrator != DynamicIntegrator::backward_euler)
        return {"newton", "the trapezoidal rule needs a minimising solver"};
    if (const std::string law = nonlinear_law(scene); !law.empty()) {
        if (by_constraints) return {"newton", law + ", and contact by constraints needs a factor"};
        if (tets > large_tets) return {"descent", law + ", " + size + " without a factor"};
        return {"newton", law + ", " + size};
    }
    if (tets > 0 && tets <= small_tets)
        return {"cholesky", "corotated or linear laws, " + size + ": a new factor every step"};
    return {"warp_canceling",
            "corotated or linear laws, " + size + ": the factor is kept over steps"};
}

bool has_compliance(const SceneDef& scene) {
    const StepperEntry& entry = stepper_entry(scene.solver.options.name);
    return entry.has_compliance && entry.has_compliance(scene.solver.options);
}

Choice contact_for(const SceneDef& scene) {
    if (scene.time.analysis == Analysis::dynamic &&
        scene.time.integrator != DynamicIntegrator::backward_euler)
        return {"penalty", "constraints have no trapezoidal rule"};
    if (!has_compliance(scene))
        return {"penalty", "solver.kind = \"" + scene.solver.options.name +
                               "\" has no factor for constraints"};
    return {"lagrange", "bodies stay out of each other by constraints"};
}

}  // namespace

void choose_automatically(SceneDef& scene) {
    const bool open_contact = scene.contact.options.name == "auto";
    const bool open_solver = scene.solver.options.name == "auto";
    if (open_solver) {
        // Cloth is light and has many contacts: springs suit it, unless something needs
        // constraints.
        const bool cloth =
            any_of_bodies(scene, [](const BodyDef& b) { return b.cloth.has_value(); });
        const bool rigid = any_of_bodies(scene, [](const BodyDef& b) { return b.rigid; });
        const bool wanted = rigid || has_joints(scene) || (can_touch(scene) && !cloth);
        const Choice choice =
            solver_for(scene, open_contact ? wanted : scene.contact.options.name == "lagrange");
        scene.solver.options = default_options(stepper_cases(), choice.name);
        scene.chosen.push_back("solver.kind = \"" + choice.name + "\": " + choice.why);
    }
    if (open_contact) {
        const Choice choice = contact_for(scene);
        scene.contact.options = default_options(contact_cases(), choice.name);
        scene.chosen.push_back("contact.method = \"" + choice.name + "\": " + choice.why);
    }
}

}  // namespace limber
