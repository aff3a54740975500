// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/contact/complementarity.h"

namespace limber {

/// The groups of a problem that matter, as a problem of their own: those with impulses, those that
/// violate their law and the two-sided ones. Most contacts of a step are open (Zeng et al. 2022
/// look at all that are near), and what is solved for all of them costs with the square or the cube
/// of their number. Groups left out have no impulse, so u_free of the rest is that of the whole.
class ActingPart {
  public:
    /// Begins with nothing, for a problem that outlives the part.
    void begin(const ComplementarityProblem& whole);
    /// Adds the groups that matter at p and u = u_free + W p; those there already stay. true where
    /// some were added.
    bool grow(std::span<const double> p, std::span<const double> u);

    Index n_rows() const { return W_.n(); }
    ComplementarityProblem problem() const { return {W_, u_free_, groups_}; }
    /// The part's rows of p, their place, and back.
    void load(std::span<const double> p);
    std::span<double> impulses() { return p_; }
    void store(std::span<double> p) const;

  private:
    const ComplementarityProblem* whole_ = nullptr;
    std::vector<char> chosen_;  // per group of the whole
    std::vector<Index> rows_;   // of the whole
    std::vector<ConstraintGroup> groups_;
    DenseMatrix W_;
    std::vector<double> u_free_, p_;
};

}  // namespace limber
