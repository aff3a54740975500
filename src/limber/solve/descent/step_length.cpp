// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/step_length.h"

namespace limber {

StepLengthKind step_length_kind(const DescentOptions& options) {
    if (options.step_length != StepLengthKind::automatic) return options.step_length;
    if (options.direction == DirectionKind::projective) return StepLengthKind::fixed;
    return is_stationary(options.direction) ? StepLengthKind::adjusted
                                            : StepLengthKind::line_search;
}

LengthRule make_length_rule(const DescentOptions& options, double natural) {
    LengthRule rule;
    rule.fixed = step_length_kind(options) == StepLengthKind::fixed;
    rule.shrink = options.shrink;
    rule.first = options.step;
    rule.max = rule.longest = options.max_step;
    rule.min = options.min_step;
    rule.natural = natural;
    rule.regrow = options.regrow;
    return rule;
}

}  // namespace limber
