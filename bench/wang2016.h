// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the benches of Wang & Yang 2016, "Descent Methods for Elastic Body Simulation on the GPU",
// share: its scenes under its laws, and errors of steps of a run against iterations.

#include <string>
#include <vector>

#include "limber/solve/descent/descent.h"
#include "registry.h"
#include "step_race.h"

namespace limber::bench {

/// A scene of the source: elements invertible, no damping, 1/30 s.
RaceScene load_wang(const BenchOptions& options, const std::string& file, const std::string& law,
                    std::vector<std::string> sets = {});

/// Steps of a run, with their minima.
struct WangSteps {
    std::string what;  // "Armadillo, 55000 tets"
    RaceScene scene;
    RaceRun run;
    std::vector<RaceStep> steps;
    /// What they are and how well their minima are known, one paragraph.
    std::string text() const;
};
/// The source's armadillo from step 100 of a run on, Mooney-Rivlin.
WangSteps armadillo_steps(const BenchOptions& options, int count, int stride);

/// Errors (ε_k − ε*) / (ε_0 − ε*) after each iteration of a direction of `descent`, in each of the
/// steps, from x and v of the run and the History that the method has there. Fig. 2 prints the
/// error with signs that make it negative.
struct WangTrace {
    std::string label;
    std::vector<std::vector<double>> error;  // [step][iteration], before the first and after each
    double ms_a_iteration = 0;               // CPU time, least of all, without the values
    int stopped = 0;                         // steps that ended early: no length brought it down
    double at(std::size_t iteration) const;  // mean over the steps
    double worst_at(std::size_t iteration) const;
};
WangTrace trace(const BenchOptions& options, const WangSteps& steps, const std::string& label,
                const std::string& solver, std::size_t history = whole_run);

/// Tables and a plot of relative errors, at some iterations and against time.
void add_errors(const BenchOptions& options, const std::string& name, const std::string& title,
                const std::vector<WangTrace>& traces, BenchResult& result);

BenchResult wang2016_table1(const BenchOptions& options);
BenchResult wang2016_scaling(const BenchOptions& options);
BenchResult wang2016_fig2(const BenchOptions& options);
BenchResult wang2016_fig3(const BenchOptions& options);
BenchResult wang2016_fig4(const BenchOptions& options);
BenchResult wang2016_fig5(const BenchOptions& options);
BenchResult wang2016_fig6(const BenchOptions& options);
BenchResult wang2016_fig7(const BenchOptions& options);
BenchResult wang2016_fig8(const BenchOptions& options);
BenchResult wang2016_fig9(const BenchOptions& options);
BenchResult wang2016_fig10(const BenchOptions& options);
BenchResult wang2016_fig11(const BenchOptions& options);

}  // namespace limber::bench
