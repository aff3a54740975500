// SPDX-License-Identifier: Apache-2.0
// The smoother of one level: block diagonal, largest eigenvalue, Chebyshev polynomial.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "limber/core/parallel.h"
#include "limber/linalg/multigrid/level.h"
#include "limber/linalg/ritz.h"
#include "limber/linalg/vec6_packet.h"

namespace limber {

namespace {

constexpr Index smoother_rows = 128;

// Steps of Lanczos; they come within some per cent of λ_max from below, which the margin covers.
constexpr int lanczos_steps = 10;
constexpr double lambda_margin = 1.1;

// The polynomial is small on [λ_max / this, λ_max]: what lies below is the coarse level's work.
constexpr double smoothed_range = 8;

Index smoother_chunks(Index n) {
    return (n + smoother_rows - 1) / smoother_rows;
}

/// Inverse of a symmetric positive definite F x F block by Cholesky; false where it is not.
template <int F>
bool invert_spd(const double* B, double* out) {
    double L[F][F] = {}, M[F][F] = {};  // B = L Lᵀ, M = L⁻¹
    for (int j = 0; j < F; ++j) {
        double pivot = B[j + F * j];
        for (int k = 0; k < j; ++k) pivot -= L[j][k] * L[j][k];
        if (!(pivot > 0 && std::isfinite(pivot))) return false;
        L[j][j] = std::sqrt(pivot);
        for (int i = j + 1; i < F; ++i) {
            double sum = B[i + F * j];
            for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
            L[i][j] = sum / L[j][j];
        }
    }
    for (int j = 0; j < F; ++j) {
        M[j][j] = 1 / L[j][j];
        for (int i = j + 1; i < F; ++i) {
            double sum = 0;
            for (int k = j; k < i; ++k) sum -= L[i][k] * M[k][j];
            M[i][j] = sum / L[i][i];
        }
    }
    for (int i = 0; i < F; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int k = i; k < F; ++k) sum += M[k][i] * M[k][j];
            out[i + F * j] = out[j + F * i] = sum;
        }
    return true;
}

/// out = D⁻¹ in, one node, D⁻¹ by columns.
template <int F>
inline void apply_block(const double* inverse, const double* in, double* out) {
    for (int i = 0; i < F; ++i) out[i] = inverse[i] * in[0];
    for (int k = 1; k < F; ++k)
        for (int i = 0; i < F; ++i) out[i] += inverse[i + F * k] * in[k];
}

/// A number in (-1, 1) that looks random (the mixing of splitmix64).
double scatter(std::uint64_t k) {
    k = (k + 1) * 0x9e3779b97f4a7c15u;
    k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9u;
    k = (k ^ (k >> 27)) * 0x94d049bb133111ebu;
    k ^= k >> 31;
    return static_cast<double>(k >> 11) * 0x1p-52 - 1;
}

}  // namespace

MatrixView<3> view(const BlockCsr& A) {
    return {A.row_begin(), A.column(), A.n_blocks() > 0 ? A.blocks().data()->a : nullptr};
}
MatrixView<6> view(const CoarseMatrix& A) {
    return {A.pattern.row_begin, A.pattern.column, A.value.data()};
}

double CoarseMatrix::apply(const NodeVector<6>& x, NodeVector<6>& y) const {
    const Index n = pattern.n_rows();
    partial.resize(smoother_chunks(n));
    const auto rows = [&](Index begin, Index end) {
        double total = 0;
        for (Index row = begin; row < end; ++row) {
            Six sum;
            for (Index k = pattern.row_begin[row]; k < pattern.row_begin[row + 1]; ++k) {
                const double* B = value.data() + static_cast<std::size_t>(k) * n_modes * n_modes;
                const double* v = x[pattern.column[k]].a;
                for (int j = 0; j < n_modes; ++j) sum.add(v[j], Six::load(B + n_modes * j));
            }
            sum.store(y[row].a);
            total += dot(Six::load(x[row].a), sum);
        }
        return total;
    };
    return parallel_sum(n, smoother_rows, std::span(partial), rows);
}

template <int F>
bool MultigridLevel<F>::invert_diagonal(const MatrixView<F>& A) {
    bad_.assign(smoother_chunks(n_nodes()), 0);
    parallel_ranges(n_nodes(), smoother_rows, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            const auto row = A.column.subspan(A.row_begin[i], A.row_begin[i + 1] - A.row_begin[i]);
            const auto k = std::ranges::lower_bound(row, i) - row.begin() + A.row_begin[i];
            if (!invert_spd<F>(A.value + k * F * F,
                               &inverse_diagonal_[static_cast<std::size_t>(i) * F * F]))
                bad_[begin / smoother_rows] = 1;
        }
    });
    return std::ranges::find(bad_, 1) == bad_.end();
}

template <int F>
void MultigridLevel<F>::precondition(const NodeVector<F>& in, NodeVector<F>& out) const {
    const double *from = numbers(in), *inverse = inverse_diagonal_.data();
    double* to = numbers(out);
    parallel_for(n_nodes(), smoother_rows, [=](Index i) {
        const auto at = static_cast<std::size_t>(i) * F;
        apply_block<F>(inverse + at * F, from + at, to + at);
    });
}

/// Lanczos for D⁻¹A as the conjugate gradients that it is. False where a curvature is not positive.
template <int F>
bool MultigridLevel<F>::estimate_lambda_max(const LevelMatrix<F>& A) {
    const Index n = n_nodes() * F;
    double *residual = numbers(r), *direction = numbers(d_);
    const double *product = numbers(q_), *precond = numbers(z);
    partial_.resize(smoother_chunks(n));
    const auto dot_rz = [&] {
        return parallel_sum(n, smoother_rows, std::span(partial_), [&](Index begin, Index end) {
            double sum = 0;
            for (Index k = begin; k < end; ++k) sum += residual[k] * precond[k];
            return sum;
        });
    };
    for (Index k = 0; k < n; ++k) residual[k] = scatter(static_cast<std::uint64_t>(k));
    precondition(r, z);
    std::ranges::copy(z, d_.begin());
    RitzValues ritz;
    double rz = dot_rz();
    const double negligible = 1e-20 * rz;
    int steps = 0;
    while (steps < lanczos_steps && rz > negligible) {
        const double curvature = A.apply(d_, q_);
        if (!(curvature > 0 && std::isfinite(curvature))) return false;
        const double alpha = rz / curvature;
        parallel_for(n, smoother_rows, [=](Index k) { residual[k] -= alpha * product[k]; });
        precondition(r, z);
        const double next = dot_rz();
        const double beta = next / rz;
        ritz.add(alpha, beta);
        ++steps;
        rz = next;
        parallel_for(n, smoother_rows,
                     [=](Index k) { direction[k] = precond[k] + beta * direction[k]; });
    }
    if (steps == 0 || !std::isfinite(rz)) return false;
    lambda_max = lambda_margin * ritz.largest();
    return true;
}

template <int F>
bool MultigridLevel<F>::update(const LevelMatrix<F>& A, std::span<const double> modes) {
    if (!invert_diagonal(view(A)) || !estimate_lambda_max(A)) return false;
    orthonormalize(modes);
    smooth_prolongator(view(A));
    project(view(A));
    return true;
}

/// The three-term recurrence of the Chebyshev polynomial on [a, b] (Saad, Iterative Methods,
/// Algorithm 12.1).
template <int F>
void MultigridLevel<F>::smooth(const LevelMatrix<F>& A, int degree, bool update_residual) {
    const double b = lambda_max, a = lambda_max / smoothed_range;
    const double theta = 0.5 * (b + a), delta = 0.5 * (b - a), sigma = theta / delta;
    double rho = 1 / sigma, keep = 0, take = 1 / theta;
    const double* inverse = inverse_diagonal_.data();
    double *to_z = numbers(z), *to_r = numbers(r), *direction = numbers(d_);
    const double* product = numbers(q_);
    for (int step = 0; step < degree; ++step) {
        const bool first = step == 0;
        parallel_for(n_nodes(), smoother_rows, [=](Index i) {
            const auto at = static_cast<std::size_t>(i) * F;
            double change[F];
            if (!first)
                for (int k = 0; k < F; ++k) to_r[at + k] -= product[at + k];
            apply_block<F>(inverse + at * F, to_r + at, change);
            for (int k = 0; k < F; ++k) {
                direction[at + k] = take * change[k] + (first ? 0 : keep * direction[at + k]);
                to_z[at + k] += direction[at + k];
            }
        });
        if (step + 1 < degree || update_residual) A.apply(d_, q_);
        const double next = 1 / (2 * sigma - rho);
        keep = next * rho;
        take = 2 * next / delta;
        rho = next;
    }
    if (update_residual)
        parallel_for(n_nodes() * F, 4 * smoother_rows, [=](Index k) { to_r[k] -= product[k]; });
}

template class MultigridLevel<3>;
template class MultigridLevel<6>;

}  // namespace limber
