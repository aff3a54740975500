// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/async.h"

#include <algorithm>
#include <limits>

#include "limber/core/history.h"
#include "limber/core/parallel.h"
#include "limber/solve/warp_canceling/thin_tets.h"

namespace limber {

namespace {

constexpr Index grain = LinearStep::grain;
// Iterations that cost as much as a factorisation (FactorAge).
constexpr double iterations_a_factor = 8;

}  // namespace

AsyncStepper::AsyncStepper(const Model& model, const Options& options)
    : model_(model),
      options_(options),
      step_(model),
      upright_(model.n_nodes(), options.node_rotations == NodeRotationKind::identity),
      assembler_(model.elements),
      fit_(model.mesh),
      A_(assembler_.make_matrix()),
      pcg_({.rel_tolerance = options.rel_tolerance}),
      passes_(model, options.contact, options.rel_tolerance) {
    for (Index i = 0; i < model.n_nodes(); ++i)  // prescribed axes are the world's
        if (model.free[i] != Vec3d{1, 1, 1}) upright_[i] = 1;
    if (options.node_rotations == NodeRotationKind::automatic) mark_thin_bodies(model, upright_);
    turns_ = std::find(upright_.begin(), upright_.end(), 0) != upright_.end();
    if (turns_) turned_.resize(model.n_nodes());
    solution_.resize(model.n_nodes());
    decided_.reserve(1);
    rotations_.reset(model.elements);
    nodes_.reset(model.n_nodes());
}

/// Order and structure of both factors, once.
void AsyncStepper::prepare() {
    if (active_) return;
    active_ = FactoredMatrix::make(options_.precision, A_, model_.free);
    background_ = std::make_unique<BackgroundFactor>(
        FactoredMatrix::make(options_.precision, A_, model_.free));
}

void AsyncStepper::turn_nodes(const State& state) {
    if (!turns_) return;
    fit_.update(state.x, upright_, nodes_);
    parallel_for(model_.n_nodes(), grain, [&](Index i) { turned_[i] = nodes_.at(i); });
}

/// Ã = Rᵀ A R: in the frames of the nodes the matrix of a body that only turns stays what it is.
void AsyncStepper::put_matrix(FactoredMatrix& into) const {
    into.step = calls_;
    const std::span<const Mat3d> from = A_.blocks();
    const std::span<Mat3d> to = into.A.blocks();
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        for (Index k = A_.row_begin()[i]; k < A_.row_begin()[i + 1]; ++k)
            to[k] = turns_ ? transpose(turned_[i]) * from[k] * turned_[A_.column()[k]] : from[k];
    });
}

/// Whether the factor in the making is to be used from this step on.
bool AsyncStepper::is_due() {
    if (!background_->busy()) return false;
    if (!options_.lag.automatic) return background_->room().step + options_.lag.count <= calls_;
    if (replayed_.empty()) return background_->ready();
    return replayed_[0] != 0;
}

void AsyncStepper::take_factor(StepReport& report) {
    decided_.clear();
    const bool due = is_due();
    replayed_.clear();
    if (clocked()) decided_.push_back(due);
    if (!due) return;
    // After the watchdog the factor at hand may be the newer one.
    const bool newer = background_->room().step > active_->step;
    if (!newer) {
        background_->drop();
        return;
    }
    const SolveStats stats = background_->take(active_);
    taken_ = !stats.failed();
    if (stats.failed())
        report.set(StepFlag::indefinite);  // the older one goes on for as long as it will do
    else
        note_work(report);
}

/// Whether the iterations that the factor at hand has cost come to what it costs to solve the
/// columns of W again: then neither is ever more than twice what would have been best.
bool AsyncStepper::next_factor_pays(const StepInput& in) {
    const double columns = columns_share(active_->structure(), in.impulses, columns_scratch_);
    return spent_ >= iterations_a_factor * columns;
}

void AsyncStepper::note_work(StepReport& report) const {
    const SupernodalWork& work = active_->work();
    report.update.supernodes = work.n_supernodes;
    report.update.share = 1;
    report.update.ms = work.ms;
}

SolveStats AsyncStepper::factorise_now(StepReport& report) {
    put_matrix(*active_);
    taken_ = true;
    const SolveStats stats = active_->factorize();
    if (stats.failed()) active_->step = -1;
    note_work(report);
    return stats;
}

/// The factor of this step, and its matrix to the thread that makes the next one.
SolveStats AsyncStepper::prepare_factor(const StepInput& in, StepReport& report) {
    prepare();
    if (h_ != in.h) forget();
    h_ = in.h;
    taken_ = false;
    take_factor(report);
    SolveStats stats;
    if (active_->step < 0) stats = factorise_now(report);
    active_->set_rotations(turned_);
    if (!background_->busy() && active_->step != calls_ && next_factor_pays(in)) {
        put_matrix(background_->room());
        background_->start();
    }
    return stats;
}

SolveStats AsyncStepper::iterate(int cap) {
    pcg_.set_max_iterations(cap);
    const Preconditioner P(*active_);
    return pcg_.solve({.A = system_,
                       .P = P,
                       .b = passes_.load(),
                       .free = model_.free,
                       .b_norm = step_.free_norm(step_.b())},
                      solution_);
}

/// With a watchdog: a factor that takes too long is made anew, and the iterations go on with it.
SolveStats AsyncStepper::solve(const StepInput& in, StepReport& report) {
    system_.set_whole(A_, in.contact);
    const bool stale = active_->step != calls_;
    const int patience = stale ? fresh_ + options_.watchdog : options_.max_iterations;
    SolveStats stats = iterate(std::min(patience, options_.max_iterations));
    const bool too_old = stale && (stats.failed() || stats.status == SolveStatus::iteration_cap);
    if (!too_old) {
        fresh_ = stale ? std::min(fresh_, stats.iterations) : stats.iterations;
        return stats;
    }
    const int in_vain = stats.iterations;
    report.set(StepFlag::refactored);
    {
        ScopedTimer timer(report.ms(Stage::factor));
        stats = factorise_now(report);
        active_->set_rotations(turned_);
    }
    if (stats.failed()) return stats;
    stats = iterate(options_.max_iterations);
    fresh_ = stats.iterations;
    stats.iterations += in_vain;
    return stats;
}

void AsyncStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                               StepReport& report) {
    ++calls_;
    {
        ScopedTimer timer(report.ms(Stage::rotate));
        update_rotations_and_forces(model_.elements, state.x, options_.rotation, rotations_,
                                    element_forces_, step_.force());
        ScopedTimer nodes(report.update.node_rotation_ms);
        turn_nodes(state);
    }
    {
        ScopedTimer timer(report.ms(Stage::assemble));
        step_.build(in, state.v);
        passes_.begin(step_, in);
        assembler_.assemble(step_.coefficients(), rotations_, A_);
        add_one_node_blocks(in.contact, A_);
    }
    const Timer waiting;
    SolveStats stats = prepare_factor(in, report);
    const double waited_ms = waiting.ms();
    report.ms(Stage::factor) += waited_ms;
    if (!stats.failed()) {
        const double factor_ms = report.ms(Stage::factor);
        const Timer solving;
        parallel_for(model_.n_nodes(), grain, [&](Index i) {
            solution_[i] = with_prescribed(state.v[i], in.pin_velocity[i], model_.free[i]);
        });
        stats = solve(in, report);
        report.ms(Stage::free_motion) += solving.ms() - (report.ms(Stage::factor) - factor_ms);
    }
    free_iterations_ = stats.iterations;
    fill_table(stats, waited_ms);
    const bool capped = stats.status == SolveStatus::iteration_cap;
    report_solve(stats, report, capped ? step_.worst_body(system_, solution_) : -1);
    if (stats.failed()) return;
    std::copy(solution_.begin(), solution_.end(), state.v.begin());
    ScopedTimer timer(report.ms(Stage::correct));
    passes_.give_residual_to_constraints(system_, state.v);
    step_.find_reactions(in, A_, state.v, forces);
}

bool AsyncStepper::answers(const StepInput& in, std::span<const Vec3d> impulses, State& state,
                           StepReport& report) {
    renewed_ = false;
    if (passes_.answers({system_, *active_, step_}, in, impulses, state, report)) return true;
    const int most_iterations = fresh_ + options_.watchdog;
    const bool too_old =
        active_->step != calls_ && free_iterations_ + passes_.iterations() > most_iterations;
    if (!too_old || report.solve.failed()) return false;
    report.set(StepFlag::refactored);
    ScopedTimer timer(report.ms(Stage::factor));
    const SolveStats stats = factorise_now(report);
    if (stats.failed()) report_solve(stats, report);
    active_->set_rotations(turned_);
    passes_.use_new_factor();
    free_iterations_ = -passes_.iterations();
    renewed_ = true;
    return false;
}

void AsyncStepper::correct_reactions(const StepInput& in, std::span<const Vec3d> v,
                                     NodeForces& forces) {
    if (taken_) spent_ = 0;
    spent_ += free_iterations_ + passes_.iterations();
    step_.find_reactions(in, A_, v, forces);
    step_.subtract_contact(forces);
}

void AsyncStepper::fill_table(const SolveStats& stats, double waited_ms) {
    table_.row.resize(4);
    table_.row[0] = {"factor_age", static_cast<double>(calls_ - active_->step)};
    table_.row[1] = {"iterations", static_cast<double>(stats.iterations)};
    table_.row[2] = {"factor_ms", active_->work().ms};
    table_.row[3] = {"waited_ms", waited_ms};
}

std::string AsyncStepper::describe() {
    prepare();
    return active_->describe() + "; two of them";
}

/// No factor: the next step makes one at once.
void AsyncStepper::forget() {
    if (!active_) return;
    background_->drop();
    active_->step = -1;
    fresh_ = 0;
    spent_ = 0;
}

void AsyncStepper::reset() {
    rotations_.reset(model_.elements);
    nodes_.reset(model_.n_nodes());
    forget();
}

void AsyncStepper::replay(std::span<const Index> decisions) {
    if (clocked()) replayed_.assign(decisions.begin(), decisions.end());
}

template <class List, class Self>
void AsyncStepper::list_history(List& list, Self& self) {
    constexpr std::int64_t most_calls = std::numeric_limits<std::int64_t>::max() - 1;
    list.numbers("rotations", self.rotations_.element);
    for (auto& column : self.nodes_.column) list.numbers("node_rotations", column);
    list.whole("async.calls", self.calls_, 0, most_calls);
    list.whole("async.fresh", self.fresh_, 0, self.options_.max_iterations);
    list.number("async.factor_step", self.h_);
    list.number("async.spent", self.spent_);
}

/// A matrix of some step, where there is one. Factors are not saved: they follow from their
/// matrices, to the same bits (SupernodalCholesky).
template <class List, class Matrix>
void AsyncStepper::list_matrix(List& list, bool& there, Matrix& matrix) {
    list.whole("async.matrix", there, 0, 1);
    if (!there) return;
    list.whole("async.matrix_step", matrix.step, 0, std::numeric_limits<std::int64_t>::max() - 1);
    list.numbers("async.blocks", matrix.A.blocks());
}

void AsyncStepper::save(ByteWriter& out) const {
    HistoryWriter list(out);
    list_history(list, *this);
    bool prepared = active_ != nullptr;
    list.whole("async.prepared", prepared, 0, 1);
    if (!prepared) return;
    bool in_use = active_->step >= 0, in_making = background_->busy();
    list_matrix(list, in_use, *active_);
    list_matrix(list, in_making, background_->room());
}

void AsyncStepper::load(ByteReader& in) {
    HistoryReader list(in);
    list_history(list, *this);
    const int fresh = fresh_;
    const double spent = spent_;
    forget();
    fresh_ = fresh;
    spent_ = spent;
    bool prepared = false;
    list.whole("async.prepared", prepared, 0, 1);
    if (!prepared) {  // before the first step: what a step that was stopped prepared goes
        active_.reset();
        background_.reset();
        return;
    }
    prepare();
    bool in_use = false, in_making = false;
    list_matrix(list, in_use, *active_);
    if (in_use && active_->factorize().failed()) active_->step = -1;
    list_matrix(list, in_making, background_->room());
    if (in_making) background_->start();
}

}  // namespace limber
