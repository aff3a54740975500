// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "limber/contact/contact_method.h"
#include "limber/linalg/solve_stats.h"

namespace limber {

/// The stages of a step, in order (docs/architecture.md). Each is timed.
enum class Stage {
    observe,
    detect,
    rotate,
    assemble,
    factor,
    free_motion,
    compliance,
    resolve,
    correct,
    report
};
inline constexpr int n_stages = 10;
inline constexpr std::array<std::string_view, n_stages> stage_names = {
    "observe",     "detect",     "rotate",  "assemble", "factor",
    "free_motion", "compliance", "resolve", "correct",  "report"};

/// Things a user should know about a step; a bit set in StepReport::flags.
enum class StepFlag : unsigned {
    substepped = 1,        // the full step was rejected and repeated in smaller ones
    iteration_cap = 2,     // the solver stopped at its cap
    deadline = 4,          // ... at the clock
    indefinite = 8,        // the matrix was not positive definite
    inverted = 16,         // some det F <= 0
    damped = 32,           // regions that a stale factor gets wrong were damped
    line_search = 64,      // no step along the search direction brought the energy down
    contact_cap = 128,     // the complementarity solver did not reach its tolerance, or contact and
                           // the rest of the step did not come together
    stuck = 256,           // a body rests with tets handed over by the invertible conversion
    refactored = 512,      // the factor was too old and made anew within the step
    penetration = 1024,    // a body is left inside an obstacle or another body
    energy_gained = 2048,  // energy came from nowhere (sim/energy_balance.h)
};
inline constexpr std::array<std::string_view, 12> step_flag_names = {
    "substepped",  "iteration_cap", "deadline", "indefinite", "inverted",    "damped",
    "line_search", "contact_cap",   "stuck",    "refactored", "penetration", "energy_gained"};

/// Why a step failed for good: names the body, the node or element and the likely cause.
struct StepFailure {
    std::string what;  // one sentence for the user
};

/// What a solver that keeps a factor did to it in a step (Hecht et al. 2012); zero for others.
struct FactorUpdate {
    int supernodes = 0;       // factorised again
    double share = 0;         // of the operations of a full factorisation
    double estimated_ms = 0;  // before the update
    double ms = 0;            // measured
    double badness = 0;       // the worst left behind [N s]
    double threshold = 0;     // what it is compared with [N s]
    double node_rotation_ms = 0, error_ms = 0, matrix_ms = 0;  // parts of rotate and assemble
};

/// What a step did on a graphics card; zero for others.
struct DeviceUse {
    double ms = 0;                  // its kernels, by the clock of the card
    std::int64_t up = 0, down = 0;  // copied there and back [bytes]
};

/// Results of one step, returned by value: files, viewer and benches all read this.
struct StepReport {
    std::int64_t step = 0;  // number of the step, from 1
    double time = 0;        // at its end [s]
    double wall_ms = 0;
    std::array<double, n_stages> stage_ms{};
    SolveStats solve;  // of the last sub-step; iterations summed over sub-steps
    int substeps = 1;
    FactorUpdate update;
    DeviceUse device;                                // of all sub-steps
    double kinetic = 0, elastic = 0, potential = 0;  // [J] at the end of the step
    int inverted_tets = 0;                           // with det F <= 0, at the end of the step
    int contacts = 0;
    ConstraintReport constraints;  // of methods that act by them
    double max_penetration = 0;    // [m], 0 where nothing penetrates
    /// What the body of the penetration flag is inside: k > 0: body k - 1; k < 0: obstacle -k - 1;
    /// 0: not known.
    Index inside = 0;
    double energy_gain = 0;   // [J] over the last 50 steps; 0 where it is not measured
    double energy_scale = 0;  // [J] what that is compared with
    unsigned flags = 0;
    /// For each flag the body of the model where it was worst; -1: not known, or no single one.
    std::array<Index, step_flag_names.size()> flag_body = no_bodies();
    bool failed = false;
    StepFailure failure;  // when failed

    double& ms(Stage s) { return stage_ms[static_cast<int>(s)]; }
    double ms(Stage s) const { return stage_ms[static_cast<int>(s)]; }
    void set(StepFlag f, Index body = -1) {
        flags |= static_cast<unsigned>(f);
        if (body >= 0) flag_body[index(f)] = body;
    }
    void clear(StepFlag f) {
        flags &= ~static_cast<unsigned>(f);
        flag_body[index(f)] = -1;
    }
    bool has(StepFlag f) const { return flags & static_cast<unsigned>(f); }
    Index body_of(StepFlag f) const { return flag_body[index(f)]; }

  private:
    static int index(StepFlag f) { return std::countr_zero(static_cast<unsigned>(f)); }
    static constexpr std::array<Index, step_flag_names.size()> no_bodies() {
        std::array<Index, step_flag_names.size()> none{};
        none.fill(-1);
        return none;
    }
};

}  // namespace limber
