// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/contact_passes.h"

#include "limber/core/parallel.h"
#include "limber/solve/worst_body.h"

namespace limber {

namespace {

constexpr Index grain = LinearStep::grain;

}  // namespace

ContactPasses::ContactPasses(const Model& model, const ContactPassOptions& options,
                             double rel_tolerance)
    : model_(model), options_(options), pcg_({.rel_tolerance = rel_tolerance}) {
    for (std::vector<Vec3d>* array : {&rhs_, &product_, &solution_}) array->resize(model.n_nodes());
}

bool ContactPasses::answers(const System& system, const StepInput& in, std::span<const Vec3d> f,
                            State& state, StepReport& report) {
    if (options_.passes == 1) return true;
    ScopedTimer timer(report.ms(Stage::correct));
    const Index n = model_.n_nodes();
    const std::span<const Vec3d> b = system.step.b();
    const double contact = system.step.free_norm(f);
    if (contact == 0 && pass_ == 0) return true;
    system.A.apply(state.v, product_);
    parallel_for(n, grain, [&](Index i) {
        rhs_[i] = b[i] + f[i];
        product_[i] = rhs_[i] - product_[i];
    });
    const double scale = system.step.free_norm(b) + contact;
    if (system.step.free_norm(product_) <= options_.tolerance * scale) return true;
    if (++pass_ >= options_.passes) {
        report.set(StepFlag::contact_cap, worst_body<double>(model_, product_));
        return true;
    }
    // A rigid body's nodes answer by themselves: here they keep the velocities of free motion.
    parallel_for(n, grain, [&](Index i) {
        solution_[i] = with_prescribed(state.v[i], in.pin_velocity[i], model_.free[i]);
    });
    const Preconditioner P(system.P);
    const SolveStats stats = pcg_.solve(
        {.A = system.A, .P = P, .b = rhs_, .free = model_.free, .b_norm = scale}, solution_);
    report_solve(stats, report);
    system.P.apply_inverse(f, product_);
    parallel_for(n, grain, [&](Index i) { state.v[i] = solution_[i] - product_[i]; });
    return false;
}

}  // namespace limber
