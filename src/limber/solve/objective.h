// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "limber/fem/potential.h"
#include "limber/solve/stepper.h"

namespace limber {

/// One step of time as minimisation, over u = x − x_n, the displacement of the step:
///
///   ε(u) = ½ uᵀ(κ M + σ C/h) u − q·u + E(x_n + u) + σ Σ_contacts (½ wᵀ B w − p·w),   w = G u / h
///
/// backward Euler   κ = 1/h²,  σ = 1,  q = κ h M v_n + f_ext            Wang & Yang 2016 (3)
/// trapezoid        κ = 4/h²,  σ = 2,  q = κ h M v_n + f_ext + f_n      Kavan (1)-(4), corrected
/// quasi-static     κ = 0,     σ = 1,  q = f_ext
///
/// C = a M + b K(x_n) is Rayleigh's, frozen at the start of the step, with damping by the air and
/// along edges (Wang & Yang (20), with the sign that takes energy out); contact terms are those of
/// the step, with their velocity averaged over it (w). Energies in joules, gradients in newtons: a
/// pinned degree of freedom holds its prescribed value, and its gradient is what holds it.
///
/// Positions that go in are x as start() has it, plus u: in floats each body's are relative to a
/// point of its own, chosen anew in every step.
template <class Real>
class Objective {
  public:
    using Vectors = std::span<Vec3<Real>>;
    using ConstVectors = std::span<const Vec3<Real>>;

    explicit Objective(const Model& model);
    ~Objective();

    /// Borrows `in` until the next call. Without `measured` no force_scale() follows, and the sweep
    /// over the elements that it takes is left out.
    void begin(const StepInput& in, const State& state, bool measured = true);
    /// A force on top of the loads of begin(), until the next one [N].
    void add_load(std::span<const Vec3d> f);
    /// x_n, where the step started, in the objective's own frame.
    ConstVectors start() const { return start_; }
    double h() const { return in_->h; }
    const StepInput& input() const { return *in_; }
    /// Where a pin puts a node at the end of the step; free axes of `x` stay.
    void prescribe(Vectors x) const;

    /// Takes from x what derivatives hold fixed; once an iteration (Potential::hold).
    void hold(ConstVectors x);
    /// Forgets what is kept from step to step.
    void release();
    /// What is kept from step to step (core/history.h).
    template <class List, class Self>
    static void list_history(List& list, Self& self) {
        for (auto& part : self.potentials_) {
            std::vector<char> kept = part->kept();
            if (kept.empty()) continue;
            list.flags("objective.kept", kept);
            if constexpr (!std::is_const_v<Self>) part->set_kept(kept);
        }
    }
    double value(ConstVectors x);
    /// Sum of the absolute values that the last value() was added up from: the size of its
    /// rounding error is a few ulps of this.
    double magnitude() const { return magnitude_; }
    /// What rounding may have added to the last value() [J].
    double noise() const;
    /// g = ∂ε/∂x, at pins as well.
    void gradient(ConstVectors x, Vectors g);
    /// The same in two halves, for sweeps that go on with each range of nodes: elements first, with
    /// hold(x) on the way, then g of the nodes [begin, end).
    void begin_gradient(ConstVectors x, Vectors g);
    void gradient_range(Index begin, Index end, ConstVectors x, Vectors g) const;
    /// g = what of the gradient at start() + u is not of elements: inertia, damping, loads and
    /// contact, for solvers with sweeps of their own. Of u and not of x: where steps are small, a
    /// float x knows little of them.
    void gradient_without_elements(ConstVectors u, Vectors g);
    /// Whether values from before the last hold belong to another function.
    bool converted() const;
    /// The diagonal of the Hessian as it is, and its diagonal 3x3 blocks.
    void diagonal(ConstVectors x, Vectors d);
    void diagonal_blocks(ConstVectors x, HessianKind kind, std::span<Mat3<Real>> D);
    /// The Hessian. The matrix stays the objective's; its pattern changes only when contacts tie
    /// other nodes together.
    const BlockCsr& hessian(ConstVectors x, HessianKind kind);
    /// The projected Hessian in A, in the precision of an iteration. A borrows the pattern.
    template <class Out>
    void tangent(ConstVectors x, BlockRows<Out>& A);

    /// The constant matrix of projective dynamics: inertia, damping, contact and the constant part
    /// of every element that has one. The matrix stays the objective's.
    const BlockCsr& projective_matrix();
    /// The same with numbers times the identity as its blocks: mass lumped, contact by the numbers
    /// nearest to its blocks at single nodes, stiffness damping left out. Follows from model, h and
    /// the contacts of the step.
    const BlockCsr& scalar_matrix();
    /// Whether that matrix changes from step to step even where h does not.
    bool matrix_changes() const { return has_matrix_ || !in_->contact.empty(); }

    /// What gradients are compared with: |q| + |∂E/∂x (x_n)| over all degrees of freedom, and what
    /// holds the pins in `g`, the gradient where the iteration begins: a pin that moves may be all
    /// that happens in a step. Never zero [N].
    double force_scale(ConstVectors g);
    /// |g| over the free degrees of freedom.
    double free_norm(ConstVectors g) { return norm_where(g, 1); }
    /// |g| over the prescribed ones, and |q|: parts of a scale for solvers that begin() without
    /// one.
    double held_norm(ConstVectors g) { return norm_where(g, 0); }
    double load_norm() { return norm_where(linear_, 1) + norm_where(linear_, 0); }
    double energy(ConstVectors x);  // E alone [J]
    std::span<const std::unique_ptr<Potential<Real>>> potentials() const { return potentials_; }
    const Model& model() const { return model_; }

    /// The parts of the step that are not elastic, for solvers that go node by node: diagonal
    /// κ M + σ a M/h [N/m], q [N], the rest of the quadratic form (none: null), contact terms and
    /// the factor σ of those.
    std::span<const Real> weights() const { return weight_; }
    ConstVectors loads() const { return linear_; }
    const BlockCsr* quadratic() const { return has_matrix_ ? &matrix_ : nullptr; }
    std::span<const ContactTerm> contacts() const { return in_->contact; }
    double contact_factor() const { return sigma_; }
    /// κ, of the whole mass [1/s²].
    double inertia_factor() const { return kappa_; }
    /// Which nodes elements tie together.
    const BlockCsr& pattern() const { return hessian_; }

    /// v averaged over the step, and reactions at pins, from the solution; |g| over the free
    /// degrees of freedom there.
    double finish(ConstVectors x, State& state, NodeForces& forces);
    /// The same from x_n + u, with the gradient there given.
    double finish_at(ConstVectors u, ConstVectors g, State& state, NodeForces& forces);
    /// The same where constraints have changed that v: the end of the step follows from it.
    void finish_with(std::span<const Vec3d> v, NodeForces& forces);
    /// x and v at the end of the step; `state` is as finish() left it.
    void integrate(State& state) const;

  private:
    struct Parts {  // of a value
        double inertia = 0, work = 0, absolute_work = 0;
        Parts& operator+=(const Parts& other) {
            inertia += other.inertia;
            work += other.work;
            absolute_work += other.absolute_work;
            return *this;
        }
    };
    void place_start(const State& state);
    void prepare_gradient(ConstVectors x, Vectors g, bool hold);
    template <class Displacement>
    void add_matrix_and_contact(Displacement&& u, Vectors g);
    double settle(ConstVectors g, State& state, NodeForces& forces);
    const BlockCsr& with_rest_of_hessian(ConstVectors x);
    bool acts(const ContactTerm& term, ConstVectors x) const;
    void build_matrix_part(const State& state);
    void find_force_scale();
    double norm_where(ConstVectors g, double free);
    void react(ConstVectors g, NodeForces& forces) const;
    template <class F>
    void for_each_contact_block(ConstVectors x, F&& f) const;

    const Model& model_;
    std::vector<std::unique_ptr<Potential<Real>>> potentials_;
    std::vector<std::unique_ptr<Potential<double>>> exact_;  // for what is done once a step
    const StepInput* in_ = nullptr;
    double kappa_ = 0, sigma_ = 1;
    std::vector<Vec3<Real>> start_;   // x_n
    std::vector<Real> weight_;        // κ m + σ a m / h, lumped [N/m]
    std::vector<Vec3<Real>> linear_;  // q [N]
    bool has_matrix_ = false;         // consistent mass, stiffness or viscous damping
    BlockCsr matrix_;                 // their part of the Hessian
    BlockCsr hessian_, coupled_;      // coupled_: with room for contact terms between nodes
    std::vector<double> partial_;
    std::vector<Parts> parts_;
    std::vector<Vec3d> u_, product_, start_force_;
    std::vector<Vec3d> x_start_, v_start_, x_end_;  // for integrate()
    std::vector<Vec3<Real>> scratch_, end_;
    std::vector<char> whole_;      // potentials that add to whole gradients only
    bool starts_at_zero_ = false;  // nothing was put into g before the ranges
    double force_scale_ = 0, magnitude_ = 0, elastic_ = 0;
};

}  // namespace limber
