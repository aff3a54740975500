// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/group_laws.h"

namespace limber {

/// Projected Gauss-Seidel by groups (Zeng et al. 2022, (16)): each group is solved exactly with the
/// others held, OneContact for friction, and its change is sent to all rows at once.
class GaussSeidel final : public ComplementaritySolver {
  public:
    std::string_view name() const override { return "gauss_seidel"; }
    ComplementarityStats solve(const ComplementarityProblem& problem,
                               const ComplementarityOptions& options, std::span<double> p) override;

  private:
    GroupLaws laws_;
    BestIterate best_;
    std::vector<double> u_;
};

/// One sweep in the order of the groups that keeps u = u_free + W p.
void gauss_seidel_sweep(const DenseMatrix& W, const GroupLaws& laws, std::span<double> p,
                        std::span<double> u);

}  // namespace limber
