// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/contact_passes.h"

#include <algorithm>

#include "limber/core/parallel.h"
#include "limber/solve/worst_body.h"

namespace limber {

namespace {

constexpr Index grain = LinearStep::grain;
// Of an extrapolation, in ways between two passes: beyond it contacts that open or close on the
// way are what decides.
constexpr double longest = 2;

}  // namespace

ContactPasses::ContactPasses(const Model& model, const ContactPassOptions& options,
                             double rel_tolerance)
    : model_(model), options_(options), pcg_({.rel_tolerance = rel_tolerance}) {
    for (std::vector<Vec3d>* array :
         {&rhs_, &product_, &last_impulses_, &last_answer_, &last_missed_})
        array->resize(model.n_nodes());
}

std::span<const Vec3d> ContactPasses::begin_without(const LinearStep& step) {
    pass_ = iterations_ = 0;
    last_norm_ = 0;
    answered_.clear();
    return load_ = step.b();
}

std::span<const Vec3d> ContactPasses::begin(const LinearStep& step, const StepInput& in) {
    begin_without(step);
    // One pass is the source's method: from free motion.
    if (options_.passes == 1 || in.impulses.empty()) return load_;
    answered_.assign(in.impulses.begin(), in.impulses.end());
    parallel_for(model_.n_nodes(), grain, [&](Index i) { rhs_[i] = step.b()[i] + answered_[i]; });
    return load_ = rhs_;
}

void ContactPasses::give_residual_to_constraints(const LinearOperator& A,
                                                 std::span<const Vec3d> v) {
    if (answered_.empty()) return;
    A.apply(v, product_);
    parallel_for(model_.n_nodes(), grain,
                 [&](Index i) { answered_[i] -= masked(load_[i] - product_[i], model_.free[i]); });
}

bool ContactPasses::answers(const System& system, const StepInput& in, std::span<const Vec3d> f,
                            State& state, StepReport& report) {
    if (options_.passes == 1) return true;
    ScopedTimer timer(report.ms(Stage::correct));
    const Index n = model_.n_nodes();
    const std::span<const Vec3d> b = system.step.b();
    const double contact = system.step.free_norm(f);
    if (contact == 0 && answered_.empty()) return true;
    system.A.apply(state.v, product_);
    parallel_for(n, grain, [&](Index i) {
        rhs_[i] = b[i] + f[i];
        product_[i] = rhs_[i] - product_[i];
    });
    const double scale = system.step.free_norm(b) + contact;
    const bool near = system.step.free_norm(product_) <= options_.tolerance * scale;
    if (near || ++pass_ >= options_.passes) {
        if (!near) report.set(StepFlag::contact_cap, worst_body<double>(model_, product_));
        pass_ = 0;
        last_norm_ = 0;
        return true;
    }
    // From the answer to P alone. A rigid body's nodes answer by themselves: here they keep the
    // velocities of free motion.
    parallel_for(n, grain, [&](Index i) {
        state.v[i] = with_prescribed(state.v[i], in.pin_velocity[i], model_.free[i]);
        product_[i] = state.v[i];
    });
    const Preconditioner P(system.P);
    const SolveStats stats = pcg_.solve(
        {.A = system.A, .P = P, .b = rhs_, .free = model_.free, .b_norm = scale}, state.v);
    iterations_ += stats.iterations;
    report_solve(stats, report);
    answered_.assign(f.begin(), f.end());
    extrapolate(state.v);
    return false;
}

/// Anderson acceleration with one pass before: f₀ of the next pass, and its answer, go on along the
/// way of the last two, as far as what P missed of their answers would vanish there. Not where it
/// missed more than in the pass before. Two passes are all that most steps need, and then this
/// changes nothing; where a stale factor needs more, it saves a quarter of them (7.7 -> 5.5 on a
/// raptor with too rare updates) and the steps that ended at the cap. product_ is v as constraints
/// had it.
void ContactPasses::extrapolate(std::span<Vec3d> v) {
    const Index n = model_.n_nodes();
    parallel_for(n, grain,
                 [&](Index i) { product_[i] = masked(v[i] - product_[i], model_.free[i]); });
    double missed = 0, along = 0, way = 0;
    for (Index i = 0; i < n; ++i) missed += squared_norm(product_[i]);
    double share = 0;
    if (last_norm_ > missed) {
        for (Index i = 0; i < n; ++i) {
            const Vec3d d = product_[i] - last_missed_[i];
            along += dot(product_[i], d);
            way += squared_norm(d);
        }
        share = way > 0 ? std::clamp(-along / way, -0.5, longest) : 0;
    }
    last_norm_ = missed;
    last_missed_ = product_;
    for (Index i = 0; i < n; ++i) {
        const Vec3d f = answered_[i], answer = v[i];
        if (share != 0) {
            answered_[i] += share * (f - last_impulses_[i]);
            v[i] += share * (answer - last_answer_[i]);
        }
        rhs_[i] = f;
        product_[i] = answer;
    }
    std::swap(last_impulses_, rhs_);
    std::swap(last_answer_, product_);
}

}  // namespace limber
