// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/gmres.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index nodes_per_chunk = 1024;

/// y += s x
void add_scaled(double s, std::span<const Vec3d> x, std::span<Vec3d> y) {
    parallel_for(static_cast<Index>(x.size()), nodes_per_chunk, [&](Index i) { y[i] += s * x[i]; });
}

void scale(double s, std::span<Vec3d> y) {
    parallel_for(static_cast<Index>(y.size()), nodes_per_chunk, [&](Index i) { y[i] *= s; });
}

}  // namespace

GmresSolver::GmresSolver(const LinearSolverOptions& options)
    : options_(options), restart_(std::max(1, std::min(options.restart, options.max_iterations))) {
    basis_.resize(restart_ + 1);
    h_.resize(static_cast<std::size_t>(restart_ + 1) * restart_);
    cos_.resize(restart_);
    sin_.resize(restart_);
    g_.resize(restart_ + 1);
    y_.resize(restart_);
}

SolveStats GmresSolver::prepare(const BlockCsr& A, FreeMask free) {
    P_.update(A, {}, free);
    return {};
}

/// v_{k+1} = A P⁻¹ v_k made orthogonal to the vectors before it; its coefficients are column k of
/// h. Returns h_{k+1,k}.
double GmresSolver::extend_basis(const BlockCsr& A, FreeMask free, int k) {
    std::vector<Vec3d>& w = basis_[k + 1];
    w.resize(z_.size());
    P_.apply(basis_[k], z_);
    A.apply(z_, w);
    if (!free.empty())
        parallel_for(A.n_nodes(), nodes_per_chunk, [&](Index i) { w[i] = masked(w[i], free[i]); });
    for (int i = 0; i <= k; ++i) {
        h(i, k) = residual_.dot(basis_[i], w);
        add_scaled(-h(i, k), basis_[i], w);
    }
    const double length = std::sqrt(residual_.dot(w, w));
    if (length > 0) scale(1 / length, w);
    return h(k + 1, k) = length;
}

/// The old rotations, then a new one that makes h_{k+1,k} zero; g follows.
void GmresSolver::rotate_column(int k) {
    for (int i = 0; i < k; ++i) {
        const double a = h(i, k), b = h(i + 1, k);
        h(i, k) = cos_[i] * a + sin_[i] * b;
        h(i + 1, k) = cos_[i] * b - sin_[i] * a;
    }
    const double length = std::hypot(h(k, k), h(k + 1, k));
    cos_[k] = length > 0 ? h(k, k) / length : 1;
    sin_[k] = length > 0 ? h(k + 1, k) / length : 0;
    h(k, k) = length;
    h(k + 1, k) = 0;
    g_[k + 1] = -sin_[k] * g_[k];
    g_[k] *= cos_[k];
}

/// Vectors of one cycle from r with |r| = beta: until the residual falls to `target`, the vectors
/// or the iterations run out, or the Krylov space ends. Returns how many.
int GmresSolver::run_cycle(const BlockCsr& A, FreeMask free, double beta, double target, int most) {
    basis_[0].assign(r_.begin(), r_.end());
    scale(1 / beta, basis_[0]);
    g_[0] = beta;
    int k = 0;
    while (k < std::min(restart_, most)) {
        const double length = extend_basis(A, free, k);
        rotate_column(k++);
        if (!std::isfinite(g_[k]) || std::fabs(g_[k]) <= target || length == 0) break;
    }
    return k;
}

/// x += P⁻¹ Σ y_i v_i with h y = g. A zero on the diagonal of h is a direction in which A does
/// nothing: it takes no part.
void GmresSolver::add_correction(int n_vectors) {
    for (int i = n_vectors - 1; i >= 0; --i) {
        double sum = g_[i];
        for (int j = i + 1; j < n_vectors; ++j) sum -= h(i, j) * y_[j];
        y_[i] = h(i, i) != 0 ? sum / h(i, i) : 0;
    }
    std::ranges::fill(r_, Vec3d{});
    for (int i = 0; i < n_vectors; ++i) add_scaled(y_[i], basis_[i], r_);
    P_.apply(r_, z_);
    add_scaled(1, z_, x_);
}

SolveStats GmresSolver::solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                              std::span<Vec3d> x) {
    LIMBER_CHECK(P_.n_nodes() == A.n_nodes(), "prepare() saw this matrix");
    const double reference = residual_.right_norm(A, b, free, x);
    const double target = options_.rel_tolerance * reference;
    x_.assign(x.begin(), x.end());
    r_.resize(x.size());
    z_.resize(x.size());
    SolveStats stats;
    for (;;) {
        stats.absolute_residual = residual_.find(A, b, free, x_, r_);
        stats.residual = reference > 0 ? stats.absolute_residual / reference : 0;
        if (!std::isfinite(stats.absolute_residual)) {
            stats.status = SolveStatus::not_finite;
            return stats;
        }
        std::ranges::copy(x_, x.begin());
        if (stats.absolute_residual <= target) return stats;
        const int left = options_.max_iterations - stats.iterations;
        if (left <= 0) {
            stats.status = SolveStatus::iteration_cap;
            return stats;
        }
        const int used = run_cycle(A, free, stats.absolute_residual, target, left);
        stats.iterations += used;
        add_correction(used);
    }
}

}  // namespace limber
