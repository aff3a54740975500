// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/linalg/supernodal/solve_workspace.h"

namespace limber {

namespace {

/// r = b - A x on the free degrees of freedom; returns |r|.
double find_residual(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                     std::span<const Vec3d> x, std::span<Vec3d> r) {
    A.apply(x, r);
    double sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        r[i] = b[i] - r[i];
        if (!free.empty())
            for (int axis = 0; axis < 3; ++axis)
                if (free[i][axis] == 0) r[i][axis] = 0;
        sum += squared_norm(r[i]);
    }
    return std::sqrt(sum);
}

}  // namespace

template <class T>
SolveStats SupernodalCholesky<T>::solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                                        double b_norm, std::span<Vec3d> x, int refinements) const {
    Numeric& f = *numeric_;
    typename Numeric::Solver& w = f.workspace();
    LIMBER_CHECK(
        std::ssize(x) == n_nodes() && std::ssize(b) == n_nodes() && A.n_nodes() == n_nodes(),
        "A, b and x have one entry a node");
    LIMBER_CHECK(std::ranges::equal(free, f.free), "the mask is the factor's");
    w.trial.assign(x.begin(), x.end());
    w.residual.resize(x.size());
    w.change.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (free.empty() || free[i][axis] != 0) w.trial[i][axis] = 0;

    SolveStats stats;
    stats.status = SolveStatus::direct;
    const double start = find_residual(A, b, free, w.trial, w.residual);
    const double reference = b_norm > 0 ? b_norm : start;
    for (int round = 0; round <= refinements; ++round) {
        solve(w.residual, w.change);
        for (std::size_t i = 0; i < x.size(); ++i) w.trial[i] += w.change[i];
        stats.absolute_residual = find_residual(A, b, free, w.trial, w.residual);
        stats.residual = reference > 0 ? stats.absolute_residual / reference : 0;
        stats.iterations = round;
        if (!std::isfinite(stats.absolute_residual)) {
            stats.status = SolveStatus::not_finite;
            return stats;
        }
    }
    std::ranges::copy(w.trial, x.begin());
    return stats;
}

template SolveStats SupernodalCholesky<double>::solve(const BlockCsr&, std::span<const Vec3d>,
                                                      FreeMask, double, std::span<Vec3d>,
                                                      int) const;
template SolveStats SupernodalCholesky<float>::solve(const BlockCsr&, std::span<const Vec3d>,
                                                     FreeMask, double, std::span<Vec3d>, int) const;

}  // namespace limber
