// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies of one thread: what the step decides between its sweeps, from sums that were just taken.

#include "limber/gpu/descent/control.h"

namespace limber::gpu {

/// Options that decisions need.
struct DescentRules {
    int check_every = 8;
    double rel_tolerance = 0;
    bool nesterov = false;
};

struct BeginControl {
    DescentControl* control;
    LIMBER_HD void operator()() const {
        DescentControl& c = *control;
        c.live = c.holds = true;
        c.failed_search = c.converged = false;
        c.finite = true;
        c.iterations = 0;
        c.verdict = LookVerdict::accepted;
        c.from_guess = true;
        c.springs = 0;
    }
};

/// The longest step is known.
struct BeginRules {
    DescentControl* control;
    LIMBER_HD void operator()() const {
        control->momentum.begin();
        control->length.begin();
    }
};

/// A value is about to be summed up.
struct BeginValue {
    DescentControl* control;
    LIMBER_HD void operator()() const {
        control->elastic = {};
        control->rest = {};
    }
};
struct AddElasticSum {
    DescentControl* control;
    LIMBER_HD void operator()(const ElasticSum& sum) const { control->elastic += sum; }
};
struct AddValueSum {
    DescentControl* control;
    LIMBER_HD void operator()(const ValueSum& sum) const { control->rest += sum; }
};
/// The first sum of a value, and what is decided after the last: bodies of their own would take as
/// long as the sum.
struct BeginWithElasticSum {
    DescentControl* control;
    LIMBER_HD void operator()(const ElasticSum& sum) const {
        BeginValue{control}();
        control->elastic = sum;
    }
};
template <class Then>
struct AddValueSumAnd {
    DescentControl* control;
    Then then;
    LIMBER_HD void operator()(const ValueSum& sum) const {
        control->rest += sum;
        then();
    }
};
struct SetSprings {
    DescentControl* control;
    LIMBER_HD void operator()(const ValueSum& sum) const { control->springs = sum.value; }
};

/// Of the guess that the options want.
struct KeepGuess {
    DescentControl* control;
    LIMBER_HD void operator()() const { control->guess_value = control->value(); }
};
/// Of q_t: no step ends above where it began (initial_guess_with_value).
struct CompareGuess {
    DescentControl* control;
    LIMBER_HD void operator()() const {
        const double guessed = control->guess_value;
        control->from_guess = std::isfinite(guessed) && !(control->value() < guessed);
        control->holds = !control->from_guess;  // that of the guess was taken
    }
};
/// Of q⁽⁰⁾: the step can begin.
struct StartLooks {
    DescentControl* control;
    LIMBER_HD void operator()() const {
        DescentControl& c = *control;
        c.holds = true;
        c.look.begin(c.value(), c.magnitude(), c.elastic.converted > 0);
        c.finite = std::isfinite(c.value());
        c.live = c.finite;
        c.absolute_residual = NAN;  // not measured
    }
};
/// Of the iterate, where that of the checkpoint comes next.
struct KeepNow {
    DescentControl* control;
    LIMBER_HD void operator()() const {
        DescentControl& c = *control;
        c.now_value = c.value();
        c.now_noise = c.noise();
        c.now_converted = c.elastic.converted > 0;
    }
};
/// One look at the energy (LookRule), with the value of the iterate in `now_*`. `again`: the
/// checkpoint's was summed up again, under the interpolants of the iterate.
struct Judge {
    DescentControl* control;
    DescentRules rules;
    bool again, measured;
    LIMBER_HD void operator()() const {
        DescentControl& c = *control;
        if (!c.live) return;
        const bool compare = again && (c.now_converted || c.look.converted);
        const double before = compare ? c.look.capped(c.value()) : c.look.value;
        c.verdict = c.look.judge(c.now_value, before, c.now_noise, c.now_converted,
                                 measured ? c.residual() : NAN, c.momentum, c.length);
        if (c.verdict != LookVerdict::exhausted) return;
        c.failed_search = true;
        c.live = false;
    }
};
struct KeepNowAndJudge {
    KeepNow keep;
    Judge judge;
    LIMBER_HD void operator()() const {
        keep();
        judge();
    }
};
/// The sweeps that come.
struct PlanSweeps {
    DescentControl* control;
    DescentRules rules;
    int n;
    LIMBER_HD void operator()() const {
        DescentControl& c = *control;
        c.plan.n = c.live ? n : 0;
        if (!c.live) return;
        c.plan.alpha = c.length.alpha;
        const int known = rules.nesterov ? 1 : n;  // its weights follow the slope
        for (int j = 0; j < known; ++j) c.plan.weight[j] = c.momentum.next_weight();
        c.iterations += n;
    }
};
/// After a sweep of Nesterov's: restarted where the momentum points uphill.
template <class Slope>
struct NextNesterov {
    DescentControl* control;
    int j;
    LIMBER_HD void operator()(const Slope& slope) const {
        DescentControl& c = *control;
        if (j >= c.plan.n) return;
        if (slope.value > 0) c.momentum.restart();
        if (j + 1 < c.plan.n) c.plan.weight[0] = c.momentum.next_weight();
    }
};

struct SetForceScale {
    DescentControl* control;
    LIMBER_HD void operator()(const NormSum& sum) const {
        control->force_scale =
            std::sqrt(sum.loads) + std::sqrt(sum.elastic) + std::sqrt(control->springs);
    }
};
/// With the gradient at q⁽⁰⁾: what holds the pins counts as well (Objective::force_scale).
struct SetScale {
    DescentControl* control;
    LIMBER_HD void operator()(const NormSum& sum) const {
        const double scale = control->force_scale + std::sqrt(sum.pinned);
        control->scale = scale > 1e-300 ? scale : 1e-300;
    }
};
/// The residual of the iterate; small enough, it is the last.
struct Measure {
    DescentControl* control;
    LIMBER_HD void operator()(const NormSum& sum) const {
        if (control->live) control->absolute_residual = std::sqrt(sum.free);
    }
};
struct StopWhereSmall {
    DescentControl* control;
    DescentRules rules;
    LIMBER_HD void operator()() const {
        DescentControl& c = *control;
        if (!c.live || c.residual() > rules.rel_tolerance) return;
        c.converged = true;
        c.live = false;
    }
};
struct Finish {
    DescentControl* control;
    LIMBER_HD void operator()(const NormSum& sum) const {
        control->absolute_residual = std::sqrt(sum.free);
        control->length.finish(control->failed_search);
    }
};
struct KeepEndElastic {
    DescentControl* control;
    LIMBER_HD void operator()() const {
        control->end_elastic = control->elastic.energy;
        control->now_converted = control->elastic.converted > 0;
    }
};
struct KeepBeginElastic {
    DescentControl* control;
    LIMBER_HD void operator()() const { control->begin_elastic = control->elastic.energy; }
};

/// The kernels that follow run although the iterations are over.
struct Revive {
    DescentControl* control;
    LIMBER_HD void operator()() const { control->live = true; }
};

}  // namespace limber::gpu
