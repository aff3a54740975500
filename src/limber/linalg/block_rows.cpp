// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/block_rows.h"

#include <algorithm>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/core/simd.h"

namespace limber {

namespace {

constexpr Index product_rows = 256;  // as in block_csr.cpp

/// Σ_k B_k x_{column[k]} over the blocks [begin, end) of one row, column by column as in
/// block_csr.cpp; what lands in the fourth lane is never used.
template <class Real>
inline Vec3<Real> rounded_row_product(const Real* block, const Index* column, Index begin,
                                      Index end, const Real* x) {
    using Lanes = Packet<Real, 4>;
    Lanes s0(Real(0)), s1(Real(0)), s2(Real(0)), t0(Real(0)), t1(Real(0)), t2(Real(0));
    const Real* B = block + 9 * static_cast<std::ptrdiff_t>(begin);
    Index k = begin;
    for (; k + 1 < end; k += 2, B += 18) {
        const Real* a = x + 3 * static_cast<std::ptrdiff_t>(column[k]);
        const Real* b = x + 3 * static_cast<std::ptrdiff_t>(column[k + 1]);
        s0 += Lanes::load(B) * Lanes(a[0]);
        s1 += Lanes::load(B + 3) * Lanes(a[1]);
        s2 += Lanes::load(B + 6) * Lanes(a[2]);
        t0 += Lanes::load(B + 9) * Lanes(b[0]);
        t1 += Lanes::load(B + 12) * Lanes(b[1]);
        t2 += Lanes::load(B + 15) * Lanes(b[2]);
    }
    if (k < end) {
        const Real* a = x + 3 * static_cast<std::ptrdiff_t>(column[k]);
        s0 += Lanes::load(B) * Lanes(a[0]);
        s1 += Lanes::load(B + 3) * Lanes(a[1]);
        s2 += Lanes::load(B + 6) * Lanes(a[2]);
    }
    const Lanes s = ((s0 + t0) + (s1 + t1)) + (s2 + t2);
    return {s[0], s[1], s[2]};
}

}  // namespace

template <class Real>
void BlockRows<Real>::bind(const BlockCsr& A) {
    pattern_ = &A;
    row_begin_ = A.row_begin();
    column_ = A.column();
    block_.resize(column_.size() + 1);
    partial_.resize(n_nodes() / product_rows + 1);
    Mat3<Real>* block = block_.data();
    parallel_ranges(n_blocks(), 16 * product_rows, [=](Index begin, Index end) {
        std::fill(block + begin, block + end, Mat3<Real>{});
    });
}

template <class Real>
void BlockRows<Real>::take(const BlockCsr& A) {
    bind(A);
    const Mat3d* from = A.blocks().data();
    Mat3<Real>* to = block_.data();
    parallel_for(n_blocks(), 16 * product_rows, [=](Index k) {
        for (int e = 0; e < 9; ++e) to[k].a[e] = static_cast<Real>(from[k].a[e]);
    });
}

template <class Real>
double BlockRows<Real>::apply(std::span<const Vec3<Real>> x, std::span<Vec3<Real>> y) {
    LIMBER_CHECK(std::ssize(x) == n_nodes() && x.size() == y.size(), "one entry a node");
    const Index *row_begin = row_begin_.data(), *column = column_.data();
    const Real *block = block_.data()->a, *in = &x.data()->x;
    const Vec3<Real>* at = x.data();
    Vec3<Real>* out = y.data();
    return parallel_sum(n_nodes(), product_rows, std::span(partial_), [=](Index begin, Index end) {
        double sum = 0;
        for (Index row = begin; row < end; ++row) {
            out[row] = rounded_row_product(block, column, row_begin[row], row_begin[row + 1], in);
            sum += static_cast<double>(dot(at[row], out[row]));
        }
        return sum;
    });
}

template class BlockRows<float>;
template class BlockRows<double>;

}  // namespace limber
