// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/constant_matrix.h"

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/solve/model.h"

namespace limber {

namespace {

constexpr Index grain = 2048;

}  // namespace

template <class Real>
bool ConstantMatrix<Real>::begin(Objective<Real>& objective) {
    const bool changes = exact_ ? objective.matrix_changes() : !objective.contacts().empty();
    if (h_ == objective.h() && !changes && !changed_) return true;
    const BlockCsr& P = exact_ ? objective.projective_matrix() : objective.scalar_matrix();
    pattern_ = &P;
    scalar_ = scalar_blocks(P, value_);
    const SolveStats stats =
        scalar_ ? numbers_.factorize(P, value_, model_.free) : blocks_.factorize(P, model_.free);
    h_ = stats.failed() ? 0 : objective.h();
    changed_ = changes;
    return !stats.failed();
}

template <class Real>
void ConstantMatrix<Real>::solve(std::span<const Vec3<Real>> b, std::span<Vec3<Real>> x) {
    if (scalar_) return numbers_.solve(b, x);
    const Index n = static_cast<Index>(b.size());
    wide_.resize(b.size());
    parallel_for(n, grain, [&](Index i) {
        for (int k = 0; k < 3; ++k) wide_[i][k] = static_cast<double>(b[i][k]);
    });
    blocks_.solve(wide_, wide_);
    parallel_for(n, grain, [&](Index i) {
        for (int k = 0; k < 3; ++k) x[i][k] = static_cast<Real>(wide_[i][k]);
    });
}

template <class Real>
double ConstantMatrix<Real>::form(std::span<const Vec3<Real>> s) {
    LIMBER_CHECK(scalar_ && std::ssize(s) == pattern_->n_nodes(), "a vector of numbers' matrix");
    partial_.resize(s.size() / grain + 1);
    const Index *row_begin = pattern_->row_begin().data(), *column = pattern_->column().data();
    return parallel_sum<double>(
        static_cast<Index>(s.size()), grain, partial_, [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i) {
                Vec3d Ps;
                for (Index k = row_begin[i]; k < row_begin[i + 1]; ++k)
                    for (int axis = 0; axis < 3; ++axis)
                        Ps[axis] += value_[k] * static_cast<double>(s[column[k]][axis]);
                for (int axis = 0; axis < 3; ++axis)
                    sum += Ps[axis] * static_cast<double>(s[i][axis]);
            }
            return sum;
        });
}

template class ConstantMatrix<float>;
template class ConstantMatrix<double>;

}  // namespace limber
