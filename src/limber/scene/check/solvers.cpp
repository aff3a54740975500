// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/check/solvers.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/scene/scene_def.h"
#include "limber/solve/corotational.h"
#include "limber/solve/descent/descent.h"
#include "limber/solve/splitting/options.h"

namespace limber {

namespace {

/// Whether some tet has the material.
bool of_tets(const SceneDef& scene, const std::string& name) {
    for (const BodyDef& body : scene.bodies) {
        if (body.cloth || body.rigid) continue;
        if (body.material.value_or("default") == name) return true;
        for (const RegionDef& region : body.regions)
            if (region.material == name) return true;
    }
    return false;
}

/// Constraints need A⁻¹.
void check_constraints(const SceneDef& scene) {
    const AnyOptions& options = scene.solver.options;
    const std::string method = "contact.method = \"" + scene.contact.options.name + '"';
    if (scene.time.analysis == Analysis::dynamic &&
        scene.time.integrator == DynamicIntegrator::trapezoid)
        throw InputError(scene.time.origin.at("integrator"),
                         "time.integrator = \"trapezoid\" cannot go with " + method +
                             ", whose impulses act at the end of a step; allowed: integrator = "
                             "\"backward_euler\"");
    if (has_compliance(scene)) return;
    std::string others;
    for (const StepperEntry& other : steppers())
        if (other.has_compliance &&
            other.has_compliance({std::string(other.options.name), other.options.defaults()}))
            others += (others.empty() ? "\"" : ", \"") + std::string(other.options.name) + '"';
    throw InputError(scene.contact.origin.at("method"),
                     method + " cannot go with solver.kind = \"" + options.name +
                         "\" and its options: it needs a solver that factorises its matrix; "
                         "allowed: solver.kind = " +
                         others);
}

}  // namespace

void check_laws_taken(const SceneDef& scene, const StepperEntry& entry) {
    const std::vector<std::string_view>& names = entry.laws.names;
    if (names.empty()) return;
    std::string allowed;
    for (const std::string_view name : names) allowed += '"' + std::string(name) + "\", ";
    for (const auto& [name, material] : scene.materials) {
        if (!of_tets(scene, name)) continue;
        if (std::find(names.begin(), names.end(), material.kind) != names.end()) continue;
        throw InputError(
            material.origin.at("kind"),
            fmt::format("material.{}.kind = \"{}\" cannot go with solver.kind = \"{}\", {}; "
                        "allowed: {}or {}",
                        name, std::string(material.kind), entry.options.name, entry.laws.because,
                        allowed, entry.laws.instead));
    }
}

void check_contact_goes_with(const SceneDef& scene, const StepperEntry& solver) {
    if (scene.time.analysis == Analysis::modal) return;
    const ContactEntry& contact = contact_entry(scene.contact.options.name);
    if (contact.by_constraints) check_constraints(scene);
    // Energies that begin and end within a step are for solvers that look at them more than once.
    if (!contact.by_energies || solver.family == SolverFamily::minimising) return;
    throw InputError(scene.contact.origin.at("method"),
                     "contact.method = \"" + scene.contact.options.name +
                         "\" cannot go with solver.kind = \"" + scene.solver.options.name +
                         "\", which does not minimise an energy; allowed: \"penalty\", or a solver "
                         "such as \"newton\" or \"descent\"");
}

void check_integrator(const SceneDef& scene, const StepperEntry& entry) {
    const TimeDef& time = scene.time;
    const bool modal = time.analysis == Analysis::modal;
    if (modal != time.modes.has_value())
        throw InputError(time.origin.at(modal ? "analysis" : "modes"),
                         modal ? "time.analysis = \"modal\" needs time.modes, the number of modes"
                               : "time.modes is for time.analysis = \"modal\" alone");
    if (modal) return;
    const bool dynamic = time.analysis == Analysis::dynamic;
    const AnyOptions& options = scene.solver.options;
    if (!dynamic && entry.needs_inertia && entry.needs_inertia(options))
        throw InputError(time.origin.at("analysis"),
                         "time.analysis = \"" +
                             std::string(enum_names(Analysis{})[static_cast<int>(time.analysis)]) +
                             "\" cannot go with solver.kind = \"" + options.name +
                             "\" and its options: a fixed number of iterations ends far from an "
                             "equilibrium; allowed: solver.kind = \"newton\" or \"descent\" with "
                             "its own direction, or rel_tolerance and iterations that reach it");
    if (entry.family == SolverFamily::minimising) return;
    if (dynamic && time.integrator == DynamicIntegrator::backward_euler) return;
    const std::string key = dynamic ? "integrator" : "analysis";
    const std::string_view value =
        dynamic ? enum_names(DynamicIntegrator{})[static_cast<int>(time.integrator)]
                : enum_names(Analysis{})[static_cast<int>(time.analysis)];
    throw InputError(time.origin.at(key),
                     "time." + key + " = \"" + std::string(value) +
                         "\" cannot go with solver.kind = \"" + std::string(entry.options.name) +
                         (entry.family == SolverFamily::position_based
                              ? "\", which takes small steps of its own"
                              : "\", which takes linearly implicit Euler steps") +
                         "; allowed: a minimising solver such as \"newton\"");
}

void check_static_contact(const SceneDef& scene) {
    const TimeDef& time = scene.time;
    if (time.analysis != Analysis::quasi_static && time.analysis != Analysis::static_load) return;
    const AnyOptions& contact = scene.contact.options;
    const ContactEntry& entry = contact_entry(contact.name);
    if (!entry.no_equilibrium) return;
    const ContactSight sight = entry.sight(contact);
    if (scene.obstacles.empty() && !(sight.bodies && scene.bodies.size() > 1) && !sight.self)
        return;
    const bool slides =
        std::any_of(scene.obstacles.begin(), scene.obstacles.end(),
                    [](const ObstacleDef& o) { return o.friction.value_or(0) > 0; });
    const std::optional<NoEquilibrium> none = entry.no_equilibrium(contact, slides);
    if (!none) return;
    const bool named = scene.contact.origin.has("method");
    throw InputError(
        named ? scene.contact.origin.at("method") : time.origin.at("analysis"),
        "contact.method = \"" + contact.name + '"' + none->with +
            " cannot go with time.analysis = \"" +
            std::string(enum_names(Analysis{})[static_cast<std::size_t>(time.analysis)]) +
            "\": " + none->because +
            "; allowed: contact.method = \"lagrange\" with solver.kind = \"newton\", " +
            none->instead + (none->instead.empty() ? "" : ", ") +
            "\"none\", or analysis = \"dynamic\"");
}

std::string or_on_the_cpu(const std::string& conflict) {
    const bool listed = conflict.find("allowed: ") != conflict.npos;
    return conflict + (listed ? ", or device = \"cpu\"" : "; allowed: device = \"cpu\"");
}

void check_device_form(const SceneDef& scene, const StepperEntry& entry) {
    if (scene.device == DeviceKind::cpu) return;
    const AnyOptions& options = scene.solver.options;
    const auto refuse = [&](const std::string& why) {
        throw InputError(scene.origin.at("device"), "device = \"cuda\" cannot go with " + why);
    };
    const auto analysis = static_cast<std::size_t>(scene.time.analysis);
    if (scene.time.analysis != Analysis::dynamic)
        refuse("time.analysis = \"" + std::string(enum_names(Analysis{})[analysis]) +
               "\", which is computed on the CPU; allowed: device = \"cpu\", or analysis = "
               "\"dynamic\"");
    if (!entry.device) {
        std::string others;
        for (const StepperEntry& other : steppers())
            if (other.device)
                others += (others.empty() ? "\"" : ", \"") + std::string(other.options.name) + '"';
        refuse(
            "solver.kind = \"" + options.name +
            "\", which computes on the CPU; allowed: device = \"cpu\", or solver.kind = " + others);
    }
    const std::string conflict = entry.device->options_conflict(options);
    if (!conflict.empty())
        refuse("solver.kind = \"" + options.name +
               "\" and its options: " + or_on_the_cpu(conflict));
}

void check_corotational(const SceneDef& scene) {
    const SolverDef& solver = scene.solver;
    const auto& options = solver.options.as<CorotationalOptions>();
    if (options.linear != LinearKind::pcg && options.matrix == OperatorKind::matrix_free)
        throw InputError(
            solver.origin.at("operator"),
            "solver: operator = \"matrix_free\" cannot go with linear = \"" +
                std::string(enum_names(LinearKind{})[static_cast<int>(options.linear)]) +
                "\": a factorisation needs the assembled matrix; allowed: "
                "operator = \"assembled\", or linear = \"pcg\"");
    if (options.solves == SolveScope::islands) {
        const char* other = options.linear != LinearKind::pcg ? "a direct solver"
                            : options.matrix == OperatorKind::matrix_free
                                ? "operator = \"matrix_free\""
                            : options.pcg.deadline_ms > 0 ? "deadline_ms"
                                                          : nullptr;
        if (other)
            throw InputError(solver.origin.at("solves"),
                             "solver: solves = \"islands\" cannot go with " + std::string(other) +
                                 "; allowed: assembled conjugate gradients without a deadline, or "
                                 "solves = \"world\"");
    }
}

void check_cholesky(const SceneDef& scene) {
    if (scene.solver.options.as<CorotationalOptions>().linear == LinearKind::pcg)
        throw InputError(scene.solver.origin.at("linear"),
                         "solver: kind = \"cholesky\" cannot go with linear = \"pcg\": it is the "
                         "direct reference; allowed: kind = \"corotational\" with linear = "
                         "\"pcg\"");
    check_corotational(scene);
}

void check_descent(const SceneDef& scene) {
    const SolverDef& solver = scene.solver;
    const auto& options = solver.options.as<DescentOptions>();
    const std::string conflict = descent_conflict(options);
    if (!conflict.empty()) throw InputError(solver.origin.at("direction"), "solver: " + conflict);
    if (options.direction != DirectionKind::projective &&
        options.direction != DirectionKind::projective_diagonal &&
        options.initial_matrix != InitialMatrix::constant)
        return;
    for (const BodyDef& body : scene.bodies) {
        if (!body.cloth) continue;
        const bool bent =
            body.cloth->rest == ClothRest::mesh && body.cloth->bending.value_or(1) > 0;
        if (body.cloth->stretch == StretchKind::springs && !bent) continue;
        throw InputError(body.origin.at("cloth"),
                         body.origin.path +
                             ".cloth: there is a constant matrix for springs "
                             "and flat hinges alone; allowed: stretch = \"springs\" with rest = "
                             "\"flat\" or bending = 0, or another direction");
    }
}

void check_projective_dynamics(const SceneDef& scene) {
    const SolverDef& solver = scene.solver;
    if (solver.options.as<DescentOptions>().direction != DirectionKind::projective)
        throw InputError(
            solver.origin.at("direction"),
            "solver: kind = \"projective_dynamics\" takes no other direction; allowed: "
            "kind = \"descent\"");
    check_descent(scene);
}

void check_fast_corotated(const SceneDef& scene) {
    const std::string with = " cannot go with solver.kind = \"fast_corotated\", which ";
    const auto& options = scene.solver.options.as<FastCorotatedOptions>();
    const bool split = options.scheme == SplittingScheme::split;
    for (const auto& [name, material] : scene.materials) {
        if (!of_tets(scene, name)) continue;
        const auto refuse = [&](std::string_view key, const std::string& what) {
            throw InputError(material.origin.at(key), "material." + name + '.' + what);
        };
        if (material.invertible)
            refuse("invertible", "invertible" + with +
                                     "has the law alone, which brings inverted tets back by "
                                     "itself; allowed: leave it out");
        if (material.volume != 0)
            refuse("volume", "volume" + with +
                                 "has the law's own volume term; allowed: leave it out, or a "
                                 "greater poisson");
        if (split && (material.poisson.value_or(0) < 0 || material.lambda.value_or(0) < 0))
            refuse(material.lambda ? "lambda" : "poisson",
                   std::string(material.lambda ? "lambda" : "poisson") + " below 0" + with +
                       "has constraints for the volume under scheme = \"split\"; allowed: 0 and "
                       "more, or scheme = \"joint\"");
    }
    for (const BodyDef& body : scene.bodies)
        if (body.cloth)
            throw InputError(body.origin.at("cloth"),
                             body.origin.path + ".cloth" + with +
                                 "has rotations of tets; allowed: a solver for any law such as "
                                 "\"quasi_newton\"");
    if (split && options.rel_tolerance > 0)
        throw InputError(scene.solver.origin.at("rel_tolerance"),
                         "solver: rel_tolerance cannot go with scheme = \"split\", whose steps end "
                         "elsewhere than at a minimum; allowed: scheme = \"joint\"");
}

void check_xpbd(const SceneDef& scene) {
    const std::string with = " cannot go with solver.kind = \"xpbd\", which ";
    for (const auto& [name, material] : scene.materials) {
        if (!of_tets(scene, name)) continue;
        const auto refuse = [&](std::string_view key, const std::string& what) {
            throw InputError(material.origin.at(key), "material." + name + '.' + what);
        };
        if (material.invertible)
            refuse("invertible", "invertible" + with +
                                     "brings inverted tets back by their volume; allowed: leave it "
                                     "out");
        if (material.poisson.value_or(0) < 0)
            refuse("poisson", "poisson = " + number_text(*material.poisson) + with +
                                  "needs stiffnesses that are not negative; allowed: 0 and more");
    }
    for (const BodyDef& body : scene.bodies) {
        if (body.mass == MassKind::consistent)
            throw InputError(body.origin.at("mass"),
                             body.origin.path + ".mass = \"consistent\"" + with +
                                 "moves nodes by their own masses; allowed: \"lumped\"");
        if (!body.cloth) continue;
        const bool bent =
            body.cloth->rest == ClothRest::mesh && body.cloth->bending.value_or(1) > 0;
        if (body.cloth->stretch == StretchKind::springs && !bent) continue;
        throw InputError(body.origin.at("cloth"),
                         body.origin.path + ".cloth" + with +
                             "has constraints for springs and flat hinges; allowed: stretch = "
                             "\"springs\" with rest = \"flat\" or bending = 0");
    }
}

}  // namespace limber
