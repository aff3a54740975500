// SPDX-License-Identifier: Apache-2.0
#pragma once

// Several solvers on one scene against a reference: how far each is off, and what a step costs.
//
// Two errors. Local: one step of a solver against the same step, from the same state, by the
// converged solver of its family (converged_solver.h); what stopping early costs a step. Global:
// its trajectory against the reference's; what that adds up to. A reference that is moved by 1e-9
// of the bodies' size runs along: where that grows a thousandfold, trajectories cannot be compared
// over the whole run, and short windows restarted from the reference take their place.
//
// Linearly implicit and minimising solvers solve two different steps. Where both take part, the
// converged solver of the family that the reference is not of runs along as well: how far it is
// from the reference is the difference of the models, which no solver of that family can undo.

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "limber/study/contestant.h"
#include "limber/study/line_up.h"
#include "limber/study/statistics.h"

namespace limber {

enum class WindowMode { automatic, never, always };

struct CompareOptions {
    StudyScene scene;
    std::vector<SolverSpec> solvers;
    std::optional<SolverSpec> reference;  // none: the converged solver of the contestants' family,
                                          // of several: the minimising one
    std::int64_t steps = 0;               // 0: the scene's
    WindowMode windows = WindowMode::automatic;
    int n_windows = 8, window_steps = 20;
    std::function<void(std::int64_t step, const std::string& phase)> progress;  // may be empty
};

/// A measure of every step, or of some: `time` says which.
struct ErrorCurve {
    std::vector<double> time;      // [s]
    std::vector<double> max, rms;  // over the nodes, parts of the body size
    double worst() const;          // NaN where nothing was measured
    double mean_square() const;    // root mean square over nodes and steps; the same
};

/// What windows restarted from the reference say: errors at their ends.
struct WindowErrors {
    std::vector<double> rms, max;  // one per window that was completed, parts of the body size
    int n_failed = 0;
};

struct ContestantResult {
    SolverSpec spec;
    SolverFamily family = SolverFamily::linearly_implicit;
    std::vector<Setting> settings;    // every option of the solver as it ran
    std::string refusal;              // why it cannot take the scene; empty: it ran
    std::string local_reference;      // solver that its local error is measured by; empty: none
    std::int64_t local_left_out = 0;  // steps at which that solver did not converge
    Spread ms;                        // a step
    double mean_iterations = 0;
    std::int64_t max_iterations = 0;
    std::int64_t steps = 0;     // completed
    std::int64_t rejected = 0;  // steps repeated in smaller parts
    ErrorCurve local, global;
    std::vector<double> energy;  // relative error, one per step of `global`
    double max_penetration = 0;  // [m]
    WindowErrors windows;
    std::string failure;               // why it stopped; empty: it did not
    std::vector<std::string> verdict;  // lines as a run of it would end with

    bool ran() const { return refusal.empty(); }
};

struct CompareResult {
    std::string scene;
    SolverSpec reference;
    std::string reference_why;
    bool reference_chosen = true;  // by compare(); false: asked for
    ContestantResult reference_run;
    std::int64_t steps = 0;
    double h = 0;                                                         // [s]
    std::int64_t n_nodes = 0, n_tets = 0, n_triangles = 0, n_bodies = 0;  // triangles: of cloth
    std::string contact;                                                  // the method of all
    std::vector<Setting> contact_settings;
    std::string contact_note;  // LineUp's
    ErrorCurve twin;           // of the reference moved by `nudge`
    double nudge = 1e-9;       // parts of the body size
    double growth = 0;         // largest rms error of the twin / nudge, second half of the run
    bool windowed = false;     // the figures to read are those of the windows
    int n_windows = 0, window_steps = 0;
    std::vector<ContestantResult> contestants;  // as asked for, those that did not run as well
    /// Converged solvers of families that the reference is not of.
    std::vector<ContestantResult> models;
    std::vector<std::string> warnings;  // of the scene and its meshes

    /// The error a solver is ranked by: of windows where they are used, else over the whole run.
    double headline_error(const ContestantResult& contestant) const;
};

/// The reference itself failed: there is nothing to compare with.
class ReferenceFailed : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// InputError as of line_up(). The second takes a line-up of the same options that is at hand.
CompareResult compare(const CompareOptions& options);
CompareResult compare(const LineUp& line, const CompareOptions& options);

}  // namespace limber
