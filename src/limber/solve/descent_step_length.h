// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/solve/descent_options.h"

namespace limber {

/// Step 2 of Algorithm 1 by the rule of Wang & Yang 2016, section 4.2: the energy is looked at
/// every few iterations; where it did not fall they are taken back and α becomes γ α; a step of
/// time starts with α_t / γ, α_t the length at the end of the last.
class StepLength {
  public:
    /// `natural`: the direction's own length, where the options give none.
    StepLength(const DescentOptions& options, bool fixed, double natural);

    void begin();
    double alpha() const { return alpha_; }
    /// Iterations were taken back. False: no shorter length is left.
    bool shorten();
    /// The energy fell.
    void accept() { rejected_ = false; }

    /// α of the last step of time: the History.
    double last() const { return last_; }
    void set_last(double last) { last_ = last; }
    void finish(bool failed) { last_ = failed ? 0 : alpha_; }

  private:
    bool fixed_, rejected_ = false;
    double shrink_, first_, max_, min_;
    double alpha_ = 0, last_ = 0;  // 0: none yet
};

}  // namespace limber
