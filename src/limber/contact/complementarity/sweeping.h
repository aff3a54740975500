// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/block_sweeps.h"
#include "limber/contact/complementarity/group_laws.h"

namespace limber {

/// The solvers made of Gauss-Seidel sweeps (Zeng et al. 2022, (16)), each group solved exactly with
/// the others held, OneContact for friction:
///   gauss_seidel  in the order of the groups, one thread;
///   coloured      BlockSweeps on all threads: the same bits for any number of them;
///   nonsmooth_cg  sweeps as the descent direction of nonsmooth nonlinear conjugate gradients
///                 (Silcowitz, Niebe & Erleben 2010), on all threads.
///
/// They work in rounds. A round sweeps over the groups that act or violate their law, from a packed
/// copy of their part of W, and ends with the exact u = u_free + W p and residual of the whole
/// problem. Groups that come to violate their law join; so what is far from contact costs one
/// product a round instead of one a sweep, and a copy in single precision costs no accuracy: the
/// next round starts from the exact u. Where it gains nothing any more the copy is in double.
class SweepingSolver final : public ComplementaritySolver {
  public:
    explicit SweepingSolver(ComplementarityMethod method) : method_(method) {}
    std::string_view name() const override;
    ComplementarityStats solve(const ComplementarityProblem& problem,
                               const ComplementarityOptions& options, std::span<double> p) override;

  private:
    bool choose_groups(std::span<const double> p, bool may_shrink);
    int plain_round(const ComplementarityOptions& options, double goal, int max_sweeps);
    int accelerated_round(const ComplementarityOptions& options, double goal, int max_sweeps);
    double extrapolate(double last_gradient);

    ComplementarityMethod method_;
    GroupLaws laws_;
    BlockSweeps sweeps_;
    BestIterate best_;
    std::vector<char> chosen_;
    std::vector<Index> list_;
    std::vector<double> u_;
    std::vector<double> p_before_, u_before_, direction_, W_direction_;  // nonsmooth_cg
    int plain_sweeps_ = 0;
};

}  // namespace limber
