// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/solve/descent/options.h"

namespace limber {

/// Step 2 of Algorithm 1 by the rule of Wang & Yang 2016, section 4.2: the energy is looked at
/// every few iterations; where it did not fall they are taken back and α becomes γ α; a step of
/// time starts with α_t / γ, α_t the length at the end of the last.
/// Deviations: none is longer than the spectrum at the start of a step of time allows, looked at
/// now and then; momentum is restarted first, and the length shortened where that was not enough
/// (descent.cpp); after a rise of the energy a few steps of time may keep α_t.
class StepLength {
  public:
    static constexpr int renewal = 8;  // steps of time between two looks at the spectrum
    struct History {
        double longest = 0, last = 0;  // 0: not known yet
        int quiet_steps = 0;           // of time, since one rose
    };
    /// `natural`: the direction's own length, where the options give none.
    StepLength(const DescentOptions& options, bool fixed, double natural);

    /// Whether set_longest() is wanted before begin() of step `step`.
    bool wants_longest(std::int64_t step) const {
        return !fixed_ && max_ == 0 && (history_.longest == 0 || step % renewal == 0);
    }
    void set_longest(double longest) { history_.longest = longest; }
    void begin();
    double alpha() const { return alpha_; }
    /// Iterations were taken back. False: no shorter length is left.
    bool shorten();
    /// The energy fell.
    void accept() { again_ = false; }
    /// The end of a step of time; after a failed one the next starts afresh.
    void finish(bool failed);

    template <class List, class Self>
    static void list_history(List& list, Self& self) {
        list.number("descent.longest", self.history_.longest);
        list.number("descent.last", self.history_.last);
        list.whole("descent.quiet_steps", self.history_.quiet_steps, 0, 1 << 30);
    }
    void set_history(const History& history) { history_ = history; }

  private:
    bool fixed_, again_ = false, shortened_ = false;
    double shrink_, first_, max_, min_, natural_;
    int regrow_;
    double alpha_ = 0;
    History history_;
};

}  // namespace limber
