// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the benches of Dahl & Bargteil 2019, "Early Termination of Conjugate Gradients for Corotated
// Finite Elements", share: scenes, initial guesses, the solver as the paper runs it.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "limber/linalg/pcg.h"
#include "limber/study/contestant.h"
#include "limber/study/solver_spec.h"
#include "registry.h"

namespace limber::bench {

inline constexpr int steps_a_frame = 5;  // h = 1/150 s, 30 frames a second

struct DahlGuess {
    std::string_view paper, ours;  // the paper's name, solver.guess
};
inline constexpr std::array<DahlGuess, 3> dahl_guesses = {
    {{"0", "zero"}, {"v(t)+f", "euler"}, {"v(t)", "velocity"}}};

/// A scene of the paper, ready to run: file, step, model.
struct DahlScene {
    StudyScene study;
    Model model;
    std::int64_t n_steps = 0;  // of the whole scene
};
DahlScene load_dahl(const BenchOptions& options, const std::string& file);

/// Plain corotational CG; `cap` 0 runs to r·r <= 1e-10 b·b.
SolverSpec dahl_solver(std::string_view guess, std::string_view preconditioner, int cap);
/// The same with one solve a body (or group of bodies in touch), as the paper has it, where this
/// build offers it.
SolverSpec dahl_solver_per_body(std::string_view guess, int cap);

/// States of the converged run spread over the scene, kept in the folder of the bench.
std::vector<Snapshot> dahl_starts(const BenchOptions& options, const DahlScene& scene, int count);

/// One state of it.
Snapshot dahl_state(const BenchOptions& options, const DahlScene& scene, std::int64_t step);

/// |r| and kinetic energy after each iteration of the first solve from `start`.
PcgTrace trace_of_one_solve(const DahlScene& scene, const Snapshot& start, SolverSpec spec);
/// Iterations after which the kinetic energy stays within `share` of its last value.
int settled_after(const PcgTrace& trace, double share);

}  // namespace limber::bench
