// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/linear_step.h"

#include <cmath>

#include "limber/core/parallel.h"
#include "limber/solve/worst_body.h"

namespace limber {

void add_one_node_blocks(std::span<const ContactTerm> terms, BlockCsr& A) {
    for (const ContactTerm& term : terms)
        if (term.at.n == 1)
            A.blocks()[A.diagonal_position(term.at.node[0])] += one_node_block(term);
}

void report_solve(SolveStats stats, StepReport& report, Index body) {
    stats.iterations += report.solve.iterations;  // of earlier sub-steps
    report.solve = stats;
    if (stats.status == SolveStatus::iteration_cap) report.set(StepFlag::iteration_cap, body);
    if (stats.status == SolveStatus::deadline) report.set(StepFlag::deadline, body);
    if (stats.status == SolveStatus::indefinite) report.set(StepFlag::indefinite, body);
}

LinearStep::LinearStep(const Model& model) : model_(model) {
    const Index n = model.n_nodes();
    for (Index i = 0; i < n; ++i)
        if (model.free[i] != Vec3d{1, 1, 1} && !model.is_rigid(i)) pinned_.push_back(i);
    force_.resize(n);
    b_.resize(n);
    diagonal_.resize(n);
    partial_.resize(n + 1);
}

const SystemCoefficients& LinearStep::set_coefficients(double h) {
    parallel_for(model_.n_nodes(), grain,
                 [&](Index i) { diagonal_[i] = model_.lumped[i] + h * model_.lumped_damping[i]; });
    coefficients_ = {h, model_.consistent_mass, diagonal_};
    return coefficients_;
}

void LinearStep::build(const StepInput& in, std::span<const Vec3d> v) {
    set_coefficients(in.h);
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        force_[i] += in.external[i];
        b_[i] = model_.lumped[i] * v[i] + in.h * force_[i];
    });
    if (model_.consistent_mass) add_consistent_mass(model_.elements, v, 1.0, false, b_);
    for (const ContactTerm& term : in.contact) term.at.scatter(term.impulse, b_);
}

double LinearStep::free_norm(std::span<const Vec3d> a, Index begin, Index end,
                             std::span<double> partial) const {
    return std::sqrt(parallel_sum<double>(end - begin, grain, partial, [&](Index from, Index to) {
        double sum = 0;
        for (Index i = begin + from; i < begin + to; ++i)
            sum += squared_norm(masked(a[i], model_.free[i]));
        return sum;
    }));
}

Index LinearStep::worst_body(const LinearOperator& A, std::span<const Vec3d> v_new) const {
    std::vector<Vec3d> residual(b_.size());
    A.apply(v_new, residual);
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= b_[i];
    return limber::worst_body<double>(model_, residual);
}

template <class RowProduct>
void LinearStep::react(const StepInput& in, std::span<const Vec3d> v_new, const RowProduct& Av,
                       NodeForces& forces) const {
    if (pinned_.empty()) return;
    const double per_step = 1 / in.h;
    parallel_for(static_cast<Index>(pinned_.size()), 256, [&](Index k) {
        const Index i = pinned_[k];
        forces.reaction[i] = masked(per_step * (Av(i) - b_[i]), Vec3d{1, 1, 1} - model_.free[i]);
    });
    for (const ContactTerm& term : in.contact) {
        if (term.at.n < 2) continue;
        const Vec3d Bu = per_step * (term.block * term.at.gather(v_new));
        for (int k = 0; k < term.at.n; ++k) {
            const Index i = term.at.node[k];
            forces.reaction[i] += masked(term.at.weight[k] * Bu, Vec3d{1, 1, 1} - model_.free[i]);
        }
    }
}

void LinearStep::find_reactions(const StepInput& in, const BlockCsr& A,
                                std::span<const Vec3d> v_new, NodeForces& forces) const {
    react(
        in, v_new,
        [&](Index i) {
            Vec3d sum{};
            for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
                sum += A.blocks()[k] * v_new[A.column()[k]];
            return sum;
        },
        forces);
}

void LinearStep::subtract_contact(NodeForces& forces) const {
    for (const Index i : pinned_)
        forces.reaction[i] -= masked(forces.contact[i], Vec3d{1, 1, 1} - model_.free[i]);
}

void LinearStep::find_reactions(const StepInput& in, std::span<const Vec3d> product,
                                std::span<const Vec3d> v_new, NodeForces& forces) const {
    react(
        in, v_new, [&](Index i) { return product[i]; }, forces);
}

}  // namespace limber
