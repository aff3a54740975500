// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/group_laws.h"
#include "limber/contact/complementarity/sweeping.h"

namespace limber {

/// A direct method for small ill-conditioned problems, where sweeps crawl: stacks with heavy bodies
/// on light ones.
///
/// A pivot chooses the state of every group by the signs of its law (open, stick, slip, held) and
/// solves the linear system that the states make: block principal pivoting (Júdice & Pires 1994)
/// for rows without friction, and the semismooth Newton method of Alart & Curnier (1991) for those
/// with it, damped by a search along the step. Dense factorisations of the rows that act.
///
/// Pivots run on proximal problems (W + eps 1) p + u_free - eps p_k, in units in which groups have
/// a unit diagonal. Their solutions lead to one of the problem itself whatever eps is, they are
/// regular where W is singular, and where pivots fail a larger eps brings sweeps and pivots back
/// within reach.
///
/// Iterations are pivots. Factorisations allocate.
class PivotingSolver final : public ComplementaritySolver {
  public:
    std::string_view name() const override { return "pivoting"; }
    ComplementarityStats solve(const ComplementarityProblem& problem,
                               const ComplementarityOptions& options, std::span<double> p) override;

  private:
    /// A group's state with what its law says there.
    struct State {
        enum Kind : char { open, stick, slip } kind = open;
        double e[2]{}, ratio = 0;  // slip: direction of y_t - v_t and mu (y_n - v_n)/|y_t - v_t|
    };
    void scale_problem(const ComplementarityProblem& problem);
    bool solve_proximal(double eps, double goal, int max_pivots, int& n_pivots);
    double equations(std::span<const double> y, std::span<const double> v);
    bool pivot_direction();
    void fill_row(Index row, double* out) const;
    bool search(double& merit);

    GroupLaws laws_;
    BestIterate best_;
    SweepingSolver sweeps_{ComplementarityMethod::gauss_seidel};
    std::vector<double> u_;
    // The problem in units with a unit diagonal: y = p/unit, v = unit u, M = unit W unit + eps 1.
    std::vector<double> unit_;  // per row
    DenseMatrix scaled_, M_;
    std::vector<double> v_free_, shifted_free_, y_, v_, dy_, dv_, y_try_, v_try_, center_;
    std::vector<double> F_, F_try_;
    std::vector<State> states_, states_try_;  // per group
    std::vector<Index> group_of_, acting_;    // rows
    std::vector<double> matrix_, right_, row_;
    std::vector<ConstraintGroup> scaled_groups_;  // with limits of y
    std::span<const ConstraintGroup> groups_;     // those
};

}  // namespace limber
