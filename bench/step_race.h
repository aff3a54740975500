// SPDX-License-Identifier: Apache-2.0
#pragma once

// Single steps of a real run as a race: every method starts from the same x and v, with the History
// that its own steps along the run have left it, and is measured against the minimum of the step.

#include <memory>
#include <string>
#include <vector>

#include "limber/study/contestant.h"
#include "limber/study/solver_spec.h"
#include "registry.h"

namespace limber::bench {

/// A scene and the model that all worlds of it share.
struct RaceScene {
    StudyScene study;
    Model model;
};
RaceScene load_race(const BenchOptions& options, const std::string& file,
                    std::vector<std::string> sets);
/// Without energies after each step, so that times are those of the solver.
std::unique_ptr<World> world_of(const RaceScene& scene, const std::string& solver);
/// One step: CPU time of all threads, and wall time [ms].
struct StepCost {
    double cpu = 0, wall = 0;
    StepReport report;
};
StepCost timed_step(World& world);
/// The world goes on from these x and v, with the History it has.
void place(World& world, const State& state);

/// States of a run before the steps that are looked at, and before a few that lead there.
struct RaceRun {
    std::vector<State> states;
    std::vector<std::size_t> measured;  // places in `states`; the next state exists for each
    int number_of(std::size_t place) const { return static_cast<int>(states[place].step) + 1; }
};
/// `lead_in` steps come before step `first`; from there `count` steps are measured, each `stride`
/// after the last.
RaceRun run_to(const BenchOptions& options, const RaceScene& scene, int first, int count,
               int stride, int lead_in);

/// A step with what is needed to tell how far from its minimum a method has come.
struct RaceStep {
    int number = 0;
    State before;
    std::vector<Vec3d> exact;     // x*, by Newton's method
    double first = 0, least = 0;  // ε of the guess x + h v + η h (v − v_before), and of x* [J]
    double moved = 0;             // |x* − x_n|
    int converted = 0;            // tets that the conversion holds at x*
    double residual = 0;          // what Newton's method left, in parts of the forces
};
std::vector<RaceStep> find_minima(const BenchOptions& options, const RaceScene& scene,
                                  const RaceRun& run);
/// What finds the minima of a model so large: by a factor, or where that would not fit into memory
/// by conjugate gradients.
std::string minimiser_of(const Model& model);

/// Values of a step's objective, in double precision whatever made the positions.
class ValueMeter {
  public:
    explicit ValueMeter(const RaceScene& scene);
    ~ValueMeter();
    /// ε of each x in the step from `before`, interpolants as at `exact` [J]. Pinned nodes are put
    /// where their pins are.
    std::vector<double> values(const State& before, std::span<const Vec3d> exact,
                               const std::vector<std::vector<Vec3d>>& x);
    int converted() const;

  private:
    struct Probe;
    std::unique_ptr<World> world_;
    Probe* probe_;
};

/// Histories of a solver at the measured steps, from its own steps along the run: all of those that
/// the run has, or the last few before each.
constexpr std::size_t whole_run = 1 << 20;
std::vector<Snapshot> histories(const RaceScene& scene, const RaceRun& run,
                                const std::string& solver, std::size_t last = whole_run);

/// One budget of one method, over the measured steps.
struct RaceResult {
    int budget = 0;
    std::vector<double> ms;        // CPU time of each step, of all threads, least of a few
    std::vector<double> wall_ms;   // what a user waits for; others on the machine lengthen it
    std::vector<double> error;     // (ε − ε*) / (ε_0 − ε*), Wang & Yang 2016, Fig. 2
    std::vector<double> distance;  // |x − x*| / |x* − x_n|
};
struct RaceMethod {
    std::string label, solver, budget_name;  // option that the budget goes into
    std::vector<int> budgets;                // rising
    std::size_t history = whole_run;         // steps before a measured one that it remembers
};
/// Budgets are run until two do not fit into the times `until` in any step [ms]; empty: all are.
std::vector<RaceResult> race(const BenchOptions& options, const RaceScene& scene,
                             const RaceRun& run, const std::vector<RaceStep>& steps,
                             const RaceMethod& method, const std::vector<double>& until);

/// The least error within a time, for each step; infinite where no budget fits.
std::vector<double> errors_within(const std::vector<RaceResult>& results,
                                  const std::vector<double>& ms,
                                  std::vector<double> RaceResult::*what = &RaceResult::error);
double mean_of(const std::vector<double>& values);
double worst_of(const std::vector<double>& values);

}  // namespace limber::bench
