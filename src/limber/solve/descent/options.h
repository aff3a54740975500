// SPDX-License-Identifier: Apache-2.0
#pragma once

// The four replaceable parts of Algorithm 1 of Wang & Yang 2016, by name.

#include <array>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"
#include "limber/linalg/linear_solver.h"

namespace limber {

enum class DirectionKind {
    gradient,
    jacobi,
    block_jacobi,
    nonlinear_cg,
    lbfgs,
    projective,
    newton,
    newton_cg,
    projective_diagonal
};
constexpr std::array<std::string_view, 9> enum_names(DirectionKind) {
    return {"gradient",   "jacobi", "block_jacobi", "nonlinear_cg",       "lbfgs",
            "projective", "newton", "newton_cg",    "projective_diagonal"};
}
/// Depends on the present iterate alone: momentum can be added to it (section 4.3).
constexpr bool is_stationary(DirectionKind kind) {
    return kind == DirectionKind::gradient || kind == DirectionKind::jacobi ||
           kind == DirectionKind::block_jacobi || kind == DirectionKind::projective ||
           kind == DirectionKind::projective_diagonal;
}

enum class AccelerationKind { automatic, none, chebyshev, nesterov };
constexpr std::array<std::string_view, 4> enum_names(AccelerationKind) {
    return {"auto", "none", "chebyshev", "nesterov"};
}
enum class StepLengthKind { automatic, adjusted, line_search, fixed };
constexpr std::array<std::string_view, 4> enum_names(StepLengthKind) {
    return {"auto", "adjusted", "line_search", "fixed"};
}
enum class InitialKind { position, velocity, acceleration, optimal };
constexpr std::array<std::string_view, 4> enum_names(InitialKind) {
    return {"position", "velocity", "acceleration", "optimal"};
}
enum class CgFormula { fletcher_reeves, polak_ribiere };
constexpr std::array<std::string_view, 2> enum_names(CgFormula) {
    return {"fletcher_reeves", "polak_ribiere"};
}
/// What L-BFGS starts from.
enum class InitialMatrix { diagonal, constant };
constexpr std::array<std::string_view, 2> enum_names(InitialMatrix) {
    return {"diagonal", "constant"};
}
enum class Precision { single, twofold };
constexpr std::array<std::string_view, 2> enum_names(Precision) {
    return {"float", "double"};
}

struct DescentOptions {
    DirectionKind direction = DirectionKind::newton_cg;
    AccelerationKind acceleration = AccelerationKind::automatic;
    StepLengthKind step_length = StepLengthKind::automatic;
    InitialKind initial = InitialKind::acceleration;
    Precision precision = Precision::single;
    int iterations = 96;
    double rel_tolerance = 0;  // 0: always all iterations, without a dot product

    int refresh = 32;  // M of section 4.1

    int check_every = 8;     // iterations between two looks at the energy
    double shrink = 0.7;     // γ of section 4.2
    double step = 0;         // first, or fixed, step length; 0: the direction's own
    double max_step = 0;     // none is longer; 0: by the largest eigenvalue at rest
    int regrow = 8;          // steps of time before a shortened length is tried longer again
    double min_step = 1e-3;  // below it the step of time ends

    int warm_up = 10;                    // S: plain iterations at the start of a step
    std::vector<double> rho = {0.9998};  // one a phase; Wang 2015 takes 0.9992 for most scenes
    std::vector<int> phases;             // lengths [iterations]; empty: equal ones

    bool tune = false;    // rho and phases by the tuner of section 4.3, before the run
    int tune_phases = 2;  // how many
    int tune_steps = 12;  // of the pre-simulation [steps of time]

    double eta = 0.2;  // of the acceleration guess

    CgFormula cg = CgFormula::polak_ribiere;
    int history = 5;                                         // m of L-BFGS
    InitialMatrix initial_matrix = InitialMatrix::diagonal;  // of L-BFGS
    bool preconditioned = true;  // by the diagonal: nonlinear_cg and lbfgs
    LinearSolverOptions linear;  // newton
    int untangle = 5;            // stuck bodies that may be thrown into disorder, in a run
};

template <class Visitor>
void fields(Visitor& field, DescentOptions& o) {
    field("direction", o.direction, any_value(),
          "search direction: Newton's as far as conjugate gradients on fixed aggregates get with "
          "the iterations (newton_cg: nothing to tune), the gradient as it is, divided by the "
          "Hessian's diagonal (jacobi: the source's) or its 3x3 blocks, conjugate, limited-memory "
          "quasi-Newton, by the constant matrix of projective dynamics or its diagonal, or "
          "Newton's");
    field("acceleration", o.acceleration, any_value(),
          "momentum: chebyshev (semi-iterative, in phases) or nesterov (with restarts); auto: "
          "chebyshev where the direction depends on the present iterate alone, else none");
    field("step_length", o.step_length, any_value(),
          "adjusted: the energy is looked at every check_every iterations, and the length shrunk "
          "until it falls; line_search: every iteration; fixed: step, and the iteration ends where "
          "the energy rises; auto: adjusted for gradient, jacobi and block_jacobi, fixed for "
          "projective, line_search for the others");
    field("initial", o.initial, any_value(),
          "start of the iteration: x, x + h v, the same with a share eta of the last acceleration, "
          "or the best point along v");
    field("precision", o.precision, any_value(),
          "of positions, forces and energies of elements, relative to the middle of their body; "
          "newton_cg: of its linear systems alone, the rest is double");
    field("iterations", o.iterations, at_least(1), "a time step, those taken back included");
    field("rel_tolerance", o.rel_tolerance, between(0, 1),
          "stop early when the gradient is below this share of the forces in the step, looked at "
          "every check_every iterations; 0: never (newton_cg: where rounding is reached)");
    field("refresh", o.refresh, at_least(1),
          "iterations after which the diagonal (jacobi, block_jacobi) is computed again");
    field("check_every", o.check_every, at_least(1), "iterations between two looks at the energy");
    field("shrink", o.shrink, inside(0, 1),
          "factor of the step length where the energy did not fall, once momentum was restarted; "
          "it grows by its inverse");
    field("step", o.step, at_least(0), "first, or fixed, step length; 0: the direction's own");
    field(
        "max_step", o.max_step, at_least(0),
        "no step is longer; 0: 1.5 / the largest eigenvalue of the preconditioned Hessian, looked "
        "at again in every eighth step of time (gradient, jacobi, block_jacobi), else 1");
    field(
        "regrow", o.regrow, at_least(1),
        "steps of time without a rise of the energy before the length grows again; 1: the rule of "
        "the source");
    field("min_step", o.min_step, positive(),
          "the time step ends, and says so, where no length down to this brings the energy down");
    field("warm_up", o.warm_up, at_least(0), "iterations of a time step before chebyshev sets in");
    field("rho", o.rho, inside(0, 1),
          "chebyshev: how much of the gradient an iteration leaves, for each phase; below what the "
          "scene has is safe");
    field("phases", o.phases, at_least(1),
          "chebyshev: iterations of each phase, the last goes on to the end; none: equal ones");
    field(
        "tune", o.tune, any_value(),
        "chebyshev: rho and phases are found by a pre-simulation before the run, which starts from "
        "rho; a run keeps them in tuned.toml of its folder");
    field("tune_phases", o.tune_phases, between(1, 16), "chebyshev: phases that tune looks for");
    field(
        "tune_steps", o.tune_steps, between(1, 10000),
        "time steps of the pre-simulation, by Newton's method; phases are chosen by errors in the "
        "second third of them and checked in the last");
    field("eta", o.eta, between(0, 1), "share of the acceleration in initial = \"acceleration\"");
    field("cg", o.cg, any_value(), "nonlinear_cg: formula of the conjugate direction");
    field("history", o.history, between(1, 100), "lbfgs: pairs kept");
    field("initial_matrix", o.initial_matrix, any_value(),
          "lbfgs: what its pairs correct: the Hessian's diagonal, or the constant matrix of "
          "projective dynamics, factorised once (Liu et al. 2017)");
    field("preconditioned", o.preconditioned, any_value(),
          "nonlinear_cg and lbfgs: by the Hessian's diagonal");
    field("untangle", o.untangle, at_least(0),
          "how often in a run nodes of tets that the invertible conversion holds are thrown into "
          "disorder where a body is stuck that nothing holds (pins, contact, forces, joints): a "
          "knot that is a minimum of the energy opens no other way; 0: never. Stuck steps are "
          "reported either way");
    fields(field, o.linear);
}

}  // namespace limber
