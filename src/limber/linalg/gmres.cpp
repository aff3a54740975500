// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/gmres.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index gmres_nodes = 1024;

/// y += s x
void add_scaled(double s, std::span<const Vec3d> x, std::span<Vec3d> y) {
    parallel_for(static_cast<Index>(x.size()), gmres_nodes, [&](Index i) { y[i] += s * x[i]; });
}

void scale(double s, std::span<Vec3d> y) {
    parallel_for(static_cast<Index>(y.size()), gmres_nodes, [&](Index i) { y[i] *= s; });
}

}  // namespace

GmresSolver::GmresSolver(const LinearSolverOptions& options)
    : IterativeSolver(options),
      restart_(std::max(1, std::min(options.restart, options.max_iterations))) {
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
        parallel_for(A.n_nodes(), gmres_nodes, [&](Index i) { w[i] = masked(w[i], free[i]); });
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

/// One cycle: until the residual falls to the target, the vectors or the iterations run out, or the
/// Krylov space ends.
int GmresSolver::improve(const Round& round) {
    LIMBER_CHECK(P_.n_nodes() == round.A.n_nodes(), "prepare() saw this matrix");
    z_.resize(r_.size());
    basis_[0].assign(r_.begin(), r_.end());
    scale(1 / round.residual, basis_[0]);
    g_[0] = round.residual;
    int k = 0;
    while (k < std::min(restart_, round.most)) {
        const double length = extend_basis(round.A, round.free, k);
        rotate_column(k++);
        if (!std::isfinite(g_[k]) || std::fabs(g_[k]) <= round.target || length == 0) break;
    }
    add_correction(k);
    return k;
}

}  // namespace limber
