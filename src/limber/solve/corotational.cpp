// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/corotational.h"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index grain = 2048;  // nodes a chunk: about 50 kB of vectors

Vec3d masked(const Vec3d& a, const Vec3d& mask) {
    return {a.x * mask.x, a.y * mask.y, a.z * mask.z};
}

Mat3d one_node_block(const ContactTerm& term) {
    return (term.at.weight[0] * term.at.weight[0]) * term.block;
}

/// Every step factorises everything, so update blocks are dropped as far as that leaves subtrees
/// for many threads.
SupernodalOptions never_updated() {
    SupernodalOptions options;
    options.lean = true;
    options.largest_dropped = 1.0 / 64;
    return options;
}

}  // namespace

CorotationalStepper::CorotationalStepper(const Model& model, const Options& options)
    : model_(model),
      options_(options),
      assembled_(options.linear != LinearKind::pcg || options.matrix == OperatorKind::assembled),
      assembler_(model.elements),
      operator_(model.elements),
      islands_(model),
      factor_(never_updated()) {
    const Index n = model.n_nodes();
    if (assembled_) A_ = assembler_.make_matrix();
    for (Index i = 0; i < n; ++i)
        if (model.free[i] != Vec3d{1, 1, 1}) pinned_.push_back(i);
    for (std::vector<Vec3d>* array : {&force_, &b_, &rhs_, &solution_, &product_}) array->resize(n);
    diagonal_.resize(n);
    partial_.resize(n + 1);  // so that islands have room of their own
    contact_nodes_.reserve(n);
    const std::size_t n_solvers = options.solves == SolveScope::world ? 1 : model.bodies.size();
    solvers_.resize(n_solvers, IslandSolver(options.preconditioner, options.pcg));
    island_stats_.resize(n_solvers);
    rotations_.reset(model.elements);
}

const LinearOperator& CorotationalStepper::matrix() const {
    return assembled_ ? static_cast<const LinearOperator&>(A_) : operator_;
}

/// y = (A + terms between nodes) x.
void CorotationalStepper::apply_system(std::span<const ContactTerm> terms, std::span<const Vec3d> x,
                                       std::span<Vec3d> y) const {
    matrix().apply(x, y);
    for (const ContactTerm& term : terms)
        if (term.at.n > 1) term.at.scatter(term.block * term.at.gather(x), y);
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
            if (term.at.n == 1)
                A_.blocks()[A_.diagonal_position(term.at.node[0])] += one_node_block(term);
    } else {
        operator_.set(coefficients, rotations_);
        for (Index node : contact_nodes_) operator_.extra_diagonal()[node] = Mat3d{};
        contact_nodes_.clear();
        for (const ContactTerm& term : in.contact) {
            if (term.at.n > 1) continue;
            operator_.extra_diagonal()[term.at.node[0]] += one_node_block(term);
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
        apply_system(in.contact, state.v, product_);
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

/// |b| over the free degrees of freedom of some nodes: what residuals are compared with.
double CorotationalStepper::free_norm(Index begin, Index end, std::span<double> partial) const {
    return std::sqrt(parallel_sum<double>(end - begin, grain, partial, [&](Index from, Index to) {
        double sum = 0;
        for (Index i = begin + from; i < begin + to; ++i)
            sum += squared_norm(masked(b_[i], model_.free[i]));
        return sum;
    }));
}

void CorotationalStepper::find_islands(std::span<const ContactTerm> terms) {
    islands_.find(terms);
    for (Index k = 0; k < islands_.n(); ++k)
        solvers_[k].system().set_bodies(A_, model_, islands_.bodies(k));
    for (const ContactTerm& term : terms)
        if (term.at.n > 1) solvers_[islands_.of_node(term.at.node[0])].system().add(term);
}

SolveStats CorotationalStepper::solve_iteratively(const StepInput& in, const State& state,
                                                  StepReport& report) {
    const bool whole = solvers_.size() == 1 || trace_;
    {
        ScopedTimer timer(report.ms(Stage::factor));
        if (whole)
            solvers_[0].system().set_whole(matrix(), in.contact);
        else
            find_islands(in.contact);
        parallel_chunks(whole ? 1 : islands_.n(),
                        [&](Index k) { solvers_[k].prepare(model_.mass, model_.free); });
    }
    ScopedTimer timer(report.ms(Stage::free_motion));
    IslandInput input{right_hand_side(), model_.free,         model_.mass, {}, 0,
                      in.clock,          in.forced_iterations};
    if (options_.form == SystemForm::dv) input.velocity = state.v;
    if (whole) {
        input.b_norm = free_norm(0, model_.n_nodes(), partial_);
        return solvers_[0].solve(input, solution_, trace_);
    }
    parallel_chunks(islands_.n(), [&](Index k) {
        IslandInput own = input;
        for (const auto& range : solvers_[k].system().ranges())
            own.b_norm = std::hypot(
                own.b_norm,
                free_norm(range.begin, range.end, std::span(partial_).subspan(range.begin)));
        island_stats_[k] = solvers_[k].solve(own, solution_);
    });
    SolveStats stats = island_stats_[0];
    for (Index k = 1; k < islands_.n(); ++k) stats = worst_of(stats, island_stats_[k]);
    return stats;
}

SolveStats CorotationalStepper::solve_directly(const StepInput& in, StepReport& report) {
    const bool couples = std::any_of(in.contact.begin(), in.contact.end(), [](const auto& term) {
        return term.at.n > 1 && term.block != Mat3d{};
    });
    const BlockCsr& A = couples ? coupled_ : A_;
    const auto solve_with = [&](auto& direct) {
        SolveStats stats;
        {
            ScopedTimer timer(report.ms(Stage::factor));
            if (couples) coupled_ = with_terms(A_, in.contact);
            stats = direct.factorize(A, model_.free);
        }
        ScopedTimer timer(report.ms(Stage::free_motion));
        if (stats.failed()) return stats;
        const double b_norm = free_norm(0, model_.n_nodes(), partial_);
        return direct.solve(A, right_hand_side(), model_.free, b_norm, solution_);
    };
    return options_.linear == LinearKind::supernodal ? solve_with(factor_) : solve_with(ldlt_);
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
    SolveStats stats = options_.linear == LinearKind::pcg ? solve_iteratively(in, state, report)
                                                          : solve_directly(in, report);
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
    const double per_step = 1 / in.h;
    parallel_for(static_cast<Index>(pinned_.size()), 256, [&](Index k) {
        const Index i = pinned_[k];
        Vec3d Av = product_[i];
        if (assembled_) {
            Av = {};
            for (Index j = A_.row_begin()[i]; j < A_.row_begin()[i + 1]; ++j)
                Av += A_.blocks()[j] * solution_[A_.column()[j]];
        }
        forces.reaction[i] = masked(per_step * (Av - b_[i]), Vec3d{1, 1, 1} - model_.free[i]);
    });
    for (const ContactTerm& term : in.contact) {
        if (term.at.n < 2) continue;
        const Vec3d Bu = per_step * (term.block * term.at.gather(solution_));
        for (int k = 0; k < term.at.n; ++k) {
            const Index i = term.at.node[k];
            forces.reaction[i] += masked(term.at.weight[k] * Bu, Vec3d{1, 1, 1} - model_.free[i]);
        }
    }
}

std::string CorotationalStepper::describe() {
    if (options_.linear != LinearKind::supernodal) return {};
    factor_.analyze(A_);
    return describe_factor(factor_.memory(), factor_.structure());
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
