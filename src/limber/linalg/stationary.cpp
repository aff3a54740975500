// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/stationary.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/core/stop.h"

namespace limber {

namespace {

constexpr Index stationary_nodes = 1024;
constexpr int sweeps_between_residuals = 10;

// Share of 2 / λ_max that the automatic damping takes: at the whole of it the roughest error would
// change sign for ever where the bound is exact.
constexpr double share_of_limit = 0.95;

}  // namespace

StationarySolver::StationarySolver(const LinearSolverOptions& options) : IterativeSolver(options) {
    LIMBER_CHECK(options.omega > 0 && options.omega < 2, "omega of SOR lies in (0, 2)");
    if (options.method == LinearMethod::sor) omega_ = options.omega;
}

SolveStats StationarySolver::prepare(const BlockCsr& A, FreeMask free) {
    const Index n = A.n_nodes();
    LIMBER_CHECK(free.empty() || std::ssize(free) == n, "the mask has one entry a node");
    inverse_.resize(n);
    SolveStats stats;
    for (Index i = 0; i < n; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const bool is_free = free.empty() || free[i][axis] != 0;
            const double d = A.blocks()[A.diagonal_position(i)](axis, axis);
            inverse_[i][axis] = is_free ? 1 / d : 0;
            if (is_free && !(d > 0)) stats.status = SolveStatus::indefinite;
            if (is_free && !std::isfinite(d)) stats.status = SolveStatus::not_finite;
            if (stats.failed()) return stats;
        }
    if (options_.method != LinearMethod::jacobi) return stats;
    omega_ = options_.damping > 0 ? options_.damping
                                  : std::min(1.0, share_of_limit * 2 / row_sum_bound(A));
    return stats;
}

/// max_i Σ_j |a_ij| / √(a_ii a_jj) over the free degrees of freedom: no eigenvalue of D⁻¹A is
/// larger.
double StationarySolver::row_sum_bound(const BlockCsr& A) const {
    double largest = 0;
    for (Index i = 0; i < A.n_nodes(); ++i) {
        Vec3d sum;
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k) {
            const Vec3d d = inverse_[A.column()[k]];
            const Vec3d s{std::sqrt(d.x), std::sqrt(d.y), std::sqrt(d.z)};
            for (int axis = 0; axis < 3; ++axis)
                for (int j = 0; j < 3; ++j) sum[axis] += std::fabs(A.blocks()[k](axis, j)) * s[j];
        }
        for (int axis = 0; axis < 3; ++axis)
            largest = std::max(largest, sum[axis] * std::sqrt(inverse_[i][axis]));
    }
    return std::max(largest, 1.0);
}

/// x += ω D⁻¹ (b - A x)
void StationarySolver::sweep_jacobi(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free) {
    residual_.find(A, b, free, x_, r_);
    parallel_for(A.n_nodes(), stationary_nodes, [&](Index i) {
        for (int axis = 0; axis < 3; ++axis)
            x_[i][axis] += omega_ * inverse_[i][axis] * r_[i][axis];
    });
}

/// x_i += ω (b_i - Σ_j a_ij x_j) / a_ii, where every x_j is the newest.
void StationarySolver::sweep_in_order(const BlockCsr& A, std::span<const Vec3d> b) {
    stop_if_requested();
    for (Index i = 0; i < A.n_nodes(); ++i) {
        Vec3d r = b[i];  // of the whole node, then corrected as its own numbers change
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            r -= A.blocks()[k] * x_[A.column()[k]];
        const Mat3d& D = A.blocks()[A.diagonal_position(i)];
        for (int axis = 0; axis < 3; ++axis) {
            if (inverse_[i][axis] == 0) continue;  // prescribed
            const double change = omega_ * inverse_[i][axis] * r[axis];
            x_[i][axis] += change;
            r -= change * D.col(axis);
        }
    }
}

int StationarySolver::improve(const Round& round) {
    LIMBER_CHECK(std::ssize(inverse_) == round.A.n_nodes(), "prepare() saw this matrix");
    const int sweeps = std::min(sweeps_between_residuals, round.most);
    for (int k = 0; k < sweeps; ++k)
        if (options_.method == LinearMethod::jacobi)
            sweep_jacobi(round.A, round.b, round.free);
        else
            sweep_in_order(round.A, round.b);
    return sweeps;
}

}  // namespace limber
