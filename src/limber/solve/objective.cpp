// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "limber/core/parallel.h"
#include "limber/fem/elements/tet_potential.h"
#include "limber/solve/contact_system.h"
#include "limber/solve/model_potentials.h"

namespace limber {

namespace {

constexpr Index grain = 2048;  // nodes a chunk

template <class To, class From>
Vec3<To> cast(const Vec3<From>& a) {
    return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}
bool any_positive(std::span<const double> values) {
    return std::any_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

/// The displacement that a contact sees.
template <class Real>
Vec3d gathered(const ContactStencil& at, std::span<const Vec3<Real>> x,
               std::span<const Vec3<Real>> start) {
    Vec3d sum;
    for (int k = 0; k < at.n; ++k)
        sum += at.weight[k] * (cast<double>(x[at.node[k]]) - cast<double>(start[at.node[k]]));
    return sum;
}

}  // namespace

template <class Real>
Objective<Real>::Objective(const Model& model)
    : model_(model), potentials_(make_potentials<Real>(model)) {
    const Index n = model.n_nodes();
    start_.resize(n);
    weight_.resize(n);
    linear_.resize(n);
    scratch_.resize(n);
    v_start_.resize(n);
    x_start_.resize(n);
    x_end_.resize(n);
    partial_.resize(n / grain + 1);
    parts_.resize(n / grain + 1);
    whole_.resize(potentials_.size());
    has_matrix_ = model.consistent_mass || any_positive(model.elements.damping_stiffness) ||
                  !model.viscous.empty();
    std::vector<std::array<Index, 2>> pairs;
    for (const auto& part : potentials_) part->add_pairs(pairs);
    hessian_ = matrix_of_pairs(n, std::move(pairs));
    if (has_matrix_) matrix_ = hessian_;
    if (has_matrix_ || model.integrator == Integrator::trapezoid) {
        exact_ = make_potentials<double>(model);
        for (std::vector<Vec3d>* array : {&u_, &product_, &start_force_}) array->resize(n);
    }
}

template <class Real>
Objective<Real>::~Objective() = default;

template <class Real>
void Objective<Real>::begin(const StepInput& in, const State& state, bool measured) {
    const Index n = model_.n_nodes();
    const double h = in.h;
    const Integrator integrator = model_.integrator;
    in_ = &in;
    kappa_ = integrator == Integrator::backward_euler ? 1 / (h * h)
             : integrator == Integrator::trapezoid    ? 4 / (h * h)
                                                      : 0;
    sigma_ = integrator == Integrator::trapezoid ? 2 : 1;
    place_start(state);
    parallel_for(n, grain, [&](Index i) {
        x_start_[i] = state.x[i];
        v_start_[i] = state.v[i];
        weight_[i] =
            static_cast<Real>(kappa_ * model_.lumped[i] + sigma_ / h * model_.lumped_damping[i]);
        linear_[i] = cast<Real>(kappa_ * h * model_.lumped[i] * state.v[i] + in.external[i]);
    });
    for (auto& part : potentials_) part->begin_step(start_);
    for (std::size_t p = 0; p < exact_.size(); ++p) exact_[p]->set_kept(potentials_[p]->kept());
    if (integrator == Integrator::trapezoid) {
        std::fill(start_force_.begin(), start_force_.end(), Vec3d{});
        for (auto& part : exact_) part->add_gradient(state.x, start_force_);
        parallel_for(n, grain, [&](Index i) {
            linear_[i] += cast<Real>(in.external_start[i] - start_force_[i]);
        });
    }
    if (model_.consistent_mass && kappa_ > 0) {
        std::fill(product_.begin(), product_.end(), Vec3d{});
        add_consistent_mass(model_.elements, state.v, kappa_ * h, false, product_);
        parallel_for(n, grain, [&](Index i) { linear_[i] += cast<Real>(product_[i]); });
    }
    if (has_matrix_) build_matrix_part(state);
    if (measured) find_force_scale();
}

/// A float far from the origin would swallow the motion of a step: each body is seen from its own
/// middle. No element ties two bodies together, and none asks where it is.
template <class Real>
void Objective<Real>::place_start(const State& state) {
    for (const Body& body : model_.bodies) {
        const Index n = body.node_end - body.node_begin;
        Vec3d middle;
        if constexpr (std::is_same_v<Real, float>) {
            for (Index i = body.node_begin; i < body.node_end; ++i) middle += state.x[i];
            if (n > 0) middle = (1.0 / n) * middle;
        }
        parallel_for(n, grain, [&](Index k) {
            const Index i = body.node_begin + k;
            start_[i] = cast<Real>(state.x[i] - middle);
        });
    }
}

template <class Real>
void Objective<Real>::add_load(std::span<const Vec3d> f) {
    parallel_for(model_.n_nodes(), grain, [&](Index i) { linear_[i] += cast<Real>(f[i]); });
}

/// κ M where the mass is consistent, and σ/h (a M + b K(x_n)) with the viscosity of edges: the
/// Hessian of c/(2h) |u_i − u_j|².
template <class Real>
void Objective<Real>::build_matrix_part(const State& state) {
    const double h = in_->h;
    const ElementSet& elements = model_.elements;
    matrix_.set_zero();
    if (any_positive(elements.damping_stiffness))
        for (auto& part : exact_)
            part->add_damping(state.x, elements.damping_stiffness, sigma_ / h, matrix_);
    for (const ViscousEdge& edge : model_.viscous) {
        const double c = sigma_ / h * edge.c;
        for (Index a : edge.nodes)
            for (Index b : edge.nodes)
                matrix_.blocks()[matrix_.find(a, b)] += (a == b ? c : -c) * Mat3d::identity();
    }
    if (!model_.consistent_mass) return;
    for (Index t = 0; t < elements.n_tets; ++t) {
        const double m =
            elements.tet_mass[t] / 20 * (kappa_ + sigma_ / h * elements.damping_mass[t]);
        if (m == 0) continue;
        const Tet& tet = model_.mesh.tets[t];
        for (Index a : tet)
            for (Index b : tet)
                matrix_.blocks()[matrix_.find(a, b)] += (a == b ? 2 * m : m) * Mat3d::identity();
    }
}

template <class Real>
void Objective<Real>::find_force_scale() {
    // With the conversion: the law's own forces on a flat tet are beyond all measure.
    std::fill(scratch_.begin(), scratch_.end(), Vec3<Real>{});
    for (auto& part : potentials_) {
        part->hold(start_);
        part->add_gradient(start_, scratch_);
    }
    const auto norm_of = [&](ConstVectors a) {
        return std::sqrt(
            parallel_sum<double>(model_.n_nodes(), grain, partial_, [&](Index begin, Index end) {
                double sum = 0;
                for (Index i = begin; i < end; ++i) sum += squared_norm(cast<double>(a[i]));
                return sum;
            }));
    };
    // A spring may be all that acts on a body at rest.
    double springs = 0;
    for (const ContactTerm& term : in_->contact) {
        if (!term.acts({})) continue;
        for (int k = 0; k < term.at.n; ++k)
            springs += squared_norm((sigma_ / in_->h * term.at.weight[k]) * term.impulse);
    }
    force_scale_ = norm_of(linear_) + norm_of(scratch_) + std::sqrt(springs);
}

template <class Real>
void Objective<Real>::prescribe(Vectors x) const {
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        const Vec3d& free = model_.free[i];
        if (free == Vec3d{1, 1, 1}) return;
        for (int axis = 0; axis < 3; ++axis)
            if (free[axis] == 0)
                x[i][axis] =
                    start_[i][axis] + static_cast<Real>(in_->h * in_->pin_velocity[i][axis]);
    });
}

template <class Real>
void Objective<Real>::hold(ConstVectors x) {
    for (auto& part : potentials_) part->hold(x);
}

template <class Real>
void Objective<Real>::release() {
    for (auto& part : potentials_) part->set_kept({});
}

template <class Real>
double Objective<Real>::energy(ConstVectors x) {
    double sum = 0;
    for (auto& part : potentials_) sum += part->energy(x);
    return sum;
}

template <class Real>
double Objective<Real>::value(ConstVectors x) {
    const Index n = model_.n_nodes();
    const Parts parts = parallel_sum<Parts>(n, grain, parts_, [&](Index begin, Index end) {
        Parts part;
        for (Index i = begin; i < end; ++i) {
            const Vec3d u = cast<double>(x[i]) - cast<double>(start_[i]);
            const double work = dot(cast<double>(linear_[i]), u);
            part.inertia += 0.5 * static_cast<double>(weight_[i]) * dot(u, u);
            part.work += work;
            part.absolute_work += std::abs(work);
        }
        return part;
    });
    double sum = parts.inertia - parts.work;
    magnitude_ = parts.inertia + parts.absolute_work;
    if (has_matrix_) {
        parallel_for(n, grain,
                     [&](Index i) { u_[i] = cast<double>(x[i]) - cast<double>(start_[i]); });
        sum += 0.5 * matrix_.apply(u_, product_);
    }
    for (const ContactTerm& term : in_->contact) {
        const Vec3d w = (1 / in_->h) * gathered(term.at, x, ConstVectors(start_));
        sum += sigma_ * term.energy(w);
    }
    const double elastic = energy(x);
    elastic_ = std::abs(elastic);
    magnitude_ += elastic_;
    return sum + elastic;
}

template <class Real>
double Objective<Real>::noise() const {
    constexpr double unit = std::numeric_limits<Real>::epsilon();
    double scale = elastic_;
    for (const auto& part : potentials_) scale += part->rounding_scale();
    return unit * scale + 1e-15 * magnitude_;
}

template <class Real>
void Objective<Real>::gradient(ConstVectors x, Vectors g) {
    prepare_gradient(x, g, false);
    parallel_ranges(model_.n_nodes(), grain,
                    [&](Index begin, Index end) { gradient_range(begin, end, x, g); });
}

template <class Real>
void Objective<Real>::begin_gradient(ConstVectors x, Vectors g) {
    prepare_gradient(x, g, true);
}

/// Into a g of zeros; u(i) is the displacement of a node.
template <class Real>
template <class Displacement>
void Objective<Real>::add_matrix_and_contact(Displacement&& u, Vectors g) {
    if (has_matrix_) {
        parallel_for(model_.n_nodes(), grain, [&](Index i) { u_[i] = u(i); });
        matrix_.apply(u_, product_);
        parallel_for(model_.n_nodes(), grain, [&](Index i) { g[i] = cast<Real>(product_[i]); });
    }
    const double per_step = sigma_ / in_->h;
    for (const ContactTerm& term : in_->contact) {
        Vec3d moved;
        for (int k = 0; k < term.at.n; ++k) moved += term.at.weight[k] * u(term.at.node[k]);
        const Vec3d w = (1 / in_->h) * moved;
        if (!term.acts(w)) continue;
        const Vec3d f = per_step * (term.block * w - term.impulse);
        for (int k = 0; k < term.at.n; ++k) g[term.at.node[k]] += cast<Real>(term.at.weight[k] * f);
    }
}

template <class Real>
void Objective<Real>::gradient_without_elements(ConstVectors u, Vectors g) {
    if (!matrix_changes()) {
        parallel_for(model_.n_nodes(), grain,
                     [&](Index i) { g[i] = weight_[i] * u[i] - linear_[i]; });
        return;
    }
    parallel_for(model_.n_nodes(), grain, [&](Index i) { g[i] = {}; });
    add_matrix_and_contact([&](Index i) { return cast<double>(u[i]); }, g);
    parallel_for(model_.n_nodes(), grain, [&](Index i) { g[i] += weight_[i] * u[i] - linear_[i]; });
}

/// Everything that is not done range by range goes into g first.
template <class Real>
void Objective<Real>::prepare_gradient(ConstVectors x, Vectors g, bool hold) {
    const Index n = model_.n_nodes();
    for (std::size_t p = 0; p < potentials_.size(); ++p)
        whole_[p] = !potentials_[p]->begin_gradient(x, hold);
    const bool any_whole = std::find(whole_.begin(), whole_.end(), 1) != whole_.end();
    starts_at_zero_ = !matrix_changes() && !any_whole;
    if (starts_at_zero_) return;
    parallel_for(n, grain, [&](Index i) { g[i] = {}; });
    add_matrix_and_contact([&](Index i) { return cast<double>(x[i]) - cast<double>(start_[i]); },
                           g);
    for (std::size_t p = 0; p < potentials_.size(); ++p) {
        if (!whole_[p]) continue;
        if (hold) potentials_[p]->hold(x);
        potentials_[p]->add_gradient(x, g);
    }
}

template <class Real>
void Objective<Real>::gradient_range(Index begin, Index end, ConstVectors x, Vectors g) const {
    // Pointers: checked indices keep loops from being vectorised.
    const Vec3<Real>*at = x.data(), *start = start_.data(), *linear = linear_.data();
    const Real* weight = weight_.data();
    Vec3<Real>* out = g.data();
    if (starts_at_zero_)
        for (Index i = begin; i < end; ++i) out[i] = weight[i] * (at[i] - start[i]) - linear[i];
    else
        for (Index i = begin; i < end; ++i) out[i] += weight[i] * (at[i] - start[i]) - linear[i];
    for (std::size_t p = 0; p < potentials_.size(); ++p)
        if (!whole_[p]) potentials_[p]->add_gradient_range(begin, end, g);
}

template <class Real>
bool Objective<Real>::converted() const {
    return std::any_of(potentials_.begin(), potentials_.end(),
                       [](const auto& part) { return part->converted(); });
}

template <class Real>
void Objective<Real>::diagonal(ConstVectors x, Vectors d) {
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        const Real w = weight_[i];
        d[i] = {w, w, w};
        if (!has_matrix_) return;
        const Mat3d& block = matrix_.blocks()[matrix_.diagonal_position(i)];
        d[i] += cast<Real>(Vec3d{block(0, 0), block(1, 1), block(2, 2)});
    });
    for_each_contact_block(x, [&](Index node, const Mat3d& block) {
        d[node] += cast<Real>(Vec3d{block(0, 0), block(1, 1), block(2, 2)});
    });
    for (auto& part : potentials_) part->add_diagonal(x, d);
}

template <class Real>
void Objective<Real>::diagonal_blocks(ConstVectors x, HessianKind kind, std::span<Mat3<Real>> D) {
    const auto add = [](const Mat3d& block, Mat3<Real>& to) {
        for (int k = 0; k < 9; ++k) to.a[k] += static_cast<Real>(block.a[k]);
    };
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        const Real w = weight_[i];
        D[i] = Mat3<Real>::diagonal(w, w, w);
        if (has_matrix_) add(matrix_.blocks()[matrix_.diagonal_position(i)], D[i]);
    });
    for_each_contact_block(x, [&](Index node, const Mat3d& block) { add(block, D[node]); });
    for (auto& part : potentials_) part->add_diagonal_blocks(x, kind, D);
}

template <class Real>
bool Objective<Real>::acts(const ContactTerm& term, ConstVectors x) const {
    return !term.one_sided() ||
           term.acts((1 / in_->h) * gathered(term.at, x, ConstVectors(start_)));
}

/// Calls f with what each contact adds to the diagonal block of each of its nodes [N/m].
template <class Real>
template <class F>
void Objective<Real>::for_each_contact_block(ConstVectors x, F&& f) const {
    const double scale = sigma_ / (in_->h * in_->h);
    for (const ContactTerm& term : in_->contact) {
        if (!acts(term, x)) continue;
        for (int k = 0; k < term.at.n; ++k)
            f(term.at.node[k], (scale * term.at.weight[k] * term.at.weight[k]) * term.block);
    }
}

template <class Real>
const BlockCsr& Objective<Real>::hessian(ConstVectors x, HessianKind kind) {
    hessian_.set_zero();
    for (auto& part : potentials_) part->add_hessian(x, kind, 1, hessian_);
    return with_rest_of_hessian(x);
}

template <class Real>
template <class Out>
void Objective<Real>::tangent(ConstVectors x, BlockRows<Out>& A) {
    const double scale = sigma_ / (in_->h * in_->h);
    const bool between = std::any_of(in_->contact.begin(), in_->contact.end(),
                                     [](const ContactTerm& term) { return term.at.n > 1; });
    A.bind(hessian_);
    bool offered = !between;
    for (std::size_t p = 0; offered && p < potentials_.size(); ++p)
        offered = potentials_[p]->add_tangent(x, A);
    if (!offered) {  // cloth, and contacts that tie other nodes together
        A.take(hessian(x, HessianKind::projected));
        return;
    }
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        const Out w = static_cast<Out>(weight_[i]);
        A.blocks()[A.diagonal_position(i)] += Mat3<Out>::diagonal(w, w, w);
    });
    const auto add = [](const Mat3d& block, Mat3<Out>& to) {
        for (int k = 0; k < 9; ++k) to.a[k] += static_cast<Out>(block.a[k]);
    };
    if (has_matrix_)
        parallel_for(A.n_blocks(), grain,
                     [&](Index k) { add(matrix_.blocks()[k], A.blocks()[k]); });
    for (const ContactTerm& term : in_->contact)
        if (acts(term, x))
            add((scale * term.at.weight[0] * term.at.weight[0]) * term.block,
                A.blocks()[A.diagonal_position(term.at.node[0])]);
}

template <class Real>
const BlockCsr& Objective<Real>::projective_matrix() {
    hessian_.set_zero();
    for (auto& part : potentials_) part->add_projective_matrix(hessian_);
    return with_rest_of_hessian({});
}

template <class Real>
const BlockCsr& Objective<Real>::scalar_matrix() {
    hessian_.set_zero();
    for (auto& part : potentials_) part->add_projective_matrix(hessian_);
    for (Index i = 0; i < model_.n_nodes(); ++i) {
        const double w =
            static_cast<double>(weight_[i]) + kappa_ * (model_.mass[i] - model_.lumped[i]);
        hessian_.blocks()[hessian_.diagonal_position(i)] += Mat3d::diagonal(w, w, w);
    }
    const double scale = sigma_ / (in_->h * in_->h);
    for (const ContactTerm& term : in_->contact)
        for (int k = 0; k < term.at.n; ++k) {
            // A third of the trace is the number nearest to a block.
            const double w = scale * term.at.weight[k] * term.at.weight[k] * trace(term.block) / 3;
            hessian_.blocks()[hessian_.diagonal_position(term.at.node[k])] +=
                Mat3d::diagonal(w, w, w);
        }
    return hessian_;
}

/// hessian_ and the parts that are not elastic; without x, one-sided contacts as if all acted.
template <class Real>
const BlockCsr& Objective<Real>::with_rest_of_hessian(ConstVectors x) {
    const Index n = model_.n_nodes();
    if (has_matrix_)
        for (std::size_t k = 0; k < matrix_.blocks().size(); ++k)
            hessian_.blocks()[k] += matrix_.blocks()[k];
    for (Index i = 0; i < n; ++i) {
        const double w = static_cast<double>(weight_[i]);
        hessian_.blocks()[hessian_.diagonal_position(i)] += Mat3d::diagonal(w, w, w);
    }
    const double scale = sigma_ / (in_->h * in_->h);
    std::vector<ContactTerm> between;
    for (ContactTerm term : in_->contact) {
        if (!x.empty() && !acts(term, x)) continue;
        term.block = scale * term.block;
        if (term.at.n == 1)
            hessian_.blocks()[hessian_.diagonal_position(term.at.node[0])] +=
                (term.at.weight[0] * term.at.weight[0]) * term.block;
        else if (term.block != Mat3d{})
            between.push_back(term);
    }
    if (between.empty()) return hessian_;
    coupled_ = with_terms(hessian_, between);
    return coupled_;
}

template <class Real>
double Objective<Real>::norm_where(ConstVectors g, double free) {
    return std::sqrt(
        parallel_sum<double>(model_.n_nodes(), grain, partial_, [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i)
                for (int k = 0; k < 3; ++k)
                    if (model_.free[i][k] == free)
                        sum += static_cast<double>(g[i][k]) * static_cast<double>(g[i][k]);
            return sum;
        }));
}

template <class Real>
double Objective<Real>::force_scale(ConstVectors g) {
    return std::max(force_scale_ + norm_where(g, 0), 1e-300);
}

template <class Real>
double Objective<Real>::finish(ConstVectors x, State& state, NodeForces& forces) {
    gradient(x, scratch_);
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        if constexpr (std::is_same_v<Real, double>)
            x_end_[i] = x[i];
        else
            x_end_[i] = state.x[i] + (cast<double>(x[i]) - cast<double>(start_[i]));
    });
    return settle(scratch_, state, forces);
}

template <class Real>
double Objective<Real>::finish_at(ConstVectors u, ConstVectors g, State& state,
                                  NodeForces& forces) {
    parallel_for(model_.n_nodes(), grain,
                 [&](Index i) { x_end_[i] = state.x[i] + cast<double>(u[i]); });
    return settle(g, state, forces);
}

/// v and reactions from x_end_.
template <class Real>
double Objective<Real>::settle(ConstVectors g, State& state, NodeForces& forces) {
    parallel_for(model_.n_nodes(), grain,
                 [&](Index i) { state.v[i] = (1 / in_->h) * (x_end_[i] - state.x[i]); });
    react(g, forces);
    return free_norm(g);
}

template <class Real>
void Objective<Real>::finish_with(std::span<const Vec3d> v, NodeForces& forces) {
    std::vector<Vec3<Real>>& x = end_;
    x.resize(v.size());
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        x_end_[i] = x_start_[i] + in_->h * v[i];
        x[i] = cast<Real>(cast<double>(start_[i]) + in_->h * v[i]);
    });
    gradient(x, scratch_);
    react(scratch_, forces);
}

/// What holds the pins, from the gradient. Rigid bodies are held by nothing.
template <class Real>
void Objective<Real>::react(ConstVectors g, NodeForces& forces) const {
    const double share = 1 / sigma_;  // the trapezoid's is the sum of both ends of the step
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        forces.reaction[i] = share * masked(cast<double>(g[i]), Vec3d{1, 1, 1} - model_.free[i]);
    });
    for (const Body& body : model_.bodies)
        for (Index i = body.node_begin; body.rigid && i < body.node_end; ++i)
            forces.reaction[i] = {};
}

template <class Real>
void Objective<Real>::integrate(State& state) const {
    const Integrator integrator = model_.integrator;
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        state.x[i] = x_end_[i];
        if (integrator == Integrator::trapezoid) state.v[i] = 2.0 * state.v[i] - v_start_[i];
        if (integrator == Integrator::quasi_static) state.v[i] = {};
    });
}

template class Objective<double>;
template class Objective<float>;
template void Objective<double>::tangent(ConstVectors, BlockRows<float>&);
template void Objective<double>::tangent(ConstVectors, BlockRows<double>&);

}  // namespace limber
