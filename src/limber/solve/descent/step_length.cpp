// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/step_length.h"

#include <algorithm>
#include <utility>

namespace limber {

StepLength::StepLength(const DescentOptions& options, bool fixed, double natural)
    : fixed_(fixed),
      shrink_(options.shrink),
      first_(options.step),
      max_(options.max_step),
      min_(options.min_step),
      natural_(natural),
      regrow_(options.regrow) {
    if (max_ > 0) history_.longest = max_;
}

void StepLength::begin() {
    const double longest = std::max(history_.longest, first_);
    const double first = first_ > 0 ? first_ : fixed_ ? natural_ : longest;
    alpha_ = first;
    if (history_.last > 0 && !fixed_) {
        const bool grows = history_.quiet_steps >= regrow_;
        alpha_ = std::min(grows ? history_.last / shrink_ : history_.last, longest);
        if (grows) history_.quiet_steps = 0;
    }
    again_ = shortened_ = false;
}

/// A fixed length gets one more chance, without momentum from before.
bool StepLength::shorten() {
    if (fixed_) return !std::exchange(again_, true);
    if (alpha_ * shrink_ < std::min(min_, history_.longest * min_)) return false;
    alpha_ *= shrink_;
    shortened_ = true;
    return true;
}

void StepLength::finish(bool failed) {
    history_.last = failed ? 0 : alpha_;
    history_.quiet_steps = shortened_ || failed ? 0 : std::min(history_.quiet_steps + 1, 1 << 30);
}

}  // namespace limber
