// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/pivoting.h"
#include "limber/contact/complementarity/projected_gradient.h"
#include "limber/contact/complementarity/sweeping.h"

namespace limber {

/// A few sweeps; where they do not get there projected gradients, which large problems of equal
/// bodies answer to; then pivots, which stiff and unequal ones do: bodies that are stiff for their
/// step make W nearly singular, so that sweeps need thousands where pivots from the last step's
/// answer take one or two. What is left of the iterations goes to gradients and sweeps.
class AutomaticSolver final : public ComplementaritySolver {
  public:
    std::string_view name() const override { return "auto"; }
    ComplementarityStats solve(const ComplementarityProblem& problem,
                               const ComplementarityOptions& options, std::span<double> p) override;

  private:
    SweepingSolver sweeps_{ComplementarityMethod::coloured};
    ProjectedGradient gradients_;
    PivotingSolver pivots_;
    std::vector<double> before_;
};

}  // namespace limber
