// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/corotational.h"

#include <algorithm>
#include <cmath>

#include "limber/core/history.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index grain = LinearStep::grain;

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
      step_(model),
      assembler_(model.elements),
      operator_(model.elements),
      islands_(model),
      factor_(never_updated()) {
    const Index n = model.n_nodes();
    if (assembled_) A_ = assembler_.make_matrix();
    if (options.linear == LinearKind::supernodal) compliance_.set_matrix(&A_);
    for (std::vector<Vec3d>* array : {&rhs_, &solution_, &product_}) array->resize(n);
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
    step_.build(in, state.v);
    if (assembled_) {
        assembler_.assemble(step_.coefficients(), rotations_, A_);
        add_one_node_blocks(in.contact, A_);
    } else {
        operator_.set(step_.coefficients(), rotations_);
        for (Index node : contact_nodes_) operator_.extra_diagonal()[node] = Mat3d{};
        contact_nodes_.clear();
        for (const ContactTerm& term : in.contact) {
            if (term.at.n > 1) continue;
            operator_.extra_diagonal()[term.at.node[0]] += one_node_block(term);
            contact_nodes_.push_back(term.at.node[0]);
        }
    }
    if (options_.form == SystemForm::dv) {
        apply_system(in.contact, state.v, product_);
        parallel_for(model_.n_nodes(), grain,
                     [&](Index i) { rhs_[i] = step_.b()[i] - product_[i]; });
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
            v_new += (euler_share * in.h / model_.mass[i]) * step_.force()[i];
        v_new = with_prescribed(v_new, in.pin_velocity[i], model_.free[i]);
        solution_[i] = change ? v_new - state.v[i] : v_new;
    });
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
    const bool whole = solvers_.size() == 1 || watcher_;
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
        input.b_norm = step_.free_norm(step_.b());
        if (!watcher_) return solvers_[0].solve(input, solution_);
        PcgTrace trace;
        const SolveStats stats = solvers_[0].solve(input, solution_, &trace);
        for (std::size_t k = 0; k < trace.residual.size(); ++k)
            watcher_({.number = static_cast<int>(k),
                      .residual = trace.residual[k],
                      .kinetic = trace.kinetic[k]});
        return stats;
    }
    parallel_chunks(islands_.n(), [&](Index k) {
        IslandInput own = input;
        for (const auto& range : solvers_[k].system().ranges())
            own.b_norm =
                std::hypot(own.b_norm, step_.free_norm(step_.b(), range.begin, range.end,
                                                       step_.partial().subspan(range.begin)));
        island_stats_[k] = solvers_[k].solve(own, solution_);
    });
    SolveStats stats = island_stats_[0];
    for (Index k = 1; k < islands_.n(); ++k) stats = worst_of(stats, island_stats_[k]);
    return stats;
}

/// The first body of the island that is farthest from its solution, where each is solved alone.
Index CorotationalStepper::worst_island_body() const {
    if (options_.linear != LinearKind::pcg || solvers_.size() == 1 || watcher_) return -1;
    Index worst = 0;
    for (Index k = 1; k < islands_.n(); ++k)
        if (island_stats_[k].residual > island_stats_[worst].residual) worst = k;
    return islands_.bodies(worst).front();
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
        const double b_norm = step_.free_norm(step_.b());
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
                                    element_forces_, step_.force());
    }
    {
        ScopedTimer timer(report.ms(Stage::assemble));
        build_system(in, state);
        guess_solution(in, state);
    }
    const SolveStats stats = options_.linear == LinearKind::pcg
                                 ? solve_iteratively(in, state, report)
                                 : solve_directly(in, report);
    report_solve(stats, report, worst_island_body());
    parallel_for(n, grain,
                 [&](Index i) { state.v[i] = change ? state.v[i] + solution_[i] : solution_[i]; });
    ScopedTimer timer(report.ms(Stage::correct));
    find_reactions(in, state.v, forces);
}

void CorotationalStepper::find_reactions(const StepInput& in, std::span<const Vec3d> v,
                                         NodeForces& forces) {
    if (!step_.has_pins()) return;
    if (assembled_) {
        step_.find_reactions(in, A_, v, forces);
    } else {
        operator_.apply(v, product_);
        step_.find_reactions(in, product_, v, forces);
    }
}

void CorotationalStepper::correct_reactions(const StepInput& in, std::span<const Vec3d> v,
                                            NodeForces& forces) {
    find_reactions(in, v, forces);
    step_.subtract_contact(forces);
}

std::string CorotationalStepper::describe() {
    if (options_.linear != LinearKind::supernodal) return {};
    factor_.analyze(A_);
    return describe_factor(factor_.memory(), factor_.structure());
}

template <class List, class Self>
void CorotationalStepper::list_history(List& list, Self& self) {
    list.numbers("rotations", self.rotations_.element);
}

void CorotationalStepper::save(ByteWriter& out) const {
    HistoryWriter list(out);
    list_history(list, *this);
}

void CorotationalStepper::load(ByteReader& in) {
    HistoryReader list(in);
    list_history(list, *this);
}

}  // namespace limber
