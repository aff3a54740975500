// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a solver's step is measured by: the same step, from the same state, solved to the end.

#include <string>
#include <string_view>

#include "limber/solve/step_report.h"
#include "limber/study/solver_spec.h"

namespace limber {

/// "linearly implicit", "minimising", "position based".
std::string_view family_name(SolverFamily family);
SolverFamily family_of(const SolverSpec& spec);

/// The family whose converged step a solver is measured by. Its own; but position based dynamics
/// iterates nothing to convergence and is measured by the minimum of the step with the same law.
SolverFamily measured_by(SolverFamily family);

/// The converged solver of a family.
///   linearly implicit   one linear system with rotations run to their end: direct where its
///                       predicted cost allows, else conjugate gradients to 1e-10
///   minimising          the minimum of the step by Newton's method, its gradient 1e-10 of the
///                       forces
/// Both take the contact method of `scene`; constraints need a factor, whatever it costs.
struct ConvergedSolver {
    SolverSpec spec;
    std::string why;  // "a factorisation by supernodal is predicted to take 35 ms"
};
ConvergedSolver converged_solver(SolverFamily family, const SceneDef& scene, const Model& model);
/// Of the family that the scene's solver is measured by.
ConvergedSolver converged_solver(const SceneDef& scene, const Model& model);

/// Whether a step of such a solver is what others can be measured by: in one piece, and with hardly
/// anything left over. Newton's method may end above its tolerance, at what rounding allows.
bool is_converged(const StepReport& report);

/// Predicted time of one factorisation of the model's matrix, bodies one by one [ms].
double predicted_factor_ms(const std::string& engine, const Model& model);

}  // namespace limber
