// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the benches of Wang & Yang 2016, "Descent Methods for Elastic Body Simulation on the GPU",
// share: its scenes under its laws, and the error of one step against iterations.

#include <string>
#include <vector>

#include "limber/solve/descent.h"
#include "limber/study/contestant.h"
#include "limber/study/solver_spec.h"
#include "registry.h"

namespace limber::bench {

/// A scene of the source: elements invertible, no damping, 1/30 s.
struct WangScene {
    StudyScene study;
    Model model;
};
WangScene load_wang(const BenchOptions& options, const std::string& file, const std::string& law,
                    std::vector<std::string> sets = {});

std::unique_ptr<World> world_of(const WangScene& scene, const std::string& solver);
/// The state after some steps of `descent` with its defaults.
Snapshot state_after(const WangScene& scene, int steps, const std::string& solver = "descent");

/// The values of the objective in one step, from the same state.
struct WangTrace {
    std::string label;
    std::vector<double> value;  // before iteration 0, 1, ... and after the last [J]
    double ms_a_iteration = 0;  // without the values, least of a few
    StepReport report;
    /// (ε_k − ε*) / (ε_0 − ε*); Fig. 2 prints it with signs that make it negative.
    std::vector<double> error(double least) const;
};
/// `forget`: the History of the snapshot is that of another direction.
WangTrace trace(const WangScene& scene, const Snapshot& from, const std::string& label,
                const std::string& solver, bool forget = true);
/// The minimum of the step, by Newton's direction to 1e-10.
double minimum(const WangScene& scene, const Snapshot& from);

/// Tables and a plot of relative errors, at some iterations and against time.
void add_errors(const BenchOptions& options, const std::string& name, const std::string& title,
                const std::vector<WangTrace>& traces, double least, BenchResult& result);

BenchResult wang2016_table1(const BenchOptions& options);
BenchResult wang2016_scaling(const BenchOptions& options);
BenchResult wang2016_fig2(const BenchOptions& options);
BenchResult wang2016_fig3(const BenchOptions& options);
BenchResult wang2016_fig4(const BenchOptions& options);
BenchResult wang2016_fig5(const BenchOptions& options);
BenchResult wang2016_fig6(const BenchOptions& options);
BenchResult wang2016_fig7(const BenchOptions& options);
BenchResult wang2016_fig10(const BenchOptions& options);
BenchResult wang2016_fig11(const BenchOptions& options);

}  // namespace limber::bench
