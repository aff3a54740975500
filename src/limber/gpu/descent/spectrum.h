// SPDX-License-Identifier: Apache-2.0
#pragma once

// The largest eigenvalue of P⁻¹H at x_t by power iteration on differences of gradients, as the
// loop of the CPU finds it (DescentLoop::longest_step).

#include "limber/gpu/descent/nodes.h"

namespace limber::gpu {

inline constexpr int power_rounds = 20;

/// Number `m` of the generator that the CPU starts from 1 (Knuth's multiplier as in Numerical
/// Recipes), by jumping ahead.
LIMBER_HD inline std::uint32_t random_number(std::uint32_t m) {
    std::uint32_t a = 1664525u, c = 1013904223u, all_a = 1, all_c = 0;
    for (; m > 0; m >>= 1) {
        if (m & 1) {
            all_a *= a;
            all_c = all_c * a + c;
        }
        c *= a + 1;
        a *= a;
    }
    return all_a + all_c;
}

/// d in `reference`, ∂ε/∂x at x_t in `checkpoint`, where the difference is taken in `trial`.
template <class Real>
struct RandomDirection {
    NodeView<Real> nodes;
    LIMBER_HD void operator()(Index i) const {
        nodes.x[i] = nodes.start[i];
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t random = random_number(3 * static_cast<std::uint32_t>(i) + k + 1);
            nodes.reference[i][k] =
                static_cast<Real>(static_cast<double>(random >> 8) / (1 << 23) - 1);
        }
    }
};
template <class Real>
struct KeepGradient {
    NodeView<Real> nodes;
    LIMBER_HD void operator()(Index i) const { nodes.checkpoint[i] = nodes.gradient(nodes.x, i); }
};
struct Largest {
    double value = 1e-300;
    LIMBER_HD Largest& operator+=(const Largest& b) {
        if (b.value > value) value = b.value;
        return *this;
    }
};
/// By the largest entry: the eigenvector may sit on a single small tet.
template <class Real>
struct LargestEntry {
    NodeView<Real> nodes;
    LIMBER_HD Largest operator()(Index i) const {
        Largest out;
        for (int k = 0; k < 3; ++k)
            out += Largest{std::abs(static_cast<double>(nodes.reference[i][k]))};
        return out;
    }
};
struct SetLargest {
    DescentControl* control;
    LIMBER_HD void operator()(const Largest& largest) const { control->largest = largest.value; }
};
/// d gets its size [m] and is tried; returns |d|².
template <class Real>
struct TryDirection {
    NodeView<Real> nodes;
    double size;
    const DescentControl* control;
    LIMBER_HD Slope operator()(Index i) const {
        const double scale = size / control->largest;
        Vec3<Real>& d = nodes.reference[i];
        for (int k = 0; k < 3; ++k)
            d[k] *= static_cast<Real>(is_free(nodes.pinned[i], k) ? scale : 0);
        nodes.trial[i] = nodes.x[i] + d;
        return {squared_norm(rounded<double>(d))};
    }
};
struct SetBefore {
    DescentControl* control;
    LIMBER_HD void operator()(const Slope& square) const {
        control->before_round = std::sqrt(square.value);
    }
};
/// d becomes P⁻¹H d, the gradient at `trial` being the slots'; returns |d|².
template <class Real>
struct NextDirection {
    NodeView<Real> nodes;
    LIMBER_HD Slope operator()(Index i) const {
        const Vec3<Real> change = nodes.checkpoint[i] - nodes.gradient(nodes.trial, i);
        nodes.reference[i] = nodes.direction(change, i);
        return {squared_norm(rounded<double>(nodes.reference[i]))};
    }
};
struct SetEigenvalue {
    DescentControl* control;
    LIMBER_HD void operator()(const Slope& square) const {
        const double before = control->before_round > 1e-300 ? control->before_round : 1e-300;
        control->eigenvalue = std::sqrt(square.value) / before;
    }
};
struct SetLongest {
    DescentControl* control;
    LIMBER_HD void operator()() const {
        control->length.longest = longest_for(control->eigenvalue);
    }
};

}  // namespace limber::gpu
