// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Algorithm 1 of Wang & Yang 2016 decides between its sweeps, as plain data with plain
// functions: the loop of the CPU and the step on the device take the same decisions by them.

#include <cmath>
#include <cstdint>

#include "limber/core/types.h"

namespace limber {

namespace descent_rules {

LIMBER_HD inline double least(double a, double b) {
    return b < a ? b : a;
}
LIMBER_HD inline double most(double a, double b) {
    return a < b ? b : a;
}

}  // namespace descent_rules

/// Chebyshev's semi-iterative method in phases, section 4.3. Weights as the text leaves them out:
/// ω = 1 in the first S iterations of a step, then 2 / (2 − ρ²), then 4 / (4 − ρ² ω), and w = ω −
/// 1; a new phase or a restart begins with one plain iteration. Where the energy rose 1 − ρ grows
/// fourfold, and every step of time takes half of that back, so that the ρ of a body near its
/// minimum may be bold.
struct ChebyshevRule {
    static constexpr double more_caution = 4;

    const double* rho = nullptr;  // one a phase
    const int* end = nullptr;     // of each phase but the last [iterations]
    int n_ends = 0;
    int warm_up = 0;

    int k = 0, stage = 0, phase = 0;
    double omega = 1;
    double caution = 1;  // factor of 1 − ρ, kept from step to step

    LIMBER_HD void begin() {
        k = stage = phase = 0;
        caution = descent_rules::most(1, 0.5 * caution);
    }
    LIMBER_HD void restart() { stage = 0; }
    LIMBER_HD bool take_blame() {
        const bool had_momentum = stage > 1;
        stage = 0;
        if (had_momentum) caution = descent_rules::least(1e6, caution * more_caution);
        return had_momentum;
    }
    LIMBER_HD void acquit() { caution = descent_rules::most(1, caution / more_caution); }
    LIMBER_HD double next_weight() {
        while (phase < n_ends && k >= end[phase]) {
            ++phase;
            stage = 0;
        }
        const double r = descent_rules::most(0, 1 - caution * (1 - rho[phase])), r2 = r * r;
        if (k++ < warm_up || stage == 0) {
            omega = 1;
            stage = 1;
        } else if (stage == 1) {
            omega = 2 / (2 - r2);
            stage = 2;
        } else {
            omega = 4 / (4 - r2 * omega);
        }
        return omega - 1;
    }
};

/// Nesterov's method, restarted where the momentum points uphill (O'Donoghue & Candès 2015).
struct NesterovRule {
    double theta = 1;

    LIMBER_HD void restart() { theta = 1; }
    LIMBER_HD bool take_blame() {
        const bool had_momentum = theta > 1;
        theta = 1;
        return had_momentum;
    }
    LIMBER_HD double next_weight() {
        const double before = theta;
        theta = 0.5 * (1 + std::sqrt(1 + 4 * before * before));
        return (before - 1) / theta;
    }
};

/// Step 2 of Algorithm 1 by the rule of section 4.2: the energy is looked at every few iterations;
/// where it did not fall they are taken back and α becomes γ α; a step of time starts with α_t / γ,
/// α_t the length at the end of the last.
/// Deviations: none is longer than the spectrum at the start of a step of time allows, looked at
/// now and then; momentum is restarted first, and the length shortened where that was not enough
/// (LookRule); after a rise of the energy a few steps of time may keep α_t.
struct LengthRule {
    static constexpr int renewal = 8;  // steps of time between two looks at the spectrum

    bool fixed = false;
    double shrink = 0.7, first = 0, max = 0, min = 1e-3, natural = 1;
    int regrow = 8;

    double longest = 0, last = 0;  // 0: not known yet
    int quiet_steps = 0;           // of time, since the energy rose
    double alpha = 0;
    bool again = false, shortened = false;

    /// Whether `longest` is to be found again before begin() of step `step`.
    LIMBER_HD bool wants_longest(std::int64_t step) const {
        return !fixed && max == 0 && (longest == 0 || step % renewal == 0);
    }
    LIMBER_HD void begin() {
        const double at_most = descent_rules::most(longest, first);
        alpha = first > 0 ? first : fixed ? natural : at_most;
        if (last > 0 && !fixed) {
            const bool grows = quiet_steps >= regrow;
            alpha = descent_rules::least(grows ? last / shrink : last, at_most);
            if (grows) quiet_steps = 0;
        }
        again = shortened = false;
    }
    /// Iterations were taken back. False: no shorter length is left; a fixed one gets one more
    /// chance, without momentum from before.
    LIMBER_HD bool shorten() {
        if (fixed) {
            const bool had_it = again;
            again = true;
            return !had_it;
        }
        if (alpha * shrink < descent_rules::least(min, longest * min)) return false;
        alpha *= shrink;
        shortened = true;
        return true;
    }
    /// The energy fell.
    LIMBER_HD void accept() { again = false; }
    /// The end of a step of time; after a failed one the next starts afresh.
    LIMBER_HD void finish(bool failed) {
        last = failed ? 0 : alpha;
        if (shortened || failed)
            quiet_steps = 0;
        else if (quiet_steps < 1 << 30)
            ++quiet_steps;
    }
};

/// 1.5 / the largest eigenvalue of P⁻¹H, as power iteration found it. 2 / it is where iterations
/// without momentum stop to converge; Chebyshev's method wants to be near.
LIMBER_HD inline double longest_for(double eigenvalue) {
    return eigenvalue > 0.1 && std::isfinite(eigenvalue) ? 1.5 / eigenvalue : 0.5;
}

enum class LookVerdict { accepted, taken_back, exhausted };

/// One look at the energy: where it did not fall the iterations since the last look are taken back.
struct LookRule {
    // A rise of the energy below this share of its fall in the step so far is momentum, not
    // divergence.
    static constexpr double overshoot = 1e-4;

    double first_value = 0;  // of q⁽⁰⁾
    double value = 0;        // of the checkpoint
    double limit = 0;        // of values that hand-overs may bring
    bool converted = false;  // the checkpoint's was taken with converted elements
    double residual = 0;     // of the checkpoint, where it was measured
    bool blamed = false;     // the last look blamed momentum

    LIMBER_HD void begin(double at_start, double magnitude, bool with_converted) {
        first_value = value = at_start;
        limit = 4 * magnitude;
        converted = with_converted;
        residual = INFINITY;
        blamed = false;
    }
    /// What the value of the checkpoint counts, under the interpolants of the present iterate. A
    /// tet that is handed back may give the iterate before any energy, and then nothing would be
    /// too much for this one.
    LIMBER_HD double capped(double of_checkpoint) const {
        return descent_rules::least(of_checkpoint, descent_rules::most(value, limit));
    }
    /// `now` and `before`: values of the iterate and of the checkpoint; `noise`: what rounding may
    /// have added; `measured`: residual of the iterate, NaN where it was not measured. Where the
    /// verdict is not `accepted` the iterate goes back to the checkpoint.
    template <class Momentum, class Length>
    LIMBER_HD LookVerdict judge(double now, double before, double noise, bool now_converted,
                                double measured, Momentum& momentum, Length& length) {
        // Momentum overshoots a little where it has converged, and rounding hides what the energy
        // does: there gradients tell, if they are measured.
        const double slack = noise + overshoot * descent_rules::most(0, first_value - before);
        const bool hidden = now > before - noise && measured >= residual;
        if (std::isfinite(now) && now <= before + slack && !hidden) {
            value = now;
            residual = measured;
            converted = now_converted;
            length.accept();
            blamed = false;
            return LookVerdict::accepted;
        }
        // The first rise is put down to momentum. One that follows at once is not: that is given
        // back.
        const bool to_blame = momentum.take_blame();
        if (to_blame && !blamed) {
            blamed = true;
            return LookVerdict::taken_back;
        }
        if (to_blame) momentum.acquit();
        if (blamed) momentum.acquit();
        blamed = false;
        return length.shorten() ? LookVerdict::taken_back : LookVerdict::exhausted;
    }
};

}  // namespace limber
