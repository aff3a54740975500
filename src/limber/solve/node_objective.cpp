// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/node_objective.h"

#include <algorithm>
#include <cmath>

#include "limber/solve/model_potentials.h"

namespace limber {

NodeObjective::NodeObjective(const Objective<double>& objective)
    : objective_(objective),
      potentials_(make_node_potentials(objective.model())),
      colours_(colour_nodes(objective.pattern().row_begin(), objective.pattern().column())) {
    const Model& model = objective.model();
    moves_.resize(model.n_nodes());
    for (Index i = 0; i < model.n_nodes(); ++i) moves_[i] = model.free[i] != Vec3d{};
    tied_.assign(model.n_nodes(), 0);
    touch_begin_.assign(model.n_nodes() + 1, 0);
}

void NodeObjective::begin() {
    for (const auto& whole : objective_.potentials())
        if (const std::vector<char> kept = whole->kept(); !kept.empty())
            for (auto& part : potentials_) part->set_kept(kept);
    for (Index node : tied_nodes_) tied_[node] = 0;
    tied_nodes_.clear();
    std::fill(touch_begin_.begin(), touch_begin_.end(), 0);
    const std::span<const ContactTerm> terms = objective_.contacts();
    for (const ContactTerm& term : terms)
        for (int k = 0; k < term.at.n; ++k) {
            const Index node = term.at.node[k];
            ++touch_begin_[node + 1];
            if (term.at.n == 1 || tied_[node]) continue;
            tied_[node] = 1;
            tied_nodes_.push_back(node);
        }
    std::sort(tied_nodes_.begin(), tied_nodes_.end());
    for (std::size_t i = 1; i < touch_begin_.size(); ++i) touch_begin_[i] += touch_begin_[i - 1];
    touch_.resize(touch_begin_.back());
    // Entry i + 1 is now the end of node i: it becomes its start, and the end again as places are
    // taken.
    for (std::size_t i = touch_begin_.size() - 1; i > 0; --i) touch_begin_[i] = touch_begin_[i - 1];
    for (Index t = 0; t < static_cast<Index>(terms.size()); ++t)
        for (int k = 0; k < terms[t].at.n; ++k)
            touch_[touch_begin_[terms[t].at.node[k] + 1]++] = {t, k};
}

void NodeObjective::hold(Positions x) {
    for (auto& part : potentials_) part->hold(x);
}

Vec3d NodeObjective::contact_velocity(const ContactTerm& term, Positions x) const {
    Vec3d sum;
    for (int k = 0; k < term.at.n; ++k) {
        const Index j = term.at.node[k];
        sum += term.at.weight[k] * (x[j] - objective_.start()[j]);
    }
    return (1 / objective_.h()) * sum;
}

NodeDerivatives NodeObjective::at(Index i, Positions x) const {
    NodeDerivatives out;
    const Vec3d u = x[i] - objective_.start()[i], q = objective_.loads()[i];
    const double w = objective_.weights()[i], inertia = 0.5 * w * dot(u, u), work = dot(q, u);
    out.energy = inertia - work;
    out.scale = inertia + std::abs(work);
    out.gradient = w * u - q;
    out.block = Mat3d::diagonal(w, w, w);
    if (const BlockCsr* matrix = objective_.quadratic()) {
        const auto begin = matrix->row_begin();
        Vec3d coupled;
        for (Index k = begin[i]; k < begin[i + 1]; ++k) {
            const Index j = matrix->column()[k];
            if (j != i) coupled += matrix->blocks()[k] * (x[j] - objective_.start()[j]);
        }
        const Mat3d& own = matrix->blocks()[matrix->diagonal_position(i)];
        const double energy = dot(u, coupled + 0.5 * (own * u));
        out.energy += energy;
        out.scale += std::abs(energy);
        out.gradient += coupled + own * u;
        out.block += own;
    }
    const double sigma = objective_.contact_factor(), per_h = 1 / objective_.h();
    for (const Touch& touch : touches_of(i)) {
        const ContactTerm& term = objective_.contacts()[touch.term];
        const Vec3d v = contact_velocity(term, x), Bv = term.block * v;
        const double weight = term.at.weight[touch.corner];
        out.energy += sigma * term.energy(v);
        if (!term.acts(v)) continue;
        out.scale += sigma * (0.5 * dot(v, Bv) + std::abs(dot(term.impulse, v)));
        out.gradient += (sigma * per_h * weight) * (Bv - term.impulse);
        out.block += (sigma * per_h * per_h * weight * weight) * term.block;
    }
    for (const auto& part : potentials_) part->add(i, x, out);
    return out;
}

double NodeObjective::value(Index i, const Vec3d& at, Positions x) const {
    const Vec3d u = at - objective_.start()[i], q = objective_.loads()[i];
    double sum = 0.5 * objective_.weights()[i] * dot(u, u) - dot(q, u);
    if (const BlockCsr* matrix = objective_.quadratic()) {
        const auto begin = matrix->row_begin();
        Vec3d coupled;
        for (Index k = begin[i]; k < begin[i + 1]; ++k) {
            const Index j = matrix->column()[k];
            coupled += matrix->blocks()[k] * (j == i ? 0.5 * u : x[j] - objective_.start()[j]);
        }
        sum += dot(u, coupled);
    }
    const Vec3d moved = (1 / objective_.h()) * (at - x[i]);
    for (const Touch& touch : touches_of(i)) {
        const ContactTerm& term = objective_.contacts()[touch.term];
        const Vec3d v = contact_velocity(term, x) + term.at.weight[touch.corner] * moved;
        sum += objective_.contact_factor() * term.energy(v);
    }
    for (const auto& part : potentials_) sum += part->energy(i, at, x);
    return sum;
}

}  // namespace limber
