// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/corotational.h"

#include <cmath>

#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index grain = 2048;  // nodes a chunk: about 50 kB of vectors

Vec3d masked(const Vec3d& a, const Vec3d& mask) {
    return {a.x * mask.x, a.y * mask.y, a.z * mask.z};
}

}  // namespace

CorotationalStepper::CorotationalStepper(const Model& model, const Options& options)
    : model_(model),
      options_(options),
      assembled_(options.linear != LinearKind::pcg || options.matrix == OperatorKind::assembled),
      assembler_(model.elements),
      operator_(model.elements),
      preconditioner_(options.preconditioner),
      pcg_(options.pcg) {
    const Index n = model.n_nodes();
    if (assembled_) A_ = assembler_.make_matrix();
    for (Index i = 0; i < n; ++i)
        if (model.free[i] != Vec3d{1, 1, 1}) pinned_.push_back(i);
    for (std::vector<Vec3d>* array : {&force_, &b_, &rhs_, &solution_, &product_}) array->resize(n);
    diagonal_.resize(n);
    partial_.resize(n / grain + 1);
    contact_nodes_.reserve(n);
    rotations_.reset(model.elements);
}

const LinearOperator& CorotationalStepper::system() const {
    return assembled_ ? static_cast<const LinearOperator&>(A_) : operator_;
}

/// A, b and, in the Δv form, the right-hand side b − A v.
void CorotationalStepper::build_system(const StepInput& in, const State& state) {
    const Index n = model_.n_nodes();
    const double h = in.h;
    for (Index i = 0; i < n; ++i) diagonal_[i] = model_.lumped[i] + h * model_.lumped_damping[i];
    const SystemCoefficients coefficients{h, model_.consistent_mass, diagonal_};
    if (assembled_) {
        assembler_.assemble(coefficients, rotations_, A_);
        for (const ContactTerm& term : in.contact)
            A_.blocks()[A_.diagonal_position(term.at.node[0])] += term.block;
    } else {
        operator_.set(coefficients, rotations_);
        for (Index node : contact_nodes_) operator_.extra_diagonal()[node] = Mat3d{};
        contact_nodes_.clear();
        for (const ContactTerm& term : in.contact) {
            operator_.extra_diagonal()[term.at.node[0]] += term.block;
            contact_nodes_.push_back(term.at.node[0]);
        }
    }
    parallel_for(n, grain, [&](Index i) {
        force_[i] += in.external[i];
        b_[i] = model_.lumped[i] * state.v[i] + h * force_[i];
    });
    if (model_.consistent_mass) add_consistent_mass(model_.elements, state.v, 1.0, false, b_);
    for (const ContactTerm& term : in.contact) term.at.scatter(term.impulse, b_);
    if (options_.form == SystemForm::dv) {
        system().apply(state.v, product_);
        parallel_for(n, grain, [&](Index i) { rhs_[i] = b_[i] - product_[i]; });
    }
}

/// solution_ = the initial guess at free, the prescribed value at pinned degrees of freedom.
void CorotationalStepper::guess_solution(const StepInput& in, const State& state) {
    const bool change = options_.form == SystemForm::dv;
    const InitialGuess guess = options_.guess;
    const double euler_share = guess == InitialGuess::euler   ? 1
                               : guess == InitialGuess::blend ? 1 - options_.blend
                                                              : 0;
    const bool from_zero = guess == InitialGuess::zero && !change;
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        Vec3d v_new = from_zero ? Vec3d{} : state.v[i];
        if (euler_share > 0 && model_.mass[i] > 0)
            v_new += (euler_share * in.h / model_.mass[i]) * force_[i];
        const Vec3d& free = model_.free[i];
        v_new = masked(v_new, free) + masked(in.pin_velocity[i], Vec3d{1, 1, 1} - free);
        solution_[i] = change ? v_new - state.v[i] : v_new;
    });
}

void CorotationalStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                                      StepReport& report) {
    const Index n = model_.n_nodes();
    const bool change = options_.form == SystemForm::dv;
    {
        ScopedTimer timer(report.ms(Stage::rotate));
        update_rotations_and_forces(model_.elements, state.x, options_.rotation, rotations_,
                                    element_forces_, force_);
    }
    {
        ScopedTimer timer(report.ms(Stage::assemble));
        build_system(in, state);
        guess_solution(in, state);
    }
    const double b_norm =
        std::sqrt(parallel_sum<double>(n, grain, partial_, [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i) sum += squared_norm(masked(b_[i], model_.free[i]));
            return sum;
        }));
    const std::span<const Vec3d> rhs = change ? rhs_ : b_;
    SolveStats stats;
    if (options_.linear == LinearKind::pcg) {
        {
            ScopedTimer timer(report.ms(Stage::factor));
            preconditioner_.update(system(), model_.mass, model_.free);
        }
        ScopedTimer timer(report.ms(Stage::free_motion));
        const PcgProblem problem{
            .A = system(),
            .P = preconditioner_,
            .b = rhs,
            .free = model_.free,
            .b_norm = b_norm,
            .mass = model_.mass,
            .velocity = change ? std::span<const Vec3d>(state.v) : std::span<const Vec3d>(),
            .clock = in.clock,
            .forced_iterations = in.forced_iterations};
        stats = pcg_.solve(problem, solution_, trace_);
    } else {
        {
            ScopedTimer timer(report.ms(Stage::factor));
            stats = ldlt_.factorize(A_, model_.free);
        }
        ScopedTimer timer(report.ms(Stage::free_motion));
        if (!stats.failed()) stats = ldlt_.solve(A_, rhs, model_.free, b_norm, solution_);
    }
    stats.iterations += report.solve.iterations;  // of earlier sub-steps
    report.solve = stats;
    if (stats.status == SolveStatus::iteration_cap) report.set(StepFlag::iteration_cap);
    if (stats.status == SolveStatus::deadline) report.set(StepFlag::deadline);
    if (stats.status == SolveStatus::indefinite) report.set(StepFlag::indefinite);
    parallel_for(n, grain,
                 [&](Index i) { state.v[i] = change ? state.v[i] + solution_[i] : solution_[i]; });
    ScopedTimer timer(report.ms(Stage::correct));
    solution_ = state.v;
    find_reactions(in, forces);
}

/// What holds the pins: the residual of A v⁺ = b in prescribed rows is their impulse.
void CorotationalStepper::find_reactions(const StepInput& in, NodeForces& forces) const {
    if (pinned_.empty()) return;
    if (!assembled_) operator_.apply(solution_, product_);
    parallel_for(static_cast<Index>(pinned_.size()), 256, [&](Index k) {
        const Index i = pinned_[k];
        Vec3d Av = product_[i];
        if (assembled_) {
            Av = {};
            for (Index j = A_.row_begin()[i]; j < A_.row_begin()[i + 1]; ++j)
                Av += A_.blocks()[j] * solution_[A_.column()[j]];
        }
        forces.reaction[i] = masked((1 / in.h) * (Av - b_[i]), Vec3d{1, 1, 1} - model_.free[i]);
    });
}

void CorotationalStepper::save(ByteWriter& out) const {
    out.put_array("rotations", std::span<const RotationPacket>(rotations_.element));
}

void CorotationalStepper::load(ByteReader& in) {
    std::vector<RotationPacket> loaded(rotations_.element.size());
    in.get_array("rotations", std::span<RotationPacket>(loaded));
    for (std::size_t i = 0; i < loaded.size(); ++i)
        for (const auto& entry : loaded[i].R)
            for (double value : entry)
                if (!std::isfinite(value))
                    in.fail("rotations",
                            "has a value that is not finite at index " + std::to_string(i));
    rotations_.element = std::move(loaded);
}

}  // namespace limber
