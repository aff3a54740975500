// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/acting_constraints.h"

#include <algorithm>

#include "limber/contact/complementarity/group_laws.h"

namespace limber {

namespace {

bool two_sided(const ConstraintGroup& group) {
    return group.kind == ConstraintGroup::Kind::bilateral ||
           group.kind == ConstraintGroup::Kind::limited;
}

}  // namespace

void ActingConstraints::begin(const ConstraintSet& all) {
    all_ = &all;
    acts_.assign(all.groups.size(), 0);
    choose();
}

bool ActingConstraints::grow(std::span<const double> p, std::span<const double> u,
                             double tolerance) {
    bool grew = false;
    for (std::size_t g = 0; g < acts_.size(); ++g) {
        const ConstraintGroup& group = all_->groups[g];
        if (acts_[g] || !(two_sided(group) || p[group.row] != 0 || u[group.row] < -tolerance))
            continue;
        acts_[g] = 1;
        grew = true;
    }
    if (grew) choose();
    return grew;
}

void ActingConstraints::take_all() {
    if (std::ranges::find(acts_, 0) == acts_.end()) return;
    std::ranges::fill(acts_, 1);
    choose();
}

double ActingConstraints::left_out(std::span<const double> u) const {
    constexpr double none[3] = {0, 0, 0};
    double worst = 0;
    for (std::size_t g = 0; g < acts_.size(); ++g) {
        const ConstraintGroup& group = all_->groups[g];
        if (acts_[g] || !(u[group.row] < 0)) continue;
        // Without an impulse the diagonal of W does not matter.
        worst = std::max(worst, group_residual(group, 1, std::span(none).first(group.n_rows),
                                               u.subspan(group.row, group.n_rows)));
    }
    return worst;
}

/// Rows of the groups that act, in their order.
void ActingConstraints::choose() {
    rows_.clear();
    chosen_.clear();
    built_ = false;
    for (std::size_t g = 0; g < acts_.size(); ++g) {
        if (!acts_[g]) continue;
        const ConstraintGroup& group = all_->groups[g];
        for (Index r = group.row; r < group.row + group.n_rows; ++r) {
            for (const auto& e : all_->H.row(r)) chosen_.H.add(e.node, e.gradient);
            chosen_.end_row(all_->target[r]);
            rows_.push_back(r);
        }
        chosen_.groups.push_back(group);
        chosen_.groups.back().row = chosen_.n_rows() - group.n_rows;
    }
}

void ActingConstraints::build(Compliance& A, bool new_compliance) {
    if (built_ && !new_compliance) return;
    delassus_.build(chosen_.H, A, W_);
    built_ = true;
}

void ActingConstraints::load(std::span<const double> u_free, std::span<const double> p) {
    u_free_.resize(rows_.size());
    p_.resize(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        u_free_[i] = u_free[rows_[i]];
        p_[i] = p[rows_[i]];
    }
}

void ActingConstraints::store(std::span<double> p) const {
    std::ranges::fill(p, 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) p[rows_[i]] = p_[i];
}

}  // namespace limber
