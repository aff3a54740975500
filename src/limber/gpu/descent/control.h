// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a step of descent knows beside its arrays: numbers that the host puts in, decisions that the
// device takes by the rules of the CPU (solve/descent/rules.h), and what the host reads afterwards.

#include <cmath>

#include "limber/core/types.h"
#include "limber/solve/descent/options.h"
#include "limber/solve/descent/rules.h"

namespace limber::gpu {

/// The step as the host asks for it; coefficients are those of solve/objective.h.
struct StepNumbers {
    double h = 0, kappa = 0, sigma = 1;
    double ahead = 0;     // of the first guess along v_t [s]
    double share = 0;     // and along v_t − v_{t−1} [s]
    Index n_terms = 0;    // of contact
    Index n_touched = 0;  // nodes in them
};

/// The sweeps up to the next decision.
struct SweepPlan {
    static constexpr int most = 32;
    int n = 0;  // 0: nothing is left to do
    double alpha = 0;
    double weight[most] = {};  // w of each sweep (solve/descent/acceleration.h)
};

/// One of the accelerations of section 4.3, or none.
struct MomentumRule {
    AccelerationKind kind = AccelerationKind::none;
    ChebyshevRule chebyshev;
    NesterovRule nesterov;

    LIMBER_HD void begin() {
        chebyshev.begin();
        nesterov.restart();
    }
    LIMBER_HD void restart() {
        chebyshev.restart();
        nesterov.restart();
    }
    LIMBER_HD bool take_blame() {
        if (kind == AccelerationKind::chebyshev) return chebyshev.take_blame();
        return kind == AccelerationKind::nesterov && nesterov.take_blame();
    }
    LIMBER_HD void acquit() {
        if (kind == AccelerationKind::chebyshev) chebyshev.acquit();
    }
    LIMBER_HD double next_weight() {
        if (kind == AccelerationKind::chebyshev) return chebyshev.next_weight();
        return kind == AccelerationKind::nesterov ? nesterov.next_weight() : 0;
    }
};

/// Energies of elements, and how many of them are converted.
struct ElasticSum {
    double energy = 0, converted = 0;
    LIMBER_HD ElasticSum& operator+=(const ElasticSum& b) {
        energy += b.energy;
        converted += b.converted;
        return *this;
    }
};

/// The rest of a value: inertia, loads, damping and contact; and the absolute sum of inertia and
/// loads.
struct ValueSum {
    double value = 0, magnitude = 0;
    LIMBER_HD ValueSum& operator+=(const ValueSum& b) {
        value += b.value;
        magnitude += b.magnitude;
        return *this;
    }
};

/// Squares of gradients, and what is compared with them.
struct NormSum {
    double loads = 0, elastic = 0, free = 0, pinned = 0;
    LIMBER_HD NormSum& operator+=(const NormSum& b) {
        loads += b.loads;
        elastic += b.elastic;
        free += b.free;
        pinned += b.pinned;
        return *this;
    }
};

struct DescentControl {
    MomentumRule momentum;
    LengthRule length;
    LookRule look;
    SweepPlan plan;

    bool live = true;            // iterations go on
    bool holds = true;           // the conversion's memory moves on where it is asked to
    bool failed_search = false;  // no length brought the energy down
    bool converged = false;      // below rel_tolerance
    bool finite = true;          // of the value it starts from
    int iterations = 0;
    LookVerdict verdict = LookVerdict::accepted;  // of the last look
    bool from_guess = true;                       // q⁽⁰⁾ is the guess, not q_t

    ElasticSum elastic;  // of the value that is being summed up
    ValueSum rest;       // likewise
    double guess_value = 0, now_value = 0, now_noise = 0;
    bool now_converted = false;
    bool look_compares = false;  // with the checkpoint, under the interpolants of the iterate
    double begin_elastic = 0, end_elastic = 0;  // under the interpolants of the end [J]
    double rounding_scale = 0;                  // Potential::rounding_scale() of all elements [J]
    double unit = 0;                            // of the precision
    double springs = 0;                         // squares of what contact springs exert [N²]
    double force_scale = 0;                     // |loads| + |elastic| + |springs| at x_n [N]
    double scale = 1;                           // and what holds the pins: of gradients [N]
    double absolute_residual = 0;               // of the iterate, where it was measured, or the end
    double before_round = 0;                    // of power iteration: |d| before and after, its
    double eigenvalue = 0, largest = 0;         // quotient, and the largest entry of d

    LIMBER_HD double value() const { return rest.value + elastic.energy; }
    LIMBER_HD double magnitude() const { return rest.magnitude + std::abs(elastic.energy); }
    /// What rounding may have added to it [J].
    LIMBER_HD double noise() const {
        return unit * (std::abs(elastic.energy) + rounding_scale) + 1e-15 * magnitude();
    }
    LIMBER_HD double residual() const { return absolute_residual / scale; }
};

}  // namespace limber::gpu
