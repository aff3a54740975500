// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/incomplete_cholesky.h"

#include <cmath>

#include "limber/core/check.h"

namespace limber {

namespace {

constexpr double first_shift = 1e-3, last_shift = 1;

// A pivot that keeps less than this share of its diagonal entry is rounding, or would make L⁻¹
// larger than the error it is to correct.
constexpr double smallest_pivot_share = 1e-10;

/// Rows and columns of prescribed degrees of freedom vanish.
Mat3d filtered(Mat3d B, const Vec3d& row, const Vec3d& column) {
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            if (row[i] == 0 || column[j] == 0) B(i, j) = 0;
    return B;
}

/// L⁻¹ of B = L Lᵀ; false where a pivot is not safely positive against `scale`, the diagonal.
bool invert_lower(const Mat3d& B, const Vec3d& scale, Mat3d& inverse) {
    const auto root = [&](double pivot, int i, double& out) {
        out = std::sqrt(pivot);
        return pivot > smallest_pivot_share * scale[i] && std::isfinite(pivot);
    };
    double l00, l11, l22;
    if (!root(B(0, 0), 0, l00)) return false;
    const double l10 = B(1, 0) / l00, l20 = B(2, 0) / l00;
    if (!root(B(1, 1) - l10 * l10, 1, l11)) return false;
    const double l21 = (B(2, 1) - l20 * l10) / l11;
    if (!root(B(2, 2) - l20 * l20 - l21 * l21, 2, l22)) return false;
    inverse = Mat3d::diagonal(1 / l00, 1 / l11, 1 / l22);
    inverse(1, 0) = -l10 / (l00 * l11);
    inverse(2, 1) = -l21 / (l11 * l22);
    inverse(2, 0) = (l10 * l21 - l11 * l20) / (l00 * l11 * l22);
    return true;
}

}  // namespace

void IncompleteCholesky::analyze(const BlockCsr& A) {
    const Index n = A.n_nodes();
    row_begin_.assign(1, 0);
    column_.clear();
    for (Index i = 0; i < n; ++i) {
        for (Index k = A.row_begin()[i]; k < A.diagonal_position(i); ++k)
            column_.push_back(A.column()[k]);
        row_begin_.push_back(static_cast<Index>(column_.size()));
    }
    lower_.resize(column_.size());
    inverse_diagonal_.resize(n);
}

SolveStats IncompleteCholesky::update(const BlockCsr& A, FreeMask free) {
    LIMBER_CHECK(free.empty() || std::ssize(free) == A.n_nodes(), "the mask has one entry a node");
    analyze(A);
    SolveStats stats;
    stats.status = SolveStatus::direct;
    for (const Mat3d& block : A.blocks())
        if (!is_finite(block)) {
            stats.status = SolveStatus::not_finite;
            return stats;
        }
    for (shift_ = 0; shift_ <= last_shift; shift_ = shift_ == 0 ? first_shift : 2 * shift_)
        if (factorize_shifted(A, free)) return stats;
    stats.status = SolveStatus::indefinite;
    return stats;
}

/// Row by row: L_ik = (A_ik - Σ_{j<k} L_ij L_kjᵀ) L_kk⁻ᵀ, then L_ii L_iiᵀ = A_ii - Σ_j L_ij L_ijᵀ.
/// False at the first pivot that is not positive.
bool IncompleteCholesky::factorize_shifted(const BlockCsr& A, FreeMask free) {
    const auto mask = [&](Index i) { return free.empty() ? Vec3d{1, 1, 1} : free[i]; };
    for (Index i = 0; i < A.n_nodes(); ++i) {
        const Index begin = row_begin_[i], end = row_begin_[i + 1], in_A = A.row_begin()[i] - begin;
        Mat3d pivot = filtered(A.blocks()[A.diagonal_position(i)], mask(i), mask(i));
        for (int axis = 0; axis < 3; ++axis)
            pivot(axis, axis) = mask(i)[axis] == 0 ? 1 : (1 + shift_) * pivot(axis, axis);
        const Vec3d scale{pivot(0, 0), pivot(1, 1), pivot(2, 2)};
        for (Index a = begin; a < end; ++a) {
            const Index k = column_[a];
            Mat3d sum = filtered(A.blocks()[in_A + a], mask(i), mask(k));
            Index p = begin, q = row_begin_[k];  // both rows ascend: walk them together
            while (p < a && q < row_begin_[k + 1]) {
                if (column_[p] == column_[q]) sum -= lower_[p] * transpose(lower_[q]);
                const Index at_p = column_[p], at_q = column_[q];
                p += at_p <= at_q;
                q += at_q <= at_p;
            }
            lower_[a] = sum * transpose(inverse_diagonal_[k]);
            pivot -= lower_[a] * transpose(lower_[a]);
        }
        if (!invert_lower(pivot, scale, inverse_diagonal_[i])) return false;
    }
    return true;
}

/// L y = r row by row, then Lᵀ z = y: each row, from the last on, is subtracted from those it
/// depends on.
void IncompleteCholesky::apply_inverse(std::span<const Vec3d> r, std::span<Vec3d> z) const {
    const Index n = n_nodes();
    LIMBER_CHECK(std::ssize(r) == n && std::ssize(z) == n, "one entry a node");
    for (Index i = 0; i < n; ++i) {
        Vec3d sum = r[i];
        for (Index k = row_begin_[i]; k < row_begin_[i + 1]; ++k) sum -= lower_[k] * z[column_[k]];
        z[i] = inverse_diagonal_[i] * sum;
    }
    for (Index i = n - 1; i >= 0; --i) {
        z[i] = transpose(inverse_diagonal_[i]) * z[i];
        for (Index k = row_begin_[i]; k < row_begin_[i + 1]; ++k)
            z[column_[k]] -= transpose(lower_[k]) * z[i];
    }
}

}  // namespace limber
