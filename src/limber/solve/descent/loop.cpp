// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/loop.h"

#include <algorithm>
#include <cmath>

#include "limber/fem/elements/tet_potential.h"
#include "limber/solve/worst_body.h"

namespace limber {

template <class Real>
DescentEnds<Real>::DescentEnds(const Model& model, const DescentOptions& options)
    : options_(options),
      model_(model),
      objective_(model),
      v_before_(static_cast<std::size_t>(model.n_nodes())),
      knot_(model, options.untangle) {}

template <class Real>
void DescentEnds<Real>::integrate(State& state) const {
    objective_.integrate(state);
    if (knot_.throws()) knot_.apply(state);
}

template <class Real>
std::span<const Vec3d> DescentEnds<Real>::velocity_before() const {
    return has_before_ ? std::span<const Vec3d>(v_before_) : std::span<const Vec3d>();
}

template <class Real>
void DescentEnds<Real>::finish(std::span<const Vec3<Real>> x, double scale,
                               std::span<Vec3<Real>> scratch, SolveStats& stats, State& state,
                               NodeForces& forces, StepReport& report) {
    std::copy(state.v.begin(), state.v.end(), v_before_.begin());
    has_before_ = true;
    look_for_knots(x, state.step, report);
    stats.absolute_residual = objective_.finish(x, state, forces);
    stats.residual = stats.absolute_residual / scale;
    if (!std::isfinite(stats.residual)) stats.status = SolveStatus::not_finite;
    if (stats.status == SolveStatus::iteration_cap && options_.rel_tolerance > 0) {
        if (stats.residual <= options_.rel_tolerance)
            stats.status = SolveStatus::converged;
        else
            report.set(StepFlag::iteration_cap);
    }
    blame(x, scratch, report);
}

/// Names the body where the step is farthest from its end, if it did not reach it.
template <class Real>
void DescentEnds<Real>::blame(std::span<const Vec3<Real>> x, std::span<Vec3<Real>> scratch,
                              StepReport& report) {
    if (model_.bodies.size() < 2) return;
    const bool capped = report.has(StepFlag::iteration_cap);
    if (!capped && !report.has(StepFlag::line_search)) return;
    objective_.gradient(x, scratch);
    const Index body = worst_body<Real>(model_, scratch);
    if (capped) report.set(StepFlag::iteration_cap, body);
    if (report.has(StepFlag::line_search)) report.set(StepFlag::line_search, body);
}

template <class Real>
void DescentEnds<Real>::look_for_knots(std::span<const Vec3<Real>> x, std::int64_t step,
                                       StepReport& report) {
    knot_.begin();
    if (!look_for_stuck(objective_, x, model_, knot_.quiet(), report)) return;
    for (const auto& part : objective_.potentials())
        if (const auto* tets = dynamic_cast<const TetPotential<Real>*>(part.get()))
            knot_.prepare(objective_.input(), tets->interpolants(), step);
}

template <class Real>
void DescentEnds<Real>::describe_cells(CellFields& fields) const {
    for (const auto& part : objective_.potentials())
        if (const auto* tets = dynamic_cast<const TetPotential<Real>*>(part.get());
            tets && tets->has_conversion())
            fields.push_back({"interpolant", tets->interpolants()});
}

template class DescentEnds<float>;
template class DescentEnds<double>;

}  // namespace limber
