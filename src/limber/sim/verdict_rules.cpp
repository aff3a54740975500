// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/verdict_rules.h"

namespace limber {

namespace {

/// Whether one of the integers is below its default.
bool lowered(const AnyOptions& options, std::span<const OptionCase> cases,
             std::initializer_list<std::string_view> keys) {
    const OptionCase* entry = find_case(cases, options.name);
    if (!entry) return false;
    const Value given = entry->to_value(options.value), usual = entry->to_value(entry->defaults());
    for (const std::string_view key : keys) {
        const Value *a = given.find(key), *b = usual.find(key);
        if (a && b && a->is_number() && b->is_number() && a->as_double() < b->as_double())
            return true;
    }
    return false;
}

}  // namespace

VerdictRules verdict_rules(const SceneDef& scene) {
    VerdictRules out;
    out.lower_iteration_cap =
        lowered(scene.solver.options, stepper_cases(), {"max_iterations", "iterations", "refine"});
    out.lower_contact_cap = lowered(scene.contact.options, contact_cases(), {"iterations"}) ||
                            lowered(scene.solver.options, stepper_cases(), {"contact_passes"});
    return out;
}

}  // namespace limber
