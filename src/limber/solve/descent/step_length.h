// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/solve/descent/options.h"
#include "limber/solve/descent/rules.h"

namespace limber {

/// The kind that `automatic` stands for.
StepLengthKind step_length_kind(const DescentOptions& options);

/// LengthRule as the options want it. `natural`: the direction's own length, where they give none.
LengthRule make_length_rule(const DescentOptions& options, double natural);

/// What it keeps from step to step (core/history.h).
template <class List, class Rule>
void list_length_history(List& list, Rule& rule) {
    list.number("descent.longest", rule.longest);
    list.number("descent.last", rule.last);
    list.whole("descent.quiet_steps", rule.quiet_steps, 0, 1 << 30);
}

}  // namespace limber
