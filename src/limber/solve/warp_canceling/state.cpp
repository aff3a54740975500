// SPDX-License-Identifier: Apache-2.0
// The sides of WarpCancelingStepper that a step does not pass through: checkpoints, decisions and
// what it tells of itself.
#include <algorithm>
#include <cmath>

#include "limber/core/history.h"
#include "limber/solve/warp_canceling/warp_canceling.h"

namespace limber {

void WarpCancelingStepper::reset() {
    rotations_.reset(model_.elements);
    nodes_.reset(model_.n_nodes());
    frames_.reset(model_.elements);
    std::fill(last_change_.begin(), last_change_.end(), Vec3d{});
    contact_nodes_.clear();
    h_ = 0;
    age_.reset();
    upright_ = always_upright_;
    reframed_.clear();
}

bool WarpCancelingStepper::clocked() const {
    const bool budget =
        options_.schedule == ScheduleKind::time || options_.schedule == ScheduleKind::hybrid;
    return budget && options_.costs == CostKind::clock;
}

void WarpCancelingStepper::replay(std::span<const Index> decisions) {
    replayed_.assign(decisions.begin(), decisions.end());
    replaying_ = clocked();
}

std::string WarpCancelingStepper::describe() {
    prepare_factor();
    return with_factor(
        [](const auto& factor) { return describe_factor(factor.memory(), factor.structure()); });
}

void WarpCancelingStepper::describe_cells(CellFields& out) const {
    if (!marks_) return;
    CellField supernode{"supernode", {}, "supernode", true},
        updated{"updated", {}, "updated this step"}, badness{"badness", {}};
    for (Index t = 0; t < model_.n_tets(); ++t) {
        supernode.value.push_back(tet_supernode_[t]);
        updated.value.push_back(updated_[t]);
        badness.value.push_back(error_[t]);
    }
    out.insert(out.end(), {std::move(supernode), std::move(updated)});
    if (needs_estimate()) out.push_back(std::move(badness));
}

// The factor is not saved: it follows from the matrix, to the same bits (SupernodalCholesky).
template <class List, class Self>
void WarpCancelingStepper::list_history(List& list, Self& self) {
    list.numbers("rotations", self.rotations_.element);
    for (auto& column : self.nodes_.column) list.numbers("node_rotations", column);
    list.numbers("warp_frames", self.frames_.tet);
    list.flags("upright", self.upright_);
    list.numbers("last_change", self.last_change_);
    list.wholes("warp_contacts", self.contact_nodes_, 0, self.model_.n_nodes() - 1);
    list.numbers("warped", self.warped_.blocks());
    list.number("factor_step", self.h_);
    FactorAge::list_history(list, self.age_);
}

void WarpCancelingStepper::save(ByteWriter& out) const {
    HistoryWriter list(out);
    list_history(list, *this);
}

void WarpCancelingStepper::load(ByteReader& in) {
    HistoryReader list(in);
    list_history(list, *this);
    rebuild_factor(h_);
}

/// The factor of the matrix as it is, of a step h; the next step goes on from it.
void WarpCancelingStepper::rebuild_factor(double h) {
    h_ = h;
    if (!(h > 0)) return;
    prepare_factor();
    const bool fine =
        with_factor([&](auto& factor) { return !factor.factorize(warped_, model_.free).failed(); });
    if (!fine) h_ = 0;
}

}  // namespace limber
