// SPDX-License-Identifier: Apache-2.0
// Which parts of the stale factor are brought up to date, and how: Hecht et al. 2012, sections 4.2
// to 4.4.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "limber/core/parallel.h"
#include "limber/mesh/stuffing/stuffing.h"
#include "limber/solve/warp_canceling/warp_canceling.h"

namespace limber {

namespace {

constexpr Index grain = LinearStep::grain;
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
/// Operations a millisecond that flop costs assume: half of what dgemm reaches on one core of the
/// machines in docs. It scales budgets alone and changes nothing in between.
constexpr double nominal_flops_per_ms = 3e7;

}  // namespace

/// Order and structure, once.
void WarpCancelingStepper::prepare_factor() {
    if (marks_) return;
    with_factor([&](auto& factor) { factor.analyze(warped_); });
    const SupernodalStructure& tree =
        with_factor([](auto& factor) -> const SupernodalStructure& { return factor.structure(); });
    marks_ = std::make_unique<UpdateMarks>(tree);
    badness_.resize(tree.n_supernodes());
    for (const double flops : tree.flops) flop_cost_.push_back(flops / nominal_flops_per_ms);
    tet_supernode_.resize(model_.n_tets());
    for (Index t = 0; t < model_.n_tets(); ++t) {
        Index first = tree.n_supernodes();
        for (const Index node : model_.mesh.tets[t])
            first = std::min(first, tree.supernode_of[node]);
        tet_supernode_[t] = first;
    }
    // A supernode may hold nodes of parts that have nothing to do with each other.
    const std::vector<Index> part = tet_parts(model_.mesh);
    std::map<std::pair<Index, Index>, Index> regions;
    for (Index t = 0; t < model_.n_tets(); ++t) {
        const auto next = static_cast<Index>(regions.size());
        tet_region_.push_back(
            regions.emplace(std::pair(tet_supernode_[t], part[t]), next).first->second);
    }
}

/// What relative thresholds are relative to: the root mean square of M v + h f, but at least the
/// impulse of gravity, which stays when a body comes to rest.
double WarpCancelingStepper::impulse_of_a_node() const {
    double sum = 0, mass = 0;
    for (Index i = 0; i < model_.n_nodes(); ++i) {
        sum += squared_norm(step_.b()[i]);
        mass += model_.mass[i];
    }
    const double n = model_.n_nodes();
    return std::max(std::sqrt(sum / n), h_ * norm(model_.gravity) * mass / n);
}

/// A schedule by iterations has better evidence than an estimate.
bool WarpCancelingStepper::needs_estimate() const {
    return options_.schedule != ScheduleKind::iterations;
}

/// Section 4.2: badness of supernodes, each the worst error of its tets.
void WarpCancelingStepper::estimate(const State& state, StepReport& report) {
    if (!needs_estimate()) {
        std::fill(badness_.begin(), badness_.end(), 0.0);
        return;
    }
    ScopedTimer timer(report.update.error_ms);
    const std::span<const Vec3d> v =
        options_.form == SystemForm::v ? std::span<const Vec3d>(state.v) : last_change_;
    parallel_for(model_.n_nodes(), grain, [&](Index i) { turned_[i] = nodes_.turn_back(i, v[i]); });
    warp_errors(model_.elements, step_.coefficients(), rotations_, nodes_, frames_, v, turned_,
                error_);
    std::fill(badness_.begin(), badness_.end(), 0.0);
    for (Index t = 0; t < model_.n_tets(); ++t)
        badness_[tet_supernode_[t]] = std::max(badness_[tet_supernode_[t]], error_[t]);
    threshold_ = options_.threshold > 0 ? options_.threshold
                                        : options_.threshold_relative * impulse_of_a_node();
}

std::span<const double> WarpCancelingStepper::costs() const {
    if (options_.costs == CostKind::flops) return flop_cost_;
    return with_factor([](const auto& factor) { return factor.cost_ms(); });
}

/// Of a new factor: itself, and the columns of W that go with the old one.
double WarpCancelingStepper::update_price(const StepInput& in) {
    return with_factor([&](const auto& factor) {
        return 1 + columns_share(factor.structure(), in.impulses, columns_scratch_);
    });
}

/// Section 4.4: which supernodes are updated in this step.
void WarpCancelingStepper::choose(const StepInput& in) {
    marks_->clear();
    age_.set_price(update_price(in));
    const bool budget =
        options_.schedule == ScheduleKind::time || options_.schedule == ScheduleKind::hybrid;
    if (budget)  // what is good enough is not worth the time
        for (double& b : badness_)
            if (b <= threshold_) b = 0;
    mark_what_must_be(in);
    const Index n_of_contacts = marks_->n_marked();
    if (replaying_) {
        for (const Index s : replayed_)  // those of another scene's run may not be there
            if (s < std::ssize(badness_)) marks_->mark(s, flop_cost_);
        replaying_ = false;
    } else {
        choose_by_schedule();
    }
    only_contacts_ = marks_->n_marked() == n_of_contacts;
    if (clocked()) note_decision();
}

/// Whatever the schedule: where contact is or was, and where a frame was changed.
void WarpCancelingStepper::mark_what_must_be(const StepInput& in) {
    const std::span<const double> cost = costs();
    for (const Index i : contact_nodes_) marks_->mark(supernode_of_node(i), cost);
    if (options_.linearise)
        for (const ContactTerm& term : in.contact)
            if (term.at.n == 1) marks_->mark(supernode_of_node(term.at.node[0]), cost);
    // What the factor has of a node is in the frame that the node had: in another it is wrong.
    for (const Index i : reframed_)
        for (const Index entry : model_.elements.incidence.of(i))
            marks_->mark(tet_supernode_[entry / 4], cost);
}

void WarpCancelingStepper::choose_by_schedule() {
    const std::span<const double> cost = costs();
    double full = 0;
    for (const double c : cost) full += c;
    const double budget = std::max(options_.budget_ms, options_.budget_share * full);
    switch (options_.schedule) {
        case ScheduleKind::quality:
            marks_->mark_above(threshold_, badness_, cost);
            break;
        case ScheduleKind::hybrid:
            marks_->mark_above(options_.must_update * threshold_, badness_, cost);
            [[fallthrough]];
        case ScheduleKind::time:
            marks_->mark_within(budget, badness_, cost);
            break;
        case ScheduleKind::iterations:
            // All of it: what is left stale of a badly conditioned body spoils the rest.
            if (age_.update_is_due()) marks_->mark_above(-1, badness_, cost);
            break;
    }
}

/// The lowest marked supernodes: their ancestors follow.
void WarpCancelingStepper::note_decision() {
    const SupernodalStructure& tree =
        with_factor([](auto& factor) -> const SupernodalStructure& { return factor.structure(); });
    const std::span<const char> marked = marks_->marked();
    std::vector<char>& inner = supernode_scratch_;
    inner.assign(marked.size(), 0);
    decided_.clear();
    for (Index s = 0; s < std::ssize(marked); ++s) {  // children come before their parents
        if (!marked[s]) continue;
        if (!inner[s]) decided_.push_back(s);
        if (tree.parent[s] >= 0) inner[tree.parent[s]] = 1;
    }
}

Index WarpCancelingStepper::supernode_of_node(Index node) const {
    return with_factor([&](const auto& factor) { return factor.structure().supernode_of[node]; });
}

/// Contact blocks in the frames of their nodes, on top of what was just assembled there.
void WarpCancelingStepper::add_contacts(const StepInput& in) {
    contact_nodes_.clear();
    if (!options_.linearise) return;
    for (const ContactTerm& term : in.contact) {
        if (term.at.n > 1) continue;
        const Index i = term.at.node[0];
        const Mat3d R = nodes_.at(i);
        warped_.blocks()[warped_.diagonal_position(i)] += transpose(R) * one_node_block(term) * R;
        contact_nodes_.push_back(i);
    }
}

/// Section 4.3: the blocks of the marked supernodes from the rotations of now, and their fronts.
SolveStats WarpCancelingStepper::update_factor(const StepInput& in, StepReport& report) {
    const bool all = h_ != in.h;
    if (all) only_contacts_ = false;
    h_ = in.h;
    SolveStats stats;
    stats.status = SolveStatus::direct;
    if (all) marks_->mark_above(-1, badness_, flop_cost_);
    std::fill(updated_.begin(), updated_.end(), 0);
    report.update.badness = needs_estimate() ? marks_->worst_left(badness_) : not_measured;
    report.update.threshold = threshold_;
    if (!marks_->any()) return stats;
    {
        ScopedTimer timer(report.update.matrix_ms);
        mark_tets(in);
        refresh_frames(model_.elements, rotations_, nodes_, tet_marked_, frames_);
        assemble_warped();
        add_contacts(in);
    }
    return factorise(all, report);
}

/// The tets of marked supernodes, their nodes, and the nodes whose contact blocks change.
void WarpCancelingStepper::mark_tets(const StepInput& in) {
    std::fill(node_marked_.begin(), node_marked_.end(), all_marked());
    std::fill(tet_marked_.begin(), tet_marked_.end(), all_marked());
    for (Index t = 0; t < model_.n_tets() && !all_marked(); ++t) {
        tet_marked_[t] = marks_->marked()[tet_supernode_[t]];
        if (!tet_marked_[t]) continue;
        for (const Index node : model_.mesh.tets[t]) node_marked_[node] = 1;
    }
    updated_ = tet_marked_;
    for (const Index i : contact_nodes_) node_marked_[i] = 1;
    if (!options_.linearise) return;
    for (const ContactTerm& term : in.contact)
        if (term.at.n == 1) node_marked_[term.at.node[0]] = 1;
}

/// Ã where it changes, without contact. All of it afresh follows from the exact matrix, which a
/// refined solve needs anyway.
void WarpCancelingStepper::assemble_warped() {
    if (!all_marked()) {
        warp_assembler_.reassemble(step_.coefficients(), frames_, node_marked_, warped_);
        return;
    }
    if (options_.refine == 0) assembler_.assemble(step_.coefficients(), rotations_, warped_);
    warp_assembler_.turn(options_.refine > 0 ? exact_ : warped_, nodes_, warped_);
}

SolveStats WarpCancelingStepper::factorise(bool all, StepReport& report) {
    ScopedTimer timer(report.ms(Stage::factor));
    FactorUpdate& update = report.update;
    update.estimated_ms = marks_->cost();
    dirty_.clear();
    for (Index s = 0; s < std::ssize(badness_); ++s)
        if (marks_->marked()[s]) dirty_.push_back(s);
    return with_factor([&](auto& factor) {
        const SolveStats stats = all ? factor.factorize(warped_, model_.free)
                                     : factor.update_supernodes(warped_, model_.free, dirty_);
        update.supernodes = factor.last_work().n_supernodes;
        update.share = factor.last_work().flops / factor.structure().total_flops;
        update.ms = factor.last_work().ms;
        return stats;
    });
}

}  // namespace limber
