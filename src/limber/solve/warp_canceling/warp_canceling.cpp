// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/warp_canceling/warp_canceling.h"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/solve/warp_canceling/selective_damping.h"
#include "limber/solve/warp_canceling/thin_tets.h"

namespace limber {

namespace {

constexpr Index grain = LinearStep::grain;

}  // namespace

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
      step_(model),
      always_upright_(model.n_nodes(), options.node_rotations == NodeRotationKind::identity),
      age_(options.target_iterations),
      assembler_(model.elements),
      warp_assembler_(model.elements, assembler_.pairs()),
      operator_(model.elements),
      fit_(model.mesh),
      warped_(assembler_.make_matrix()),
      pcg_({.rel_tolerance = options.rel_tolerance}),
      passes_(model, options.contact, options.rel_tolerance) {
    const Index n = model.n_nodes();
    for (const Index i : step_.pinned()) always_upright_[i] = 1;  // prescribed axes are the world's
    if (options.node_rotations == NodeRotationKind::automatic)
        mark_thin_bodies(model, always_upright_);
    if (options.refine > 0) exact_ = assembler_.make_matrix();
    for (std::vector<Vec3d>* array : {&rhs_, &solution_, &turned_, &product_, &last_change_})
        array->resize(n);
    node_marked_.resize(n);
    tet_marked_.resize(model.n_tets());
    updated_.resize(model.n_tets());
    error_.resize(model.n_tets());
    reset();
}

/// One pair of substitutions with the factor as it is.
SolveStats WarpCancelingStepper::solve_stale(const StepInput& in, const State& state) {
    const bool change = options_.form == SystemForm::dv;
    const Index n = model_.n_nodes();
    const std::span<const Vec3d> b = step_.b();
    // Prescribed values enter through the stale matrix as well, so that both sides agree.
    parallel_for(n, grain, [&](Index i) {
        const Vec3d pin = change ? in.pin_velocity[i] - state.v[i] : in.pin_velocity[i];
        solution_[i] = with_prescribed(Vec3d{}, pin, model_.free[i]);
    });
    if (change) {
        apply_exact(in.contact, state.v, product_);
        parallel_for(n, grain, [&](Index i) { rhs_[i] = b[i] - product_[i]; });
    } else {
        std::copy(b.begin(), b.end(), rhs_.begin());
    }
    if (step_.has_pins()) {
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
    parallel_for(n, grain, [&](Index i) { rhs_[i] = b[i] - product_[i]; });
    const double b_norm = step_.free_norm(b);
    stats.absolute_residual = step_.free_norm(rhs_);
    stats.residual = b_norm > 0 ? stats.absolute_residual / b_norm : 0;
    if (!std::isfinite(stats.absolute_residual)) stats.status = SolveStatus::not_finite;
    return stats;
}

/// Conjugate gradients on the exact matrix from v, with the stale factor as preconditioner.
SolveStats WarpCancelingStepper::solve_refined(const StepInput& in, const State& state) {
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        solution_[i] = with_prescribed(state.v[i], in.pin_velocity[i], model_.free[i]);
    });
    add_one_node_blocks(in.contact, exact_);
    system_.set_whole(exact_, in.contact);
    return polish(may_rescue() ? std::min(options_.refine, age_.give_up()) : options_.refine);
}

/// From the iterate as it is. The first iteration is the stale solve itself.
SolveStats WarpCancelingStepper::polish(int cap) {
    pcg_.set_max_iterations(cap + 1);
    const WarpedInverse inverse(*this);
    const Preconditioner preconditioner(inverse);
    return pcg_.solve({.A = system_,
                       .P = preconditioner,
                       .b = passes_.load(),
                       .free = model_.free,
                       .b_norm = step_.free_norm(step_.b())},
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
                                    element_forces_, step_.force());
        ScopedTimer nodes(report.update.node_rotation_ms);
        if (options_.node_rotations == NodeRotationKind::automatic)
            mark_wide_spread(model_, rotations_, always_upright_, upright_, reframed_);
        fit_.update(state.x, upright_, nodes_);
    }
    {
        ScopedTimer timer(report.ms(Stage::assemble));
        prepare_factor();
        step_.build(in, state.v);
        if (options_.refine > 0 && options_.damping == DampingKind::none)
            passes_.begin(step_, in);
        else
            passes_.begin_without(step_);
        operator_.set(step_.coefficients(), rotations_);
        if (options_.refine > 0) assembler_.assemble(step_.coefficients(), rotations_, exact_);
        estimate(state, report);
        choose(in);
    }
    SolveStats stats = update_factor(in, report);
    const bool planned = report.update.supernodes > 0 && !only_contacts_;
    report.ms(Stage::assemble) += report.update.matrix_ms;
    bool rescued = false;
    int in_vain = 0;  // iterations before a rescue
    if (!stats.failed()) {
        ScopedTimer timer(report.ms(Stage::free_motion));
        stats = options_.refine > 0 ? solve_refined(in, state) : solve_stale(in, state);
        rescued = stats.status == SolveStatus::iteration_cap && may_rescue();
        if (rescued) {
            in_vain = stats.iterations;
            stats = rescue(in, report);
        }
    } else {
        h_ = 0;  // the factor is of no use
    }
    solved_ = {stats.iterations, planned, rescued};
    if (!stats.failed() && !in.constrained) age_.learn(stats.iterations, planned, rescued);
    stats.iterations += in_vain;
    const bool capped = stats.status == SolveStatus::iteration_cap;
    report_solve(stats, report, capped ? step_.worst_body(system_, solution_) : -1);
    if (stats.failed()) return;
    ScopedTimer timer(report.ms(Stage::correct));
    if (options_.damping != DampingKind::none) damp(state, report);
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        last_change_[i] = solution_[i] - state.v[i];
        state.v[i] = solution_[i];
    });
    passes_.give_residual_to_constraints(system_, state.v);
    find_reactions(in, state.v, forces);
}

bool WarpCancelingStepper::may_rescue() const {
    return options_.schedule == ScheduleKind::iterations && !all_marked();
}

/// A factor that is too old: all of it afresh, then on from where the iterations ended.
SolveStats WarpCancelingStepper::rescue(const StepInput& in, StepReport& report) {
    const SolveStats stats = renew_factor(in, report);
    return stats.failed() ? stats : polish(options_.refine);
}

/// All of it, in the midst of a step.
SolveStats WarpCancelingStepper::renew_factor(const StepInput& in, StepReport& report) {
    marks_->mark_above(-1, badness_, flop_cost_);
    const double matrix_ms = report.update.matrix_ms;
    assembler_.assemble(step_.coefficients(), rotations_, exact_);  // without contact again
    const SolveStats stats = update_factor(in, report);
    report.ms(Stage::assemble) += report.update.matrix_ms - matrix_ms;
    add_one_node_blocks(in.contact, exact_);
    return stats;
}

void WarpCancelingStepper::damp(const State& state, StepReport& report) {
    const double limit = options_.damping_threshold * threshold_;
    if (!(report.update.badness > limit)) return;
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

Compliance* WarpCancelingStepper::compliance() {
    turns_.resize(model_.n_nodes());
    parallel_for(model_.n_nodes(), grain, [&](Index i) { turns_[i] = nodes_.at(i); });
    double_compliance_.set_rotations(turns_);
    single_compliance_.set_rotations(turns_);
    if (options_.precision == FactorPrecision::double_precision) return &double_compliance_;
    return &single_compliance_;
}

bool WarpCancelingStepper::answers(const StepInput& in, std::span<const Vec3d> impulses,
                                   State& state, StepReport& report) {
    if (options_.refine == 0 || report.has(StepFlag::damped)) return true;
    renewed_ = false;
    if (passes_.answers({system_, WarpedInverse(*this), step_}, in, impulses, state, report))
        return true;
    // An impact may be what makes the factor too old: not only the next step is to hear of it.
    const bool too_old = solved_.iterations + passes_.iterations() > age_.give_up();
    if (!too_old || !may_rescue() || report.solve.failed()) return false;
    const SolveStats stats = renew_factor(in, report);
    if (stats.failed()) report_solve(stats, report);
    if (stats.failed()) h_ = 0;
    passes_.use_new_factor();
    solved_ = {-passes_.iterations(), false, true};
    renewed_ = true;
    return false;
}

void WarpCancelingStepper::correct_reactions(const StepInput& in, std::span<const Vec3d> v,
                                             NodeForces& forces) {
    age_.learn(solved_.iterations + passes_.iterations(), solved_.planned, solved_.rescued);
    find_reactions(in, v, forces);
    step_.subtract_contact(forces);
}

void WarpCancelingStepper::find_reactions(const StepInput& in, std::span<const Vec3d> v,
                                          NodeForces& forces) {
    if (!step_.has_pins()) return;
    if (options_.refine > 0) {
        step_.find_reactions(in, exact_, v, forces);
        return;
    }
    operator_.apply(v, product_);
    for (const ContactTerm& term : in.contact)
        if (term.at.n == 1) term.at.scatter(term.block * term.at.gather(v), product_);
    step_.find_reactions(in, product_, v, forces);
}

}  // namespace limber
