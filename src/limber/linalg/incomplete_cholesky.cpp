// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/incomplete_cholesky.h"

#include <cmath>

#include "limber/core/check.h"
#include "limber/core/stop.h"
#include "limber/linalg/vec3_packet.h"

namespace limber {

namespace {

constexpr double first_shift = 1e-3, last_shift = 1;

// A pivot that keeps less than this share of its diagonal entry is rounding, or would make L⁻¹
// larger than the error it is to correct.
constexpr double smallest_pivot_share = 1e-10;

/// Rows and columns of prescribed degrees of freedom vanish.
Mat3d filtered_block(Mat3d B, const Vec3d& row, const Vec3d& column) {
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
    for (Triangle* t : {&lower_, &upper_}) {
        t->row_begin.assign(1, 0);
        t->column.clear();
    }
    for (Index i = 0; i < n; ++i) {
        const auto row =
            A.column().subspan(A.row_begin()[i], A.row_begin()[i + 1] - A.row_begin()[i]);
        for (const Index j : row)
            if (j != i) (j < i ? lower_ : upper_).column.push_back(j);
        for (Triangle* t : {&lower_, &upper_})
            t->row_begin.push_back(static_cast<Index>(t->column.size()));
    }
    LIMBER_CHECK(lower_.column.size() == upper_.column.size(), "the pattern is symmetric");
    for (Triangle* t : {&lower_, &upper_}) t->block.resize(t->column.size() + 1);
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
        if (factorize_shifted(A, free)) {
            transpose_lower();
            return stats;
        }
    stats.status = SolveStatus::indefinite;
    return stats;
}

/// Row by row: L_ik = (A_ik - Σ_{j<k} L_ij L_kjᵀ) L_kk⁻ᵀ, then L_ii L_iiᵀ = A_ii - Σ_j L_ij L_ijᵀ.
/// False at the first pivot that is not positive.
bool IncompleteCholesky::factorize_shifted(const BlockCsr& A, FreeMask free) {
    const auto mask = [&](Index i) { return free.empty() ? Vec3d{1, 1, 1} : free[i]; };
    const std::vector<Index>&row_begin = lower_.row_begin, &column = lower_.column;
    StreamedVector<Mat3d>& L = lower_.block;
    for (Index i = 0; i < A.n_nodes(); ++i) {
        if (i % 4096 == 0) stop_if_requested();
        const Index begin = row_begin[i], end = row_begin[i + 1], in_A = A.row_begin()[i] - begin;
        Mat3d pivot = filtered_block(A.blocks()[A.diagonal_position(i)], mask(i), mask(i));
        for (int axis = 0; axis < 3; ++axis)
            pivot(axis, axis) = mask(i)[axis] == 0 ? 1 : (1 + shift_) * pivot(axis, axis);
        const Vec3d scale{pivot(0, 0), pivot(1, 1), pivot(2, 2)};
        for (Index a = begin; a < end; ++a) {
            const Index k = column[a];
            Mat3d sum = filtered_block(A.blocks()[in_A + a], mask(i), mask(k));
            Index p = begin, q = row_begin[k];  // both rows ascend: walk them together
            while (p < a && q < row_begin[k + 1]) {
                const Index at_p = column[p], at_q = column[q];
                if (at_p == at_q) sum -= L[p] * transpose(L[q]);
                p += at_p <= at_q;
                q += at_q <= at_p;
            }
            L[a] = sum * transpose(inverse_diagonal_[k]);
            pivot -= L[a] * transpose(L[a]);
        }
        if (!invert_lower(pivot, scale, inverse_diagonal_[i])) return false;
    }
    return true;
}

void IncompleteCholesky::transpose_lower() {
    next_.assign(upper_.row_begin.begin(), upper_.row_begin.end() - 1);
    for (Index i = 0; i < n_nodes(); ++i)
        for (Index k = lower_.row_begin[i]; k < lower_.row_begin[i + 1]; ++k)
            upper_.block[next_[lower_.column[k]]++] = transpose(lower_.block[k]);
}

/// Σ_k B_k x_column[k] over one row, column by column of the blocks, two blocks in flight.
Vec3d IncompleteCholesky::Triangle::row_product(Index row, std::span<const Vec3d> x) const {
    const Index end = row_begin[row + 1];
    Four even, odd;
    const auto add = [&](Index k, Four& sum) {
        const double* B = block.data()[k].a;
        const Vec3d& v = x.data()[column.data()[k]];
        sum += Four::load(B) * Four(v.x) + Four::load(B + 3) * Four(v.y) +
               Four::load(B + 6) * Four(v.z);
    };
    Index k = row_begin[row];
    for (; k + 1 < end; k += 2) {
        add(k, even);
        add(k + 1, odd);
    }
    if (k < end) add(k, even);
    const Four sum = even + odd;
    return {sum[0], sum[1], sum[2]};
}

/// L y = r from the first row on, then Lᵀ z = y from the last one back.
void IncompleteCholesky::apply_inverse(std::span<const Vec3d> r, std::span<Vec3d> z) const {
    const Index n = n_nodes();
    LIMBER_CHECK(std::ssize(r) == n && std::ssize(z) == n, "one entry a node");
    for (Index i = 0; i < n; ++i) z[i] = inverse_diagonal_[i] * (r[i] - lower_.row_product(i, z));
    for (Index i = n - 1; i >= 0; --i)
        z[i] = transpose(inverse_diagonal_[i]) * (z[i] - upper_.row_product(i, z));
}

}  // namespace limber
