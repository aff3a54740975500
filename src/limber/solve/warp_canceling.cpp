// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/warp_canceling.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/core/parallel.h"
#include "limber/mesh/stuffing.h"
#include "limber/solve/selective_damping.h"
#include "limber/solve/thin_tets.h"

namespace limber {

namespace {

constexpr Index grain = 2048;
/// Operations a millisecond that flop costs assume: half of what dgemm reaches on one core of the
/// machines in docs. It scales budgets alone and changes nothing in between.
constexpr double nominal_flops_per_ms = 3e7;

Vec3d masked(const Vec3d& a, const Vec3d& mask) {
    return {a.x * mask.x, a.y * mask.y, a.z * mask.z};
}

PcgOptions refinement(const WarpCancelingOptions& o) {
    PcgOptions out;
    out.max_iterations = o.refine + 1;  // the first one is the stale solve itself
    out.rel_tolerance = o.rel_tolerance;
    return out;
}

}  // namespace

template <class F>
decltype(auto) WarpCancelingStepper::with_factor(F&& f) const {
    return options_.precision == FactorPrecision::double_precision ? f(double_) : f(single_);
}
template <class F>
decltype(auto) WarpCancelingStepper::with_factor(F&& f) {
    return options_.precision == FactorPrecision::double_precision ? f(double_) : f(single_);
}

/// z = R (L Lᵀ)⁻¹ Rᵀ r: the inverse of (4).
struct WarpCancelingStepper::WarpedInverse final : InverseOperator {
    explicit WarpedInverse(const WarpCancelingStepper& stepper) : s(stepper) {}
    Index n_nodes() const override { return s.model_.n_nodes(); }
    void apply_inverse(std::span<const Vec3d> r, std::span<Vec3d> z) const override {
        parallel_for(n_nodes(), grain, [&](Index i) { z[i] = s.nodes_.turn_back(i, r[i]); });
        s.with_factor([&](const auto& factor) { factor.solve(z, z); });
        parallel_for(n_nodes(), grain, [&](Index i) { z[i] = s.nodes_.turn(i, z[i]); });
    }
    const WarpCancelingStepper& s;
};

WarpCancelingStepper::WarpCancelingStepper(const Model& model, const Options& options)
    : model_(model),
      options_(options),
      upright_(model.n_nodes(), options.node_rotations == NodeRotationKind::identity),
      assembler_(model.elements),
      warp_assembler_(model.elements, assembler_.pairs()),
      operator_(model.elements),
      fit_(model.mesh),
      warped_(assembler_.make_matrix()),
      pcg_(refinement(options)) {
    const Index n = model.n_nodes();
    for (Index i = 0; i < n; ++i)
        if (model.free[i] != Vec3d{1, 1, 1}) {
            pinned_.push_back(i);
            upright_[i] = 1;  // prescribed axes are the world's
        }
    if (options.node_rotations == NodeRotationKind::automatic) mark_thin_bodies(model, upright_);
    if (options.refine > 0) exact_ = assembler_.make_matrix();
    for (std::vector<Vec3d>* array :
         {&force_, &b_, &rhs_, &solution_, &turned_, &product_, &last_change_})
        array->resize(n);
    diagonal_.resize(n);
    partial_.resize(n / grain + 1);
    node_marked_.resize(n);
    tet_marked_.resize(model.n_tets());
    updated_.resize(model.n_tets());
    error_.resize(model.n_tets());
    reset();
}

void WarpCancelingStepper::reset() {
    rotations_.reset(model_.elements);
    nodes_.reset(model_.n_nodes());
    frames_.reset(model_.elements);
    std::fill(last_change_.begin(), last_change_.end(), Vec3d{});
    contact_nodes_.clear();
    h_ = 0;
    last_iterations_ = 0;
    age_ = calm_ = 0;
    max_age_ = forever;
}

bool WarpCancelingStepper::clocked() const {
    const bool budget =
        options_.schedule == ScheduleKind::time || options_.schedule == ScheduleKind::hybrid;
    return budget && options_.costs == CostKind::clock;
}

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

/// b = M v + h f, and in the Δv form b − A v with the exact A.
void WarpCancelingStepper::build_right_hand_side(const StepInput& in, const State& state) {
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        force_[i] += in.external[i];
        b_[i] = model_.lumped[i] * state.v[i] + in.h * force_[i];
        diagonal_[i] = model_.lumped[i] + in.h * model_.lumped_damping[i];
    });
    if (model_.consistent_mass) add_consistent_mass(model_.elements, state.v, 1.0, false, b_);
    for (const ContactTerm& term : in.contact) term.at.scatter(term.impulse, b_);
    coefficients_ = {in.h, model_.consistent_mass, diagonal_};
    operator_.set(coefficients_, rotations_);
}

double WarpCancelingStepper::free_norm(std::span<const Vec3d> b) {
    return std::sqrt(
        parallel_sum<double>(model_.n_nodes(), grain, partial_, [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i) sum += squared_norm(masked(b[i], model_.free[i]));
            return sum;
        }));
}

/// What relative thresholds are relative to: the root mean square of M v + h f, but at least the
/// impulse of gravity, which stays when a body comes to rest.
double WarpCancelingStepper::impulse_of_a_node() const {
    double sum = 0, mass = 0;
    for (Index i = 0; i < model_.n_nodes(); ++i) {
        sum += squared_norm(b_[i]);
        mass += model_.mass[i];
    }
    const double n = model_.n_nodes();
    return std::max(std::sqrt(sum / n), h_ * norm(model_.gravity) * mass / n);
}

/// After a step that needed too many iterations, and before the factor gets older than it was then.
bool WarpCancelingStepper::update_is_due() const {
    return last_iterations_ > options_.target_iterations || age_ > max_age_;
}

/// How old a factor may get is learnt: a step of age a that needs too many iterations forbids that
/// age; a few updates that were not needed allow one step more.
void WarpCancelingStepper::learn_age(bool planned, bool rescued) {
    constexpr int patience = 8;  // updates
    if (!planned && last_iterations_ > options_.target_iterations) {
        max_age_ = std::max(0, std::min(max_age_, age_ - 1));
        calm_ = 0;
    }
    if (planned && ++calm_ >= patience && max_age_ < forever) {
        ++max_age_;
        calm_ = 0;
    }
    age_ = planned || rescued ? 1 : age_ + 1;
    if (rescued) last_iterations_ = 0;  // those were of the factor before
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
    warp_errors(model_.elements, coefficients_, rotations_, nodes_, frames_, v, turned_, error_);
    std::fill(badness_.begin(), badness_.end(), 0.0);
    for (Index t = 0; t < model_.n_tets(); ++t)
        badness_[tet_supernode_[t]] = std::max(badness_[tet_supernode_[t]], error_[t]);
    threshold_ = options_.threshold > 0 ? options_.threshold
                                        : options_.threshold_relative * impulse_of_a_node();
}

/// Section 4.4: which supernodes are updated in this step.
void WarpCancelingStepper::choose(const StepInput& in) {
    const std::span<const double> cost =
        options_.costs == CostKind::flops
            ? std::span<const double>(flop_cost_)
            : with_factor([](const auto& factor) { return factor.cost_ms(); });
    marks_->clear();
    for (const Index i : contact_nodes_) marks_->mark(supernode_of_node(i), cost);
    if (options_.linearise)
        for (const ContactTerm& term : in.contact)
            if (term.at.n == 1) marks_->mark(supernode_of_node(term.at.node[0]), cost);
    const Index n_of_contacts = marks_->n_marked();
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
            // What is good enough is not worth the time.
            for (double& b : badness_)
                if (b <= threshold_) b = 0;
            marks_->mark_within(budget, badness_, cost);
            break;
        case ScheduleKind::iterations:
            // All of it: what is left stale of a badly conditioned body spoils the rest.
            if (update_is_due()) marks_->mark_above(-1, badness_, cost);
            break;
    }
    only_contacts_ = marks_->n_marked() == n_of_contacts;
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
        const double w = term.at.weight[0];
        warped_.blocks()[warped_.diagonal_position(i)] += (w * w) * (transpose(R) * term.block * R);
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
    report.update.badness = marks_->worst_left(badness_);
    report.update.threshold = threshold_;
    if (!marks_->any()) return stats;
    {
        ScopedTimer timer(report.update.matrix_ms);
        std::fill(node_marked_.begin(), node_marked_.end(), 0);
        for (Index t = 0; t < model_.n_tets(); ++t) {
            tet_marked_[t] = marks_->marked()[tet_supernode_[t]];
            if (!tet_marked_[t]) continue;
            for (const Index node : model_.mesh.tets[t]) node_marked_[node] = 1;
        }
        updated_ = tet_marked_;
        for (const Index i : contact_nodes_) node_marked_[i] = 1;
        if (options_.linearise)
            for (const ContactTerm& term : in.contact)
                if (term.at.n == 1) node_marked_[term.at.node[0]] = 1;
        refresh_frames(model_.elements, rotations_, nodes_, tet_marked_, frames_);
        if (all)
            warp_assembler_.assemble(coefficients_, frames_, warped_);
        else
            warp_assembler_.reassemble(coefficients_, frames_, node_marked_, warped_);
        add_contacts(in);
    }
    return factorise(all, report);
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

/// One pair of substitutions with the factor as it is.
SolveStats WarpCancelingStepper::solve_stale(const StepInput& in, const State& state) {
    const bool change = options_.form == SystemForm::dv;
    const Index n = model_.n_nodes();
    // Prescribed values enter through the stale matrix as well, so that both sides agree.
    parallel_for(n, grain, [&](Index i) {
        const Vec3d fixed = Vec3d{1, 1, 1} - model_.free[i];
        solution_[i] = masked(change ? in.pin_velocity[i] - state.v[i] : in.pin_velocity[i], fixed);
    });
    if (change) {
        apply_exact(in.contact, state.v, product_);
        parallel_for(n, grain, [&](Index i) { rhs_[i] = b_[i] - product_[i]; });
    } else {
        rhs_ = b_;
    }
    if (!pinned_.empty()) {
        parallel_for(n, grain, [&](Index i) { turned_[i] = nodes_.turn_back(i, solution_[i]); });
        warped_.apply(turned_, product_);
        parallel_for(n, grain, [&](Index i) { rhs_[i] -= nodes_.turn(i, product_[i]); });
    }
    WarpedInverse(*this).apply_inverse(rhs_, product_);
    parallel_for(n, grain, [&](Index i) {
        solution_[i] += masked(product_[i], model_.free[i]);
        if (change) solution_[i] += state.v[i];
    });
    SolveStats stats;
    stats.status = SolveStatus::direct;
    apply_exact(in.contact, solution_, product_);
    parallel_for(n, grain, [&](Index i) { rhs_[i] = b_[i] - product_[i]; });
    const double b_norm = free_norm(b_);
    stats.absolute_residual = free_norm(rhs_);
    stats.residual = b_norm > 0 ? stats.absolute_residual / b_norm : 0;
    if (!std::isfinite(stats.absolute_residual)) stats.status = SolveStatus::not_finite;
    return stats;
}

/// Conjugate gradients on the exact matrix from v, with the stale factor as preconditioner.
SolveStats WarpCancelingStepper::solve_refined(const StepInput& in, const State& state) {
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        solution_[i] = masked(state.v[i], model_.free[i]) +
                       masked(in.pin_velocity[i], Vec3d{1, 1, 1} - model_.free[i]);
    });
    assembler_.assemble(coefficients_, rotations_, exact_);
    for (const ContactTerm& term : in.contact)
        if (term.at.n == 1)
            exact_.blocks()[exact_.diagonal_position(term.at.node[0])] +=
                (term.at.weight[0] * term.at.weight[0]) * term.block;
    system_.set_whole(exact_, in.contact);
    return polish(in);
}

/// From the iterate as it is.
SolveStats WarpCancelingStepper::polish(const StepInput& in) {
    const WarpedInverse inverse(*this);
    const Preconditioner preconditioner(inverse);
    return pcg_.solve({.A = system_,
                       .P = preconditioner,
                       .b = b_,
                       .free = model_.free,
                       .b_norm = free_norm(b_),
                       .clock = in.clock,
                       .forced_iterations = in.forced_iterations},
                      solution_);
}

/// y = A x with the exact matrix and what contact adds to it.
void WarpCancelingStepper::apply_exact(std::span<const ContactTerm> terms, std::span<const Vec3d> x,
                                       std::span<Vec3d> y) const {
    operator_.apply(x, y);
    for (const ContactTerm& term : terms) term.at.scatter(term.block * term.at.gather(x), y);
}

void WarpCancelingStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                                       StepReport& report) {
    {
        ScopedTimer timer(report.ms(Stage::rotate));
        update_rotations_and_forces(model_.elements, state.x, options_.rotation, rotations_,
                                    element_forces_, force_);
        ScopedTimer nodes(report.update.node_rotation_ms);
        if (options_.node_rotations == NodeRotationKind::automatic)
            mark_wide_spread(model_, rotations_, upright_);
        fit_.update(state.x, upright_, nodes_);
    }
    SolveStats stats;
    bool rescued = false;
    {
        ScopedTimer timer(report.ms(Stage::assemble));
        prepare_factor();
        build_right_hand_side(in, state);
        estimate(state, report);
        choose(in);
    }
    stats = update_factor(in, report);
    const bool planned = report.update.supernodes > 0 && !only_contacts_;
    report.ms(Stage::assemble) += report.update.matrix_ms;
    if (!stats.failed()) {
        ScopedTimer timer(report.ms(Stage::free_motion));
        stats = options_.refine > 0 ? solve_refined(in, state) : solve_stale(in, state);
        rescued = stats.status == SolveStatus::iteration_cap && may_rescue();
        if (rescued) stats = rescue(in, report);
    } else {
        h_ = 0;  // the factor is of no use
    }
    last_iterations_ = stats.iterations;
    if (!stats.failed()) learn_age(planned, rescued);
    stats.iterations += report.solve.iterations;  // of earlier sub-steps
    report.solve = stats;
    if (stats.status == SolveStatus::iteration_cap) report.set(StepFlag::iteration_cap);
    if (stats.status == SolveStatus::indefinite) report.set(StepFlag::indefinite);
    if (stats.failed()) return;
    ScopedTimer timer(report.ms(Stage::correct));
    if (options_.damping != DampingKind::none) damp(state, report);
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        last_change_[i] = solution_[i] - state.v[i];
        state.v[i] = solution_[i];
    });
    find_reactions(in, forces);
}

bool WarpCancelingStepper::may_rescue() const {
    return options_.schedule == ScheduleKind::iterations &&
           marks_->n_marked() < std::ssize(badness_);
}

/// A factor that is too old even for all the iterations allowed: all of it afresh, then on from
/// where they ended.
SolveStats WarpCancelingStepper::rescue(const StepInput& in, StepReport& report) {
    marks_->mark_above(-1, badness_, flop_cost_);
    const double matrix_ms = report.update.matrix_ms;
    const SolveStats stats = update_factor(in, report);
    report.ms(Stage::assemble) += report.update.matrix_ms - matrix_ms;
    if (stats.failed()) return stats;
    SolveStats out = polish(in);
    out.iterations += options_.refine + 1;
    return out;
}

void WarpCancelingStepper::damp(const State& state, StepReport& report) {
    const double limit = options_.damping_threshold * threshold_;
    if (report.update.badness <= limit) return;
    // Errors of tets that were updated are gone.
    for (Index t = 0; t < model_.n_tets(); ++t)
        if (updated_[t]) error_[t] = 0;
    const DampingInput input{model_.mesh.tets, model_.mass, model_.free, state.x,
                             tet_region_,      error_,      limit};
    if (options_.damping == DampingKind::velocity)
        damp_velocities(input, solution_);
    else
        damp_towards_rigid_motion(input, solution_);
    report.set(StepFlag::damped);
}

/// What holds the pins: the residual of A v⁺ = b in prescribed rows is their impulse.
void WarpCancelingStepper::find_reactions(const StepInput& in, NodeForces& forces) {
    if (pinned_.empty()) return;
    apply_exact(in.contact, solution_, product_);
    for (const Index i : pinned_)
        forces.reaction[i] =
            masked((1 / in.h) * (product_[i] - b_[i]), Vec3d{1, 1, 1} - model_.free[i]);
}

std::string WarpCancelingStepper::describe() {
    prepare_factor();
    return with_factor(
        [](const auto& factor) { return describe_factor(factor.memory(), factor.structure()); });
}

void WarpCancelingStepper::describe_cells(CellFields& out) const {
    if (!marks_) return;
    CellField supernode{"supernode", {}}, updated{"updated", {}}, badness{"badness", {}};
    for (Index t = 0; t < model_.n_tets(); ++t) {
        supernode.value.push_back(tet_supernode_[t]);
        updated.value.push_back(updated_[t]);
        badness.value.push_back(error_[t]);
    }
    out.insert(out.end(), {std::move(supernode), std::move(updated), std::move(badness)});
}

// The factor is not saved: it follows from the frames, to the same bits (SupernodalCholesky).
void WarpCancelingStepper::save(ByteWriter& out) const {
    out.put_array("rotations", std::span<const RotationPacket>(rotations_.element));
    for (int c = 0; c < 3; ++c)
        out.put_array("node_rotations", std::span<const Vec3d>(nodes_.column[c]));
    out.put_array("warp_frames", std::span<const std::array<Mat3d, 4>>(frames_.tet));
    out.put_array("upright", std::span<const char>(upright_));
    out.put_array("last_change", std::span<const Vec3d>(last_change_));
    out.put_array("warp_contacts", std::span<const Index>(contact_nodes_));
    const double last[] = {h_, double(last_iterations_), double(age_), double(max_age_),
                           double(calm_)};
    out.put_array("warp_last", std::span<const double>(last));
}

void WarpCancelingStepper::load(ByteReader& in) {
    const auto finite = [&](const char* name, std::span<const double> values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values[i]))
                in.fail(name, "has a value that is not finite at index " + std::to_string(i));
    };
    const auto numbers = [](const auto& array) {
        return std::span<const double>(reinterpret_cast<const double*>(array.data()),
                                       array.size() * sizeof(array[0]) / sizeof(double));
    };
    auto rotations = rotations_.element;
    auto nodes = nodes_;
    auto frames = frames_.tet;
    auto upright = upright_;
    auto change = last_change_;
    double last[5];
    in.get_array("rotations", std::span<RotationPacket>(rotations));
    finite("rotations", numbers(rotations));
    for (int c = 0; c < 3; ++c) {
        in.get_array("node_rotations", std::span<Vec3d>(nodes.column[c]));
        finite("node_rotations", numbers(nodes.column[c]));
    }
    in.get_array("warp_frames", std::span<std::array<Mat3d, 4>>(frames));
    finite("warp_frames", numbers(frames));
    in.get_array("upright", std::span<char>(upright));
    in.get_array("last_change", std::span<Vec3d>(change));
    finite("last_change", numbers(change));
    auto contacts = in.get_vector<Index>("warp_contacts");
    for (const Index i : contacts)
        if (i < 0 || i >= model_.n_nodes())
            in.fail("warp_contacts", "names a node that is not there");
    in.get_array("warp_last", std::span<double>(last));
    finite("warp_last", last);
    rotations_.element = std::move(rotations);
    nodes_ = std::move(nodes);
    frames_.tet = std::move(frames);
    upright_ = std::move(upright);
    last_change_ = std::move(change);
    contact_nodes_ = std::move(contacts);
    last_iterations_ = static_cast<int>(last[1]);
    age_ = static_cast<int>(last[2]);
    max_age_ = static_cast<int>(last[3]);
    calm_ = static_cast<int>(last[4]);
    rebuild_factor(last[0]);
}

/// The factor of a step h from the frames alone; the next step goes on from it.
void WarpCancelingStepper::rebuild_factor(double h) {
    h_ = h;
    if (!(h > 0)) return;
    prepare_factor();
    for (Index i = 0; i < model_.n_nodes(); ++i)
        diagonal_[i] = model_.lumped[i] + h * model_.lumped_damping[i];
    coefficients_ = {h, model_.consistent_mass, diagonal_};
    warp_assembler_.assemble(coefficients_, frames_, warped_);
    const bool fine =
        with_factor([&](auto& factor) { return !factor.factorize(warped_, model_.free).failed(); });
    if (!fine) h_ = 0;
}

}  // namespace limber
