// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/automatic.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/scene/build/body_mesh.h"
#include "limber/scene/format/document.h"
#include "limber/scene/format/error_list.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene_def.h"

namespace limber {

namespace {

// All from `limber bench auto`, one thread of an AMD EPYC.
//
// Where everything that touches by constraints is softer than this, it bends so much under its
// contacts that a kept factor is renewed in most steps and its constraints are solved several times
// over: a new factor every step is cheaper (pad_on_sphere, bear_squash, armadillo_torus), as long
// as the body is not large.
constexpr double soft_young = 250e3;  // [Pa]
constexpr double large_soft_tets = 60000;
// Beyond this a factor of Newton's method costs more than the iterations of descent.
constexpr double large_tets = 5000;
// Beyond this a factor does not fit into the memory of most machines.
constexpr double huge_tets = 1e6;

// What is left of the forces and of the velocities of contact: folds make Newton's method crawl,
// and a step of a hundredth of a second is not that exact.
constexpr double of_cloth = 1e-4;

struct Choice {
    std::string name, why;
};
// What is tried where a choice does not take the scene.
constexpr const char* takes_most = "newton";

bool has_joints(const SceneDef& scene) {
    return !scene.attachments.empty() || !scene.cables.empty() || !scene.cavities.empty() ||
           !scene.needles.empty();
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
        return is_hookes_law(kind) ? std::string() : kind;
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

/// Whether no body that deforms is stiffer than soft_young.
bool all_soft(const SceneDef& scene) {
    const auto soft = [&](const std::string& name) {
        const auto it = scene.materials.find(name);
        return it != scene.materials.end() && it->second.young && *it->second.young <= soft_young;
    };
    for (const BodyDef& body : scene.bodies) {
        if (body.rigid) continue;
        if (!soft(body.material.value_or("default"))) return false;
        for (const RegionDef& region : body.regions)
            if (!soft(region.material)) return false;
    }
    return true;
}

Choice solver_for(const SceneDef& scene, bool by_constraints) {
    if (scene.device == DeviceKind::cuda)
        return {"descent", "device = \"cuda\" computes minima without a factor"};
    double tets = 0;
    for (const BodyDef& body : scene.bodies) {
        try {
            tets += expected_tets(body);
        } catch (const InputError&) {
            // told with its place when the body is made
        }
    }
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
    const std::string what = "corotated or linear laws, " + size;
    if (tets > huge_tets) return {"corotational", what + ": too large for a factor"};
    // A needle in a soft liver is no such contact.
    const bool surfaces = !scene.obstacles.empty() || scene.bodies.size() > 1;
    if (by_constraints && surfaces && tets <= large_soft_tets && all_soft(scene))
        return {"cholesky", what + ", soft and in contact: a new factor every step"};
    return {"warp_canceling", what + ": the factor is kept over steps"};
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

/// Whether the solver that it names has no objection to the scene.
bool is_taken(const SceneDef& scene) {
    ErrorList errors;
    check_solver(scene, errors);
    return errors.empty();
}

/// For the first lines of a run: what, why, and what version 0.1 took where the scene names none.
std::string told(const char* key, const Choice& choice, bool named, const char* before) {
    std::string text = std::string(key) + " = \"" + choice.name + "\": " + choice.why;
    if (!named && choice.name != before)
        text += " (by default; version 0.1 took \"" + std::string(before) + "\")";
    return text;
}

/// Defaults that the device does not take, once the solver is known.
void settle_for_device(SceneDef& scene) {
    const StepperEntry& entry = stepper_entry(scene.solver.options.name);
    if (scene.device == DeviceKind::cpu || !entry.device || !entry.device->settle) return;
    std::string line = entry.device->settle(scene.solver.origin, scene.solver.options);
    if (!line.empty()) scene.chosen.push_back(std::move(line));
}

}  // namespace

bool can_touch(const SceneDef& scene) {
    const Value contact = find_case(contact_cases(), scene.contact.options.name)
                              ->to_value(scene.contact.options.value);
    const Value* self = contact.find("self");
    return !scene.obstacles.empty() || scene.bodies.size() > 1 || has_joints(scene) ||
           (self && self->boolean);
}

std::string_view old_default(std::string_view tag, std::string_view now) {
    if (now != "auto") return {};
    return tag == "kind" ? "corotational" : tag == "method" ? "penalty" : "";
}

std::vector<std::string> name_old_defaults(Value& document) {
    struct Old {
        const char *table, *key;
        std::span<const std::string_view> open;
    };
    static constexpr std::string_view of_contact[] = {"friction", "bodies", "self", "separate",
                                                      "ignore"};
    static const Old olds[] = {{"solver", "kind", {}}, {"contact", "method", of_contact}};
    std::vector<std::string> told;
    for (const Old& old : olds) {
        Value* table = document.find(old.table);
        if (!table || !table->is(ValueKind::table) || table->find(old.key)) continue;
        const auto option =
            std::find_if(table->keys.begin(), table->keys.end(), [&](const Value::Key& key) {
                return std::find(old.open.begin(), old.open.end(), key.name) == old.open.end();
            });
        if (option == table->keys.end()) continue;
        const std::string old_name(old_default(old.key, "auto"));
        told.push_back(std::string(old.table) + '.' + old.key + " = \"" + old_name +
                       "\": the file gives " + old.table + '.' + option->name + " and no " +
                       old.key + ", which version 0.1 read so");
        Value name = Value::of(old_name);
        name.place = option->place;
        table->set(old.key, std::move(name), option->place);
    }
    return told;
}

void choose_automatically(SceneDef& scene) {
    const bool open_contact = contact_entry(scene.contact.options.name).open;
    const bool touch = can_touch(scene);
    const bool cloth = any_of_bodies(scene, [](const BodyDef& b) { return b.cloth.has_value(); });
    if (stepper_entry(scene.solver.options.name).open) {
        // Cloth is light and has many contacts: springs suit it, unless something needs
        // constraints.
        const bool rigid = any_of_bodies(scene, [](const BodyDef& b) { return b.rigid; });
        const bool wanted = rigid || has_joints(scene) || (touch && !cloth);
        const bool by_constraints =
            open_contact ? wanted : contact_entry(scene.contact.options.name).by_constraints;
        Choice choice = solver_for(scene, by_constraints);
        scene.solver.options = default_options(stepper_cases(), choice.name);
        if (scene.device == DeviceKind::cpu && !is_taken(scene)) {
            const AnyOptions first = scene.solver.options;
            scene.solver.options = default_options(stepper_cases(), takes_most);
            if (is_taken(scene))
                choice = {takes_most, "the scene has what only minimising solvers take"};
            else
                scene.solver.options = first;  // and its errors are told
        }
        const StepperEntry& solver = stepper_entry(choice.name);
        if (cloth && solver.tolerance) solver.tolerance(scene.solver.options) = of_cloth;
        scene.chosen.push_back(
            told("solver.kind", choice, scene.solver.origin.has("kind"), "corotational"));
    }
    settle_for_device(scene);
    if (open_contact) {
        const Choice choice = contact_for(scene);
        const auto given = scene.contact.options.as<AutomaticContactOptions>();
        const ContactEntry& contact = contact_entry(choice.name);
        scene.contact.options = default_options(contact_cases(), choice.name);
        contact.take(given, scene.contact.options);
        if (cloth && contact.tolerance) contact.tolerance(scene.contact.options) = 3 * of_cloth;
        if (touch)
            scene.chosen.push_back(
                told("contact.method", choice, scene.contact.origin.has("method"), "penalty"));
    }
}

}  // namespace limber
