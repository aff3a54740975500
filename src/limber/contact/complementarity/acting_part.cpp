// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/acting_part.h"

#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index rows_per_chunk = 64;

}  // namespace

void ActingPart::begin(const ComplementarityProblem& whole) {
    whole_ = &whole;
    chosen_.assign(whole.groups.size(), 0);
    W_.resize(0);
}

bool ActingPart::grow(std::span<const double> p, std::span<const double> u) {
    using Kind = ConstraintGroup::Kind;
    bool grew = false;
    for (std::size_t g = 0; g < chosen_.size(); ++g) {
        const ConstraintGroup& group = whole_->groups[g];
        const bool two_sided = group.kind == Kind::bilateral || group.kind == Kind::limited;
        if (chosen_[g] || !(two_sided || p[group.row] != 0 || u[group.row] < 0)) continue;
        chosen_[g] = 1;
        grew = true;
    }
    if (!grew) return false;
    rows_.clear();
    groups_.clear();
    for (std::size_t g = 0; g < chosen_.size(); ++g) {
        if (!chosen_[g]) continue;
        ConstraintGroup group = whole_->groups[g];
        for (Index k = 0; k < group.n_rows; ++k) rows_.push_back(group.row + k);
        group.row = static_cast<Index>(rows_.size()) - group.n_rows;
        groups_.push_back(group);
    }
    const Index n = static_cast<Index>(rows_.size());
    W_.resize(n);
    u_free_.resize(n);
    parallel_for(n, rows_per_chunk, [&](Index i) {
        const std::span<const double> from = whole_->W.row(rows_[i]);
        const std::span<double> to = W_.row(i);
        for (Index j = 0; j < n; ++j) to[j] = from[rows_[j]];
        u_free_[i] = whole_->u_free[rows_[i]];
    });
    return true;
}

void ActingPart::load(std::span<const double> p) {
    p_.resize(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) p_[i] = p[rows_[i]];
}

void ActingPart::store(std::span<double> p) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) p[rows_[i]] = p_[i];
}

}  // namespace limber
