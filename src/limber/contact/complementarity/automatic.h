// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/acting_part.h"
#include "limber/contact/complementarity/group_laws.h"
#include "limber/contact/complementarity/pivoting.h"
#include "limber/contact/complementarity/projected_gradient.h"
#include "limber/contact/complementarity/sweeping.h"

namespace limber {

/// A few sweeps. Where they do not get there, on the groups that act: projected gradients, which
/// large problems of equal bodies answer to, then pivots, which stiff and unequal ones do: bodies
/// that are stiff for their step make W nearly singular, so that sweeps need thousands where pivots
/// from the last step's answer take one or two. Groups that come to violate their law join, and it
/// begins again. What is left of the iterations goes to sweeps.
class AutomaticSolver final : public ComplementaritySolver {
  public:
    std::string_view name() const override { return "auto"; }
    ComplementarityStats solve(const ComplementarityProblem& problem,
                               const ComplementarityOptions& options, std::span<double> p) override;

  private:
    ComplementarityStats solve_part(const ComplementarityOptions& options, double goal);

    SweepingSolver sweeps_{ComplementarityMethod::coloured};
    SweepingSolver accelerated_{ComplementarityMethod::nonsmooth_cg};
    ProjectedGradient gradients_;
    PivotingSolver pivots_;
    ActingPart part_;
    GroupLaws laws_;
    BestIterate best_;
    std::vector<double> u_, before_;
};

}  // namespace limber
