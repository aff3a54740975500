// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/contact/complementarity.h"
#include "limber/contact/constraint_set.h"
#include "limber/linalg/schur/compliance.h"

namespace limber {

/// The groups of a step's constraints that act, and W for them alone. Seven to nine of ten contacts
/// of a step are open (all that are near are looked at), and W costs with the square of its rows
/// and with the nodes they touch. So W is built for a guess: what pushed before, what would close
/// under those impulses, and all joints. Once that is solved the velocities of the whole step tell
/// whether any other closes; those join, and it is solved again. Where none does the answer is that
/// of all constraints: a group without impulse adds nothing to the others.
class ActingConstraints {
  public:
    /// Begins with none of them. `all` outlives its use.
    void begin(const ConstraintSet& all);
    /// Adds the groups that act at impulses p and velocities u of all rows: two-sided ones, those
    /// with an impulse, and those that close faster than `tolerance` [m/s]. True where some were
    /// added.
    bool grow(std::span<const double> p, std::span<const double> u, double tolerance);
    void take_all();
    /// The largest residual of the groups left out, at velocities u of all rows [m/s].
    double left_out(std::span<const double> u) const;

    Index n_rows() const { return chosen_.n_rows(); }
    /// W of the chosen rows, where they or A have changed since it was built.
    void build(Compliance& A, bool new_compliance);
    /// The chosen rows of u_free and p, as a problem; and their p back.
    void load(std::span<const double> u_free, std::span<const double> p);
    ComplementarityProblem problem() const { return {W_, u_free_, chosen_.groups}; }
    std::span<double> impulses() { return p_; }
    void store(std::span<double> p) const;

  private:
    void choose();

    const ConstraintSet* all_ = nullptr;
    std::vector<char> acts_;   // per group of all
    std::vector<Index> rows_;  // of all, chosen
    ConstraintSet chosen_;     // its targets are not used
    bool built_ = false;       // W_ is that of chosen_
    Delassus delassus_;
    DenseMatrix W_;
    std::vector<double> u_free_, p_;
};

}  // namespace limber
