// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/splitting/fast_corotated.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/check.h"
#include "limber/core/history.h"
#include "limber/core/parallel.h"
#include "limber/fem/elements/corotated_sweep.h"
#include "limber/fem/elements/packet_memory.h"
#include "limber/linalg/supernodal/scalar.h"
#include "limber/solve/objective.h"
#include "limber/solve/splitting/subspace.h"
#include "limber/solve/worst_body.h"

namespace limber {

namespace {

constexpr Index grain = 2048;

// How much |g|² in the norm of P⁻¹ may rise above the least of the step: that of conjugate
// gradients is not monotone, and grows by the condition of P⁻¹H at most.
constexpr double most_rise = 100;

// Beyond this share of its motion from the minimum a step has the flag iteration_cap; what few
// iterations see of the spectrum may be so many times wrong.
constexpr double far = 0.05, margin = 5;

}  // namespace

struct FastCorotatedStepper::Loop {
    virtual ~Loop() = default;
    virtual void run(const StepInput& in, State& state, NodeForces& forces, StepReport& report) = 0;
    virtual void integrate(State& state) const = 0;
    virtual void save(ByteWriter& out) const = 0;
    virtual void load(ByteReader& in) = 0;
    virtual void reset() = 0;
    virtual std::string describe() const = 0;
};

template <class Real>
struct FastCorotatedStepper::LoopOf final : Loop {
    using Vectors = std::span<Vec3<Real>>;
    using ConstVectors = std::span<const Vec3<Real>>;

    LoopOf(const Model& model, const Options& options);
    void run(const StepInput& in, State& state, NodeForces& forces, StepReport& report) override;
    void integrate(State& state) const override { objective_.integrate(state); }
    void save(ByteWriter& out) const override {
        HistoryWriter list(out);
        list_history(list, *this);
    }
    void load(ByteReader& in) override {
        HistoryReader list(in);
        list_history(list, *this);
    }
    void reset() override {
        has_before_ = false;
        response_ = 1;
        sweep_.reset_rotations();
        subspace_.clear();
    }
    std::string describe() const override;

  private:
    struct Measure {        // of an iterate
        double merit = 0;   // g·P⁻¹g [J]
        double size = 0;    // |P⁻¹g| [m]
        double forces = 0;  // |g| over the free degrees of freedom [N]
    };

    template <class List, class Self>
    static void list_history(List& list, Self& self);
    bool joint() const { return options_.scheme == SplittingScheme::joint; }
    SolveStatus prepare_matrix();
    void start(const State& state);
    void gradient(StepReport& report, CorotatedTerms terms);
    Measure direction(StepReport& report);
    SolveStats iterate(StepReport& report);
    void constrain_volumes(StepReport& report);
    double sum_of_products(ConstVectors a, ConstVectors b);
    double form(ConstVectors s);

    const Model& model_;
    Options options_;
    Objective<Real> objective_;
    CorotatedSweep<Real> sweep_;
    std::unique_ptr<VolumeSweep<Real>> volume_;
    Subspace<Real> subspace_;
    ScalarCholesky<Real> factor_;
    // Numbers of P's pattern [N/m]: of the tets, of their stiffness damping and edges' viscosity
    // for a step of one second, and all.
    std::vector<double> elastic_, damped_, value_;
    double h_ = 0;               // of the factor [s]; 0: none
    bool with_contact_ = false;  // the factor holds what only its own step had
    double pairs_h_ = 0;         // History: of the P that the subspace belongs to
    bool pairs_with_contact_ = false;
    std::vector<Vec3<Real>> u_, x_, g_, r_, r_before_, d_, best_, mobility_;  // x_ = start + u_
    std::vector<Vec3d> v_before_;
    std::vector<double> partial_;
    bool has_before_ = false;
    // History: the least s·H s / s·P s of late steps of time, each forgotten over some.
    double response_ = 1;
    double scale_ = 1;  // what gradients are compared with [N]
};

template <class Real>
FastCorotatedStepper::LoopOf<Real>::LoopOf(const Model& model, const Options& options)
    : model_(model),
      options_(options),
      objective_(model),
      sweep_(model.mesh, model.materials, model.tet_material),
      subspace_(model.n_nodes(), joint() ? options.history : 0) {
    LIMBER_CHECK(model.cloth.springs.empty() && model.cloth.membranes.empty() &&
                     model.cloth.flat_hinges.empty() && model.cloth.hinges.empty(),
                 "fast_corotated has forces of tets alone");
    if (!joint() && options.volume_sweeps > 0)
        volume_ =
            std::make_unique<VolumeSweep<Real>>(model.mesh, model.materials, model.tet_material);
    for (auto* array : {&u_, &x_, &g_, &r_, &r_before_, &d_, &best_})
        array->resize(model.n_nodes());
    v_before_.resize(model.n_nodes());
    partial_.resize(model.n_nodes() / grain + 1);
    const BlockCsr& pattern = objective_.pattern();
    // 3 bounds the volume term, and plain iterations need that. Where the surface is held
    // ∫ (div u)² is at most ∫ |∇u|²: 1 suits all motions but those that swell free surfaces, which
    // earlier steps correct, with the fewest iterations.
    const double of_volume = !joint() ? 0 : options.history > 0 ? 1 : 3;
    elastic_.assign(pattern.n_blocks(), 0.0);
    damped_.assign(pattern.n_blocks(), 0.0);
    for (Index t = 0; t < model.n_tets(); ++t) {
        const Mat3d Dm = rest_shape(model.mesh, t);
        const Lame lame = small_strain(model.materials[model.tet_material[t]]);
        const double modulus = 2 * lame.mu + of_volume * std::max(lame.lambda, 0.0);
        const auto g = rest_gradients(inverse(Dm));
        const double k = modulus * determinant(Dm) / 6;
        const double damping = model.materials[model.tet_material[t]].damping_stiffness;
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b) {
                const Index at = pattern.find(model.mesh.tets[t][a], model.mesh.tets[t][b]);
                elastic_[at] += k * dot(g[a], g[b]);
                damped_[at] += damping * k * dot(g[a], g[b]);
            }
    }
    for (const ViscousEdge& edge : model.viscous)
        for (const Index a : edge.nodes)
            for (const Index b : edge.nodes)
                damped_[pattern.find(a, b)] += a == b ? edge.c : -edge.c;
}

/// P, where h or the contacts of the step change it.
template <class Real>
SolveStatus FastCorotatedStepper::LoopOf<Real>::prepare_matrix() {
    const bool touches = !objective_.contacts().empty();
    const double h = objective_.h();
    // What steps did to another matrix is not what they do to this one.
    if (pairs_h_ != h || touches || pairs_with_contact_) subspace_.clear();
    pairs_h_ = h;
    pairs_with_contact_ = touches;
    if (h_ == h && !touches && !with_contact_) return SolveStatus::direct;
    const BlockCsr& pattern = objective_.pattern();
    value_ = elastic_;
    const double per_step = objective_.contact_factor() / h;
    for (std::size_t k = 0; k < value_.size(); ++k) value_[k] += per_step * damped_[k];
    const double kappa = objective_.inertia_factor();
    for (Index i = 0; i < model_.n_nodes(); ++i)
        value_[pattern.diagonal_position(i)] += static_cast<double>(objective_.weights()[i]) +
                                                kappa * (model_.mass[i] - model_.lumped[i]);
    const double scale = per_step / h;
    for (const ContactTerm& term : objective_.contacts())
        for (int k = 0; k < term.at.n; ++k)
            value_[pattern.diagonal_position(term.at.node[k])] +=
                scale * term.at.weight[k] * term.at.weight[k] * trace(term.block) / 3;
    const SolveStats stats = factor_.factorize(pattern, value_, model_.free);
    h_ = stats.failed() ? 0 : h;
    with_contact_ = touches;
    return stats.status;
}

/// x + h v + η h (v − v_before), pins at the end of their way; of the split scheme what inertia,
/// damping and loads alone would do.
template <class Real>
void FastCorotatedStepper::LoopOf<Real>::start(const State& state) {
    const double h = objective_.h();
    const auto loads = objective_.loads();
    const auto weights = objective_.weights();
    const double share = joint() && has_before_ ? options_.eta * h : 0;
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        Vec3d move = h * state.v[i];
        if (share > 0) move += share * (state.v[i] - v_before_[i]);
        if (!joint() && weights[i] > 0)
            for (int k = 0; k < 3; ++k)
                move[k] = static_cast<double>(loads[i][k]) / static_cast<double>(weights[i]);
        for (int k = 0; k < 3; ++k)
            u_[i][k] = static_cast<Real>(
                model_.free[i][k] != 0 ? move[k] : h * objective_.input().pin_velocity[i][k]);
    });
}

template <class Real>
void FastCorotatedStepper::LoopOf<Real>::gradient(StepReport& report, CorotatedTerms terms) {
    ScopedTimer timer(report.ms(Stage::rotate));
    const auto at = objective_.start();
    parallel_for(model_.n_nodes(), grain, [&](Index i) { x_[i] = at[i] + u_[i]; });
    sweep_.begin_gradient(x_, terms);
    objective_.gradient_without_elements(u_, g_);
    parallel_ranges(model_.n_nodes(), grain,
                    [&](Index begin, Index end) { sweep_.add_gradient_range(begin, end, g_); });
}

template <class Real>
double FastCorotatedStepper::LoopOf<Real>::sum_of_products(ConstVectors a, ConstVectors b) {
    return inner_product<Real>(a, b, std::span<double>(partial_));
}

/// r = −P⁻¹g, zero where pins prescribe.
template <class Real>
auto FastCorotatedStepper::LoopOf<Real>::direction(StepReport& report) -> Measure {
    ScopedTimer timer(report.ms(Stage::free_motion));
    parallel_for(model_.n_nodes(), grain, [&](Index i) { r_[i] = -g_[i]; });
    factor_.solve(ConstVectors(r_), Vectors(r_));
    Measure m;
    m.merit = -sum_of_products(g_, r_);
    m.size = std::sqrt(sum_of_products(r_, r_));
    return m;
}

template <class Real>
SolveStats FastCorotatedStepper::LoopOf<Real>::iterate(StepReport& report) {
    SolveStats stats;
    stats.status = SolveStatus::iteration_cap;
    const auto terms = joint() ? CorotatedTerms::all : CorotatedTerms::stretch;
    const int n = options_.n_iterations();
    const bool corrects = joint() && options_.history > 0;
    double least = std::numeric_limits<double>::infinity(), s_g = 0, length = 1;
    double least_forces = std::numeric_limits<double>::infinity();  // where least was
    Measure last;
    bool has_step = false;  // d_ led from the iterate before to this one
    for (int k = 0; k < n; ++k) {
        gradient(report, terms);
        last.forces = objective_.free_norm(g_);
        if (k == 0) scale_ = objective_.held_norm(g_) + objective_.load_norm() + last.forces;
        if (joint() && options_.rel_tolerance > 0 &&
            last.forces <= options_.rel_tolerance * scale_) {
            stats.status = SolveStatus::converged;
            break;
        }
        const Measure now = direction(report);
        if (!std::isfinite(now.merit)) {
            stats.status = SolveStatus::not_finite;
            return stats;
        }
        last.size = now.size;
        ++stats.iterations;
        if (!corrects) {
            parallel_for(model_.n_nodes(), grain, [&](Index i) { u_[i] += r_[i]; });
            continue;
        }
        if (now.merit > most_rise * least) {  // too far: again from the best, without a memory
            u_ = best_;
            subspace_.clear();
            has_step = false;
            length *= 0.5;
            least = std::numeric_limits<double>::infinity();
            continue;
        }
        if (now.merit < least) {
            least = now.merit;
            least_forces = last.forces;
            best_ = u_;
        }
        if (has_step)
            subspace_.add(d_, r_before_, r_, g_, s_g);
        else
            subspace_.look(g_);
        subspace_.correct(r_, d_);
        if (length < 1)
            parallel_for(model_.n_nodes(), grain,
                         [&](Index i) { d_[i] = static_cast<Real>(length) * d_[i]; });
        s_g = sum_of_products(d_, g_);
        parallel_for(model_.n_nodes(), grain, [&](Index i) { u_[i] += d_[i]; });
        std::swap(r_, r_before_);
        has_step = true;
    }
    if (!joint()) return stats;
    const double before = last.forces;
    gradient(report, terms);
    last.forces = objective_.free_norm(g_);
    if (corrects && !(last.forces <= most_rise * least_forces)) {  // nothing looked at this one yet
        u_ = best_;
        has_step = false;
        subspace_.clear();
        gradient(report, terms);
        last.forces = objective_.free_norm(g_);
    }
    if (has_step) {
        subspace_.add(d_, r_before_, {}, g_, s_g);
        const double curvature = subspace_.curvature();
        if (curvature > 0)
            response_ = std::clamp(std::min(1.2 * response_, curvature / form(d_)), 1e-6, 1.0);
        subspace_.project(u_);
        subspace_.drop_newest();
    }
    // What the last solve left, by how much the forces fell since, where P⁻¹H answers the least.
    const double left =
        last.size * std::min(1.0, last.forces / std::max(before, 1e-300)) / response_;
    const double motion = std::sqrt(sum_of_products(u_, u_));
    if (stats.status == SolveStatus::iteration_cap && left > far / margin * motion)
        report.set(StepFlag::iteration_cap, worst_body<Real>(model_, g_));
    return stats;
}

/// s·P s
template <class Real>
double FastCorotatedStepper::LoopOf<Real>::form(ConstVectors s) {
    const BlockCsr& pattern = objective_.pattern();
    const Index *row_begin = pattern.row_begin().data(), *column = pattern.column().data();
    return parallel_sum<double>(
        model_.n_nodes(), grain, std::span<double>(partial_), [&](Index begin, Index end) {
            using Four = Packet<double, 4>;
            Four sum;
            for (Index i = begin; i < end; ++i) {
                Four Ps;
                for (Index k = row_begin[i]; k < row_begin[i + 1]; ++k)
                    Ps += Four(value_[k]) * convert<double>(load_padded(s[column[k]]));
                sum += Ps * convert<double>(load_padded(s[i]));
            }
            return sum[0] + sum[1] + sum[2];
        });
}

/// w = 1 / (κ m + σ c/h) along free axes.
template <class Real>
void FastCorotatedStepper::LoopOf<Real>::constrain_volumes(StepReport& report) {
    ScopedTimer timer(report.ms(Stage::correct));
    mobility_.resize(model_.n_nodes());
    const double kappa = objective_.inertia_factor();
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        const double weight = static_cast<double>(objective_.weights()[i]) +
                              kappa * (model_.mass[i] - model_.lumped[i]);
        for (int k = 0; k < 3; ++k)
            mobility_[i][k] = model_.free[i][k] != 0 ? static_cast<Real>(1 / weight) : Real(0);
    });
    volume_->begin();
    // Floats tell volumes of x and motions of u: what the sweeps change goes from one to the other.
    const auto at = objective_.start();
    parallel_for(model_.n_nodes(), grain, [&](Index i) { x_[i] = at[i] + u_[i]; });
    d_ = x_;
    for (int k = 0; k < options_.volume_sweeps; ++k) volume_->sweep(x_, mobility_);
    parallel_for(model_.n_nodes(), grain, [&](Index i) { u_[i] += x_[i] - d_[i]; });
}

template <class Real>
void FastCorotatedStepper::LoopOf<Real>::run(const StepInput& in, State& state, NodeForces& forces,
                                             StepReport& report) {
    {
        ScopedTimer timer(report.ms(Stage::assemble));
        objective_.begin(in, state, false);
    }
    SolveStats stats;
    {
        ScopedTimer timer(report.ms(Stage::factor));
        stats.status = prepare_matrix();
    }
    if (stats.status == SolveStatus::direct) {
        start(state);
        stats = iterate(report);
    } else {
        report.set(StepFlag::indefinite);
    }
    if (stats.status == SolveStatus::iteration_cap || stats.status == SolveStatus::converged) {
        if (volume_) constrain_volumes(report);
        std::copy(state.v.begin(), state.v.end(), v_before_.begin());
        has_before_ = true;
        if (!joint()) gradient(report, CorotatedTerms::all);
        stats.absolute_residual = objective_.finish_at(u_, g_, state, forces);
        stats.residual = stats.absolute_residual / std::max(scale_, 1e-300);
        if (!std::isfinite(stats.residual)) stats.status = SolveStatus::not_finite;
    }
    stats.iterations += report.solve.iterations;
    report.solve = stats;
}

template <class Real>
template <class List, class Self>
void FastCorotatedStepper::LoopOf<Real>::list_history(List& list, Self& self) {
    list.whole("fast_corotated.has_before", self.has_before_, 0, 1);
    list.numbers("fast_corotated.v_before", self.v_before_);
    std::vector<double> rotations = self.sweep_.rotations();
    list.numbers("fast_corotated.rotations", rotations);
    if constexpr (!std::is_const_v<Self>) self.sweep_.set_rotations(rotations);
    list.number("fast_corotated.h", self.pairs_h_);
    list.number("fast_corotated.response", self.response_);
    list.whole("fast_corotated.with_contact", self.pairs_with_contact_, 0, 1);
    Subspace<Real>::list_history(list, self.subspace_);
}

template <class Real>
std::string FastCorotatedStepper::LoopOf<Real>::describe() const {
    if (volume_)
        return "volume constraints in " + std::to_string(volume_->n_colours()) + " colours";
    return {};
}

FastCorotatedStepper::FastCorotatedStepper(const Model& model, const Options& options) {
    if (options.precision == Precision::single)
        loop_ = std::make_unique<LoopOf<float>>(model, options);
    else
        loop_ = std::make_unique<LoopOf<double>>(model, options);
}
FastCorotatedStepper::~FastCorotatedStepper() = default;

void FastCorotatedStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                                       StepReport& report) {
    loop_->run(in, state, forces, report);
}
void FastCorotatedStepper::integrate(const StepInput&, State& state) const {
    loop_->integrate(state);
}
void FastCorotatedStepper::save(ByteWriter& out) const {
    loop_->save(out);
}
void FastCorotatedStepper::load(ByteReader& in) {
    loop_->load(in);
}
void FastCorotatedStepper::reset() {
    loop_->reset();
}
std::string FastCorotatedStepper::describe() {
    return loop_->describe();
}

}  // namespace limber
