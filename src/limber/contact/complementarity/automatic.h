// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/pivoting.h"
#include "limber/contact/complementarity/sweeping.h"

namespace limber {

/// A few sweeps; where they do not get there and the problem is small enough for dense factors,
/// pivots; then the rest of the sweeps. Bodies that are stiff for their step make W nearly
/// singular: sweeps then need thousands, pivots from the last step's answer one or two.
class AutomaticSolver final : public ComplementaritySolver {
  public:
    std::string_view name() const override { return "auto"; }
    ComplementarityStats solve(const ComplementarityProblem& problem,
                               const ComplementarityOptions& options, std::span<double> p) override;

  private:
    SweepingSolver sweeps_{ComplementarityMethod::coloured};
    PivotingSolver pivots_;
};

}  // namespace limber
