// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"
#include "limber/linalg/linear_solver.h"
#include "limber/linalg/schur/compliance.h"
#include "limber/solve/objective.h"
#include "limber/solve/stepper.h"
#include "limber/solve/stuck.h"

namespace limber {

/// What makes the matrix of a Newton step positive definite.
enum class HessianRepair { on_demand, project, shift };
constexpr std::array<std::string_view, 3> enum_names(HessianRepair) {
    return {"on_demand", "project", "shift"};
}

enum class NewtonGuess { position, velocity };
constexpr std::array<std::string_view, 2> enum_names(NewtonGuess) {
    return {"position", "velocity"};
}

struct NewtonOptions {
    HessianRepair hessian = HessianRepair::on_demand;
    NewtonGuess guess = NewtonGuess::velocity;
    int max_iterations = 50;
    double rel_tolerance = 1e-6;  // of the gradient, against the forces of the step
    double decrement = 0;      // stop when λ²/2 is below this share of the energy scale; 0: off
    double backtrack = 0.5;    // of the line search
    double sufficient = 1e-4;  // Armijo's constant
    int contact_passes = 50;
    LinearSolverOptions linear;
};

template <class Visitor>
void fields(Visitor& field, NewtonOptions& o) {
    field("hessian", o.hessian, any_value(),
          "made positive definite by projecting each element's part, always or only after a "
          "factorisation failed, or by adding a multiple of the identity");
    field("guess", o.guess, any_value(), "start of the iteration: x, or x + h v");
    field("max_iterations", o.max_iterations, at_least(1), "Newton steps a time step");
    field("rel_tolerance", o.rel_tolerance, inside(0, 1),
          "stop when the gradient is below this share of the forces in the step");
    field("decrement", o.decrement, between(0, 1),
          "stop as well when the expected decrease, half the squared Newton decrement, is below "
          "this share of the decrease so far; 0: off");
    field("backtrack", o.backtrack, inside(0, 1), "factor of the step length after a failed try");
    field("sufficient", o.sufficient, inside(0, 0.5),
          "share of the expected decrease that a step must bring");
    field("contact_passes", o.contact_passes, between(1, 1000),
          "Newton steps of a time step with contact by constraints, each of which solves them");
    fields(field, o.linear);
}

/// Newton's method on the objective of a step, with backtracking (Kavan's notes, 2.1-2.3; the
/// decrement as λ² = ∇gᵀ H⁻¹ ∇g).
///
/// Under contact by constraints each iteration is a step's worth of contact: the objective is
/// linearised where the iteration stands, A = h² ∇²ε, constraints are solved for v = v̂ + A⁻¹ Hᵀ p
/// with v̂ = v − h A⁻¹ ∇ε, and the way there is searched for the minimum under their forces, of
/// which v is the Newton step. It ends where the gradient vanishes with the forces in it.
class NewtonStepper final : public Stepper {
  public:
    using Options = NewtonOptions;
    NewtonStepper(const Model& model, const Options& options);
    std::string_view name() const override { return "newton"; }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    void integrate(const StepInput& in, State& state) const override;
    /// With linear = "supernodal" alone.
    Compliance* compliance() override;
    bool renews_compliance() const override { return true; }
    bool answers(const StepInput& in, std::span<const Vec3d> impulses, State& state,
                 StepReport& report) override;
    void correct_reactions(const StepInput& in, std::span<const Vec3d> v,
                           NodeForces& forces) override;
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void reset() override {
        shift_ = 0;
        quiet_ = {};
        objective_.release();
    }
    std::string describe() override;
    /// The iteration of the next step begins at x instead of the guess: which of several minima it
    /// finds depends on where it begins.
    bool start_next_at(std::span<const Vec3d> x) override {
        next_start_.assign(x.begin(), x.end());
        return true;
    }

  private:
    template <class List, class Self>
    static void list_history(List& list, Self& self);
    void start_at_guess(const StepInput& in, const State& state);
    void start_at(std::span<const Vec3d> x);
    SolveStats minimise(StepReport& report);
    bool factorise_tangent();
    void linearise(const StepInput& in, State& state, StepReport& report);
    double slope();
    bool find_direction(StepReport& report);
    bool solve_with(const BlockCsr& A, StepReport& report);
    double search_line(double slope, double gradient_norm, StepReport& report);

    const Model& model_;
    Options options_;
    Objective<double> objective_;
    std::unique_ptr<LinearSolver> linear_;
    std::vector<Vec3d> x_, trial_, gradient_, minus_, direction_;
    std::vector<Vec3d> next_start_;  // empty: the guess
    std::vector<double> partial_;
    BlockCsr shifted_;
    std::vector<Vec3d> contact_force_;  // by constraints, part of the load [N]
    std::unique_ptr<FactorCompliance<double>> compliance_;
    bool tangent_ = false;  // the factor is that of A at x_
    int passes_ = 0;        // of contact in this step
    QuietSteps quiet_;      // History
    double h_ = 0;          // [s]
    double scale_ = 0;      // what gradients of this step are compared with [N]
    double value_ = 0;
    double shift_ = 0;          // History: last one that worked; 0: none was needed
    int projections_left_ = 0;  // until an exact Hessian is tried again
};

}  // namespace limber
