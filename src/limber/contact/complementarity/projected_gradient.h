// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/group_laws.h"

namespace limber {

/// Accelerated projected gradients (Mazhar et al. 2015): needs products W p only, one an iteration,
/// hence for W that is not built (Zeng et al. 2022, Alg. 2).
///
/// It minimises ½ pᵀWp + pᵀ(u_free + s n) over the cones. With s = 0 that is the associated law,
/// which lifts sliding contacts; Coulomb's law has s = mu |u_t| (De Saxcé), so s follows u_t
/// whenever the minimum for the last s is near enough (Cadoux 2009). That settles for mu up to
/// about 5, and is reported where it does not. Groups are scaled by their diagonals.
///
/// Iterations are products.
class ProjectedGradient final : public ComplementaritySolver {
  public:
    std::string_view name() const override { return "projected_gradient"; }
    ComplementarityStats solve(const ComplementarityProblem& problem,
                               const ComplementarityOptions& options, std::span<double> p) override;
    ComplementarityStats solve(const UnbuiltProblem& problem, const ComplementarityOptions& options,
                               std::span<double> p);

  private:
    void set_units(const UnbuiltProblem& problem);
    void apply(ImpulseOperator& W, std::span<const double> y, std::span<double> My);
    void project(std::span<double> y) const;
    void set_shift(double share);
    double step_residual() const;
    double true_residual();
    void descend(std::span<const double> Mz);
    bool overshoots() const;
    void move(double beta);
    int iterate(ImpulseOperator& W, const ComplementarityOptions& options, double goal);

    std::span<const ConstraintGroup> groups_;
    std::span<const double> u_free_;
    std::vector<double> d_, unit_;  // per group, 1/sqrt(d)
    std::vector<double> v_free_;    // all in units with a unit diagonal: y = p/unit, v = unit u
    std::vector<double> shift_;     // s, per group
    std::vector<double> y_, My_, z_, Mz_, y_next_, My_next_, gradient_, p_, u_;
    double L_ = 1;  // of the gradient, found on the way
    BestIterate best_;
    std::vector<double> diagonal_, zero_;  // of a built W
};

}  // namespace limber
