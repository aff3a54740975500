// SPDX-License-Identifier: Apache-2.0
#include "limber/study/converged_solver.h"

#include <cmath>

#include <fmt/format.h>

namespace limber {

namespace {

constexpr double affordable_ms = 250;  // a factorisation: a run of 300 steps takes minutes

/// The option of the scene's solver where it has one of that name.
void keep_option(const SceneDef& scene, const std::string& key, SolverSpec& spec) {
    const AnyOptions& options = scene.solver.options;
    const Value values = stepper_entry(options.name).options.to_value(options.value);
    if (const Value* value = values.find(key); value && value->is(ValueKind::string))
        spec.options.push_back({key, '"' + value->text + '"'});
}

/// The engine that `cholesky` factorises with.
std::string direct_engine() {
    const OptionCase* direct = find_case(stepper_cases(), "cholesky");
    const Value defaults = direct->to_value(direct->defaults());
    const Value* engine = defaults.find("linear");
    return engine ? engine->text : "";
}

void add_linearly_implicit(const SceneDef& scene, bool direct, SolverSpec& spec) {
    spec.kind = direct ? "cholesky" : "corotational";
    if (!direct)
        spec.options = {{"linear", "pcg"},
                        {"rel_tolerance", "1e-10"},
                        {"max_iterations", "50000"},
                        {"energy_tolerance", "0"},
                        {"deadline_ms", "0"}};
    keep_option(scene, "rotation", spec);
    spec.options.push_back({"rotation_iterations", "100"});
}

/// Every option that decides where Newton's method ends: the scene's own may have others.
void add_minimising(bool direct, SolverSpec& spec) {
    spec.kind = "newton";
    spec.options = {{"rel_tolerance", "1e-10"},
                    {"max_iterations", "500"},
                    {"decrement", "0"},
                    {"hessian", "on_demand"},
                    {"linear", direct ? "supernodal" : "pcg_block_jacobi"}};
    if (direct)
        spec.options.push_back({"contact_passes", "500"});
    else
        spec.options.insert(spec.options.end(),
                            {{"linear_tolerance", "1e-6"}, {"linear_iterations", "50000"}});
}

}  // namespace

std::string_view family_name(SolverFamily family) {
    switch (family) {
        case SolverFamily::linearly_implicit:
            return "linearly implicit";
        case SolverFamily::minimising:
            return "minimising";
        case SolverFamily::position_based:
            return "position based";
    }
    return "unknown";
}

SolverFamily family_of(const SolverSpec& spec) {
    return stepper_entry(spec.kind).family;
}

SolverFamily measured_by(SolverFamily family) {
    return family == SolverFamily::position_based ? SolverFamily::minimising : family;
}

double predicted_factor_ms(const std::string& engine, const Model& model) {
    // Volumes of n nodes, one thread: a fit c (n / 2000)^p through 2 000 and 25 000 nodes, 40 ms
    // and 45 s for Eigen's simplicial LDLᵀ, 7 ms and 0.57 s for a supernodal factor. Sheets cost
    // less.
    const bool supernodal = engine != "eigen_ldlt";
    const double c = supernodal ? 7 : 40, p = supernodal ? 1.75 : 2.8;
    double ms = 0;
    for (const Body& body : model.bodies)
        ms += c * std::pow((body.node_end - body.node_begin) / 2000.0, p);
    return ms;
}

ConvergedSolver converged_solver(SolverFamily family, const SceneDef& scene, const Model& model) {
    const std::string engine = direct_engine();
    const double ms = predicted_factor_ms(engine, model);
    const bool constraints = contact_entry(scene.contact.options.name).by_constraints;
    const bool minimising = measured_by(family) == SolverFamily::minimising;
    const bool direct = ms <= affordable_ms || constraints;
    ConvergedSolver out;
    out.why = fmt::format("a factorisation by {} is predicted to take {:.2g} ms", engine, ms);
    if (ms > affordable_ms)
        out.why +=
            constraints
                ? ", and contact by constraints needs one"
                : fmt::format(", more than {:.0f}: conjugate gradients{}", affordable_ms,
                              minimising ? " for each step of Newton's method" : " to 1e-10");
    if (minimising)
        add_minimising(direct, out.spec);
    else
        add_linearly_implicit(scene, direct, out.spec);
    out.spec.text = out.spec.without("");
    return out;
}

ConvergedSolver converged_solver(const SceneDef& scene, const Model& model) {
    return converged_solver(stepper_entry(scene.solver.options.name).family, scene, model);
}

bool is_converged(const StepReport& report) {
    return !report.failed && report.substeps == 1 && report.constraints.residual <= 1e-4 &&
           (report.solve.status == SolveStatus::direct || report.solve.residual <= 1e-6);
}

}  // namespace limber
