// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/initial.h"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index grain = 2048;

/// argmin over d of ε(q_t) + d v·∇ε + d²/2 v·H v, Eq. (10), the prescribed parts of v left out;
/// between 0 and 2 h, since the quadratic model is good near q_t only.
template <class Real>
double optimal_time(Objective<Real>& objective, const State& state, std::span<Vec3<Real>> x) {
    const Index n = static_cast<Index>(x.size());
    std::vector<Vec3<Real>> g(x.size());
    std::vector<Vec3d> v(state.v), product(x.size());
    for (Index i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) v[i][k] *= objective.model().free[i][k];
    objective.hold(x);
    objective.gradient(x, g);
    const double curvature = objective.hessian(x, HessianKind::exact).apply(v, product);
    double slope = 0;
    for (Index i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) slope += v[i][k] * static_cast<double>(g[i][k]);
    const double longest = 2 * objective.h();
    if (!(curvature > 0)) return slope < 0 ? longest : 0;
    return std::clamp(-slope / curvature, 0.0, longest);
}

}  // namespace

template <class Real>
void initial_guess(InitialKind kind, double eta, Objective<Real>& objective, const State& state,
                   std::span<const Vec3d> v_before, std::span<Vec3<Real>> x) {
    const double h = objective.h();
    double ahead = kind == InitialKind::position ? 0 : h;
    const auto start = objective.start();
    if (kind == InitialKind::optimal) {
        std::copy(start.begin(), start.end(), x.begin());
        ahead = optimal_time(objective, state, x);
    }
    const double share = kind == InitialKind::acceleration && !v_before.empty() ? eta * h : 0;
    parallel_for(static_cast<Index>(x.size()), grain, [&](Index i) {
        Vec3d move = ahead * state.v[i];
        if (share > 0) move += share * (state.v[i] - v_before[i]);
        for (int k = 0; k < 3; ++k) x[i][k] = start[i][k] + static_cast<Real>(move[k]);
    });
    objective.prescribe(x);
}

template void initial_guess(InitialKind, double, Objective<float>&, const State&,
                            std::span<const Vec3d>, std::span<Vec3<float>>);
template void initial_guess(InitialKind, double, Objective<double>&, const State&,
                            std::span<const Vec3d>, std::span<Vec3d>);

}  // namespace limber
