// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"
#include "limber/fem/elements/tet_store.h"
#include "limber/mesh/colouring.h"
#include "limber/solve/stepper.h"

namespace limber {

struct XpbdOptions {
    int substeps = 20;
};

template <class Visitor>
void fields(Visitor& field, XpbdOptions& o) {
    field("substeps", o.substeps, between(1, 1e6),
          "equal parts of a time step; every constraint is solved once in each");
}

/// Extended position based dynamics in small steps (Macklin et al. 2016 and 2019): a baseline. A
/// step is cut into sub-steps; in each, nodes move on with their velocities and loads, and then
/// every constraint C with energy k/2 C² is solved once by itself,
///
///   Δλ = −(C + γ ∇C·(x − x_t)) / ((1 + γ) Σ w |∇C|² + 1/(k h²)),   Δx = w ∇C Δλ,   γ = b/h
///
/// colour by colour, b the damping by stiffness. Nothing is iterated to convergence: how near a
/// stiff body comes to its law depends on the number of sub-steps.
///
/// A tet has two constraints, for shape and for volume, as Macklin & Müller 2021 have it.
/// Deviation: theirs belong to a law with another rest state; these are such that k/2 C² add up to
/// the very law of the other solvers, so that the answer goes to theirs as the sub-steps become
/// small.
///   corotated     C = |S − I|, k = 2μV      C = tr(S − I), k = λV
///   neo_hookean   C = √(J^-⅔ I − 3), k = 2 s0 V      C = J − 1, k = 2 s1 V
/// Damping by stiffness acts along ∇C alone: what the second derivative of C adds to K is left out.
/// Contact terms are those of the whole step, spread over it.
class XpbdStepper final : public Stepper {
  public:
    using Options = XpbdOptions;
    XpbdStepper(const Model& model, const Options& options);
    std::string_view name() const override { return "xpbd"; }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    void integrate(const StepInput& in, State& state) const override;
    std::string describe() override;

  private:
    template <int N>
    struct Group {  // of constraints of one kind
        std::vector<std::array<Index, N>> nodes;
        Colouring colours;
    };
    template <int N>
    void colour(Group<N>& group);
    template <int N, class F>
    void sweep(const Group<N>& group, F&& f);
    template <int N>
    void project(const std::array<Index, N>& nodes, double C, const std::array<Vec3d, N>& gradient,
                 double k, double damping);
    template <int N>
    void push(const std::array<Index, N>& nodes, const std::array<Vec3d, N>& step);
    void predict(const StepInput& in, const State& state, int part);
    void solve_tet(Index t);
    void solve_spring(Index e);
    void solve_hinge(Index e);
    void solve_viscosity(Index e);
    void solve_contacts(const StepInput& in);
    void find_reactions(const StepInput& in, const State& state, NodeForces& forces) const;

    const Model& model_;
    Options options_;
    double h_ = 0;  // of a sub-step [s]
    Group<4> tets_, hinges_;
    Group<2> springs_, viscous_;
    TetStore<double, 1> rest_;
    std::vector<Vec3d> x_, before_, v_;
    std::vector<Vec3d> inverse_mass_;  // 1/(m + h c) along free axes, 0 along others [1/kg]
    std::vector<Vec3d> pull_;          // of constraints on pinned axes, averaged over the step [N]
};

}  // namespace limber
