// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/xpbd.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
constexpr Index grain = 2048;  // nodes a chunk; of constraints 64

/// A constraint of a tet: its value, ∂C/∂F and stiffness per volume [Pa]. k = 0: nothing to do.
struct TetConstraint {
    double C = 0;
    Mat3d gradient;
    double k = 0;
};

TetConstraint shape_of(const CorotatedElastic& law, const Mat3d& F) {
    const Mat3d R = CorotatedElastic::rotation(F), e = hooke_strain(transpose(R) * F);
    const double C = frobenius_norm(e);
    if (!(C > 0)) return {};
    return {C, (1 / C) * (R * e), 2 * law.mu};
}
TetConstraint volume_of(const CorotatedElastic& law, const Mat3d& F) {
    const Mat3d R = CorotatedElastic::rotation(F);
    return {trace(hooke_strain(transpose(R) * F)), R, law.lambda};
}
TetConstraint shape_of(const NeoHookean& law, const Mat3d& F) {
    const double J = determinant(F), I = contract(F, F);
    // The law has no value where a tet is inverted: its volume alone brings it back.
    if (!(J > 1e-6)) return {};
    const double c = 1 / std::cbrt(J * J), square = c * I - 3;
    if (!(square > 1e-14)) return {};  // rounding
    const double C = std::sqrt(square);
    return {C, (c / C) * (F - (I / (3 * J)) * cofactor(F)), 2 * law.s0};
}
TetConstraint volume_of(const NeoHookean& law, const Mat3d& F) {
    return {determinant(F) - 1, cofactor(F), 2 * law.s1};
}
template <class Law>
TetConstraint shape_of(const Law&, const Mat3d&) {
    throw Bug("xpbd has no constraints for this law");
}
template <class Law>
TetConstraint volume_of(const Law&, const Mat3d&) {
    throw Bug("xpbd has no constraints for this law");
}

}  // namespace

template <int N>
void XpbdStepper::colour(Group<N>& group) {
    if (group.nodes.empty()) return;
    group.colours = colour_elements(
        model_.n_nodes(), std::span<const Index>(group.nodes[0].data(), N * group.nodes.size()), N);
}

XpbdStepper::XpbdStepper(const Model& model, const Options& options)
    : model_(model), options_(options) {
    LIMBER_CHECK(!model.consistent_mass, "xpbd needs the mass at nodes");
    LIMBER_CHECK(model.cloth.membranes.empty() && model.cloth.hinges.empty(),
                 "xpbd has constraints for springs and flat hinges alone");
    tets_.nodes = model.mesh.tets;
    rest_.fill(model.mesh, tets_in_mesh_order(model.n_tets(), 1), EmptyLanes::zero);
    for (const Spring& spring : model.cloth.springs) springs_.nodes.push_back(spring.nodes);
    for (const FlatHinge& hinge : model.cloth.flat_hinges) hinges_.nodes.push_back(hinge.nodes);
    for (const ViscousEdge& edge : model.viscous) viscous_.nodes.push_back(edge.nodes);
    colour(tets_);
    colour(springs_);
    colour(hinges_);
    colour(viscous_);
    for (auto* array : {&x_, &before_, &v_, &inverse_mass_, &pull_}) array->resize(model.n_nodes());
}

/// x += w step, and what pinned axes were pulled with.
template <int N>
void XpbdStepper::push(const std::array<Index, N>& nodes, const std::array<Vec3d, N>& step) {
    const double to_force = 1 / (h_ * h_ * options_.substeps);
    for (int a = 0; a < N; ++a) {
        const Vec3d& w = inverse_mass_[nodes[a]];
        for (int k = 0; k < 3; ++k) {
            x_[nodes[a]][k] += w[k] * step[a][k];
            if (w[k] == 0) pull_[nodes[a]][k] += to_force * step[a][k];
        }
    }
}

/// One scalar constraint of stiffness k with damping b [s].
template <int N>
void XpbdStepper::project(const std::array<Index, N>& nodes, double C,
                          const std::array<Vec3d, N>& gradient, double k, double damping) {
    if (!(k > 0)) return;
    const double gamma = damping / h_;
    double mobility = 0, rate = 0;
    for (int a = 0; a < N; ++a) {
        const Vec3d &w = inverse_mass_[nodes[a]], &g = gradient[a];
        mobility += w.x * g.x * g.x + w.y * g.y * g.y + w.z * g.z * g.z;
        rate += dot(g, x_[nodes[a]] - before_[nodes[a]]);
    }
    const double lambda = -(C + gamma * rate) / ((1 + gamma) * mobility + 1 / (k * h_ * h_));
    if (!std::isfinite(lambda)) return;
    std::array<Vec3d, N> step;
    for (int a = 0; a < N; ++a) step[a] = lambda * gradient[a];
    push<N>(nodes, step);
}

void XpbdStepper::solve_tet(Index t) {
    const Tet& nodes = tets_.nodes[t];
    const Mat3d Dm_inv = rest_.Dm_inv(t);
    const double volume = rest_.volume(t);
    const Material& material = model_.materials[model_.tet_material[t]];
    const auto solve = [&](auto&& constraint_of) {
        const Vec3d o = x_[nodes[0]];
        const Mat3d F =
            Mat3d::from_columns(x_[nodes[1]] - o, x_[nodes[2]] - o, x_[nodes[3]] - o) * Dm_inv;
        const TetConstraint c = constraint_of(F);
        const Mat3d G = c.gradient * transpose(Dm_inv);
        project<4>(nodes, c.C, {-(G.col(0) + G.col(1) + G.col(2)), G.col(0), G.col(1), G.col(2)},
                   c.k * volume, material.damping_stiffness);
    };
    std::visit(
        [&](const auto& law) {
            solve([&](const Mat3d& F) { return shape_of(law, F); });
            solve([&](const Mat3d& F) { return volume_of(law, F); });
        },
        material.law);
    if (material.volume > 0)
        solve([&](const Mat3d& F) {
            return TetConstraint{determinant(F) - 1, cofactor(F), material.volume};
        });
}

void XpbdStepper::solve_spring(Index e) {
    const Spring& spring = model_.cloth.springs[e];
    const Vec3d d = x_[spring.nodes[1]] - x_[spring.nodes[0]];
    const double l = norm(d);
    if (!(l > 0)) return;
    const Vec3d n = (1 / l) * d;
    project<2>(spring.nodes, l - spring.length, {-n, n}, spring.stiffness, 0);
}

/// E = ½ |Σ w_a x_a|²: the same along each axis, and linear.
void XpbdStepper::solve_hinge(Index e) {
    const FlatHinge& hinge = model_.cloth.flat_hinges[e];
    const Vec3d bend = hinge.bend(std::array<Vec3d, 4>{x_[hinge.nodes[0]], x_[hinge.nodes[1]],
                                                       x_[hinge.nodes[2]], x_[hinge.nodes[3]]});
    Vec3d mobility;
    for (int a = 0; a < 4; ++a)
        mobility += (hinge.w[a] * hinge.w[a]) * inverse_mass_[hinge.nodes[a]];
    Vec3d lambda;
    for (int k = 0; k < 3; ++k) lambda[k] = -bend[k] / (mobility[k] + 1 / (h_ * h_));
    push<4>(hinge.nodes,
            {hinge.w[0] * lambda, hinge.w[1] * lambda, hinge.w[2] * lambda, hinge.w[3] * lambda});
}

/// c/(2h) |u_i − u_j|² over the sub-step.
void XpbdStepper::solve_viscosity(Index e) {
    const ViscousEdge& edge = model_.viscous[e];
    const auto moved = [&](Index i) { return x_[i] - before_[i]; };
    const Vec3d apart = moved(edge.nodes[0]) - moved(edge.nodes[1]);
    const Vec3d w = inverse_mass_[edge.nodes[0]] + inverse_mass_[edge.nodes[1]];
    Vec3d step;
    for (int k = 0; k < 3; ++k) step[k] = -apart[k] / (w[k] + 1 / (edge.c * h_));
    push<2>(edge.nodes, {step, -step});
}

/// The impulse p − B w of a term, w the velocity it sees, in equal shares: s = 1/substeps of it,
/// P = s (p − B (w + W P)), with the mobility W of the nodes.
void XpbdStepper::solve_contacts(const StepInput& in) {
    const double share = 1.0 / options_.substeps;
    for (const ContactTerm& term : in.contact) {
        Vec3d w, mobility;
        for (int k = 0; k < term.at.n; ++k) {
            const Index i = term.at.node[k];
            w += (term.at.weight[k] / h_) * (x_[i] - before_[i]);
            mobility += (term.at.weight[k] * term.at.weight[k]) * inverse_mass_[i];
        }
        const Mat3d A = Mat3d::identity() +
                        share * (term.block * Mat3d::diagonal(mobility.x, mobility.y, mobility.z));
        const Vec3d P = inverse(A) * (share * (term.impulse - term.block * w));
        for (int k = 0; k < term.at.n; ++k)
            push<1>({term.at.node[k]}, {(h_ * term.at.weight[k]) * P});
    }
}

template <int N, class F>
void XpbdStepper::sweep(const Group<N>& group, F&& f) {
    for (Index c = 0; c < group.colours.n_colours(); ++c) {
        const std::span<const Index> items = group.colours.of(c);
        parallel_for(static_cast<Index>(items.size()), 64, [&](Index k) { f(items[k]); });
    }
}

/// The minimum of inertia, damping by mass and air, and loads: u = h (m v + h f) / (m + h c).
void XpbdStepper::predict(const StepInput& in, const State& state, int part) {
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        const double m = model_.lumped[i], weight = m + h_ * model_.lumped_damping[i];
        before_[i] = x_[i];
        for (int k = 0; k < 3; ++k) {
            const bool free = model_.free[i][k] != 0;
            inverse_mass_[i][k] = free ? 1 / weight : 0;
            if (free)
                x_[i][k] += h_ * (m * v_[i][k] + h_ * in.external[i][k]) / weight;
            else
                x_[i][k] = state.x[i][k] + (part + 1) * h_ * in.pin_velocity[i][k];
        }
    });
}

void XpbdStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                              StepReport& report) {
    ScopedTimer timer(report.ms(Stage::free_motion));
    h_ = in.h / options_.substeps;
    std::copy(state.x.begin(), state.x.end(), x_.begin());
    std::copy(state.v.begin(), state.v.end(), v_.begin());
    std::fill(pull_.begin(), pull_.end(), Vec3d{});
    for (int part = 0; part < options_.substeps; ++part) {
        predict(in, state, part);
        sweep(tets_, [&](Index t) { solve_tet(t); });
        sweep(springs_, [&](Index e) { solve_spring(e); });
        sweep(hinges_, [&](Index e) { solve_hinge(e); });
        sweep(viscous_, [&](Index e) { solve_viscosity(e); });
        solve_contacts(in);
        parallel_for(model_.n_nodes(), grain,
                     [&](Index i) { v_[i] = (1 / h_) * (x_[i] - before_[i]); });
    }
    find_reactions(in, state, forces);
    parallel_for(model_.n_nodes(), grain,
                 [&](Index i) { state.v[i] = (1 / in.h) * (x_[i] - state.x[i]); });
    report.solve.status = SolveStatus::iteration_cap;  // of one sweep a sub-step, by design
    report.solve.iterations += options_.substeps;
    // What a sweep leaves of its constraints is no distance from a step's solution: the limit it
    // goes to is another one for every number of sub-steps.
    report.solve.residual = report.solve.absolute_residual = not_measured;
}

/// What holds a pin: its inertia less loads and pulls, averaged over the step.
void XpbdStepper::find_reactions(const StepInput& in, const State& state,
                                 NodeForces& forces) const {
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        const Vec3d inertia = (model_.lumped[i] / in.h) * (v_[i] - state.v[i]);
        for (int k = 0; k < 3; ++k)
            forces.reaction[i][k] =
                model_.free[i][k] != 0 ? 0 : inertia[k] - in.external[i][k] - pull_[i][k];
    });
}

void XpbdStepper::integrate(const StepInput&, State& state) const {
    std::copy(x_.begin(), x_.end(), state.x.begin());
    std::copy(v_.begin(), v_.end(), state.v.begin());
}

std::string XpbdStepper::describe() {
    return "a baseline: " + std::to_string(options_.substeps) + " sub-steps of one sweep over " +
           std::to_string(tets_.colours.n_colours() + springs_.colours.n_colours() +
                          hinges_.colours.n_colours() + viscous_.colours.n_colours()) +
           " colours of constraints";
}

}  // namespace limber
