// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/verdict.h"

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/scene/scene.h"
#include "limber/sim/verdict_rules.h"

namespace limber {
namespace {

StepReport report_of(std::int64_t step, StepFlag flag, Index body = -1, double residual = 0.5) {
    StepReport report;
    report.step = step;
    report.solve.residual = residual;
    report.set(flag, body);
    return report;
}

struct KindOfFlag {
    FaultKind kind;
    StepFlag flag;
};
constexpr KindOfFlag kinds[] = {
    {FaultKind::inverted, StepFlag::inverted},
    {FaultKind::iteration_cap, StepFlag::iteration_cap},
    {FaultKind::line_search, StepFlag::line_search},
    {FaultKind::contact_cap, StepFlag::contact_cap},
    {FaultKind::penetration, StepFlag::penetration},
    {FaultKind::energy_gained, StepFlag::energy_gained},
    {FaultKind::rejected, StepFlag::substepped},
    {FaultKind::stuck, StepFlag::stuck},
};
static_assert(std::size(kinds) == n_fault_kinds);

TEST(Verdict, counts_the_steps_of_each_kind_and_keeps_the_first_and_its_body) {
    for (const KindOfFlag& k : kinds) {
        Verdict verdict;
        verdict.add(StepReport{}, {});
        EXPECT_TRUE(verdict.clean());
        verdict.add(report_of(7, k.flag, 1), {});
        verdict.add(report_of(9, k.flag, 0), {});
        EXPECT_FALSE(verdict.clean());
        for (const KindOfFlag& other : kinds) {
            const Fault& fault = verdict.of(other.kind);
            const bool same = other.kind == k.kind;
            EXPECT_EQ(fault.count, same ? 2 : 0);
            EXPECT_EQ(fault.first_step, same ? 7 : 0);
            EXPECT_EQ(fault.body, same ? 1 : -1);
        }
    }
}

TEST(Verdict, what_a_method_does_by_design_or_by_request_is_no_fault) {
    Verdict verdict;
    for (const StepFlag flag :
         {StepFlag::deadline, StepFlag::damped, StepFlag::indefinite, StepFlag::refactored})
        verdict.add(report_of(1, flag), {});
    verdict.add(report_of(2, StepFlag::iteration_cap), {.lower_iteration_cap = true});
    verdict.add(report_of(3, StepFlag::contact_cap), {.lower_contact_cap = true});
    verdict.add(report_of(4, StepFlag::line_search, 0, 1e-9), {});  // it was there already
    EXPECT_TRUE(verdict.clean());
}

TEST(Verdict, says_what_how_often_where_and_what_to_do) {
    const Model model = test::bar(1);
    Verdict verdict;
    verdict.add(report_of(12, StepFlag::iteration_cap, 0, 0.25), {});
    EXPECT_EQ(verdict.text(FaultKind::iteration_cap, model),
              "the solver stopped at its cap of iterations above its tolerance in 1 step, number "
              "12, body 'body', residual up to 0.25; raise the cap (max_iterations, iterations or "
              "refine of the solver), shorten the step, or take a direct solver");
    verdict.add(report_of(13, StepFlag::iteration_cap), {});
    EXPECT_NE(verdict.text(FaultKind::iteration_cap, model).find("in 2 steps, first in step 12"),
              std::string::npos);
}

TEST(Verdict, is_part_of_a_checkpoint_and_refuses_a_damaged_one) {
    Verdict verdict, loaded;
    verdict.add(report_of(5, StepFlag::stuck, 2), {});
    ByteWriter out;
    verdict.save(out);
    ByteReader in(out.bytes(), "memory");
    loaded.load(in, 3, 0);
    EXPECT_EQ(loaded.of(FaultKind::stuck).first_step, 5);
    EXPECT_EQ(loaded.of(FaultKind::stuck).body, 2);
    ByteReader again(out.bytes(), "memory");
    EXPECT_THROW(loaded.load(again, 2, 0), InputError);  // a model without a third body
}

SceneDef scene_with(const std::string& text) {
    return make_scene(parse_toml("limber = 1\n[time]\nstep = 0.01\nsteps = 1\n" + text +
                                     "\n[material.m]\nkind = \"corotated\"\nyoung = 1e5\n"
                                     "poisson = 0.3\ndensity = 1000\n[[body]]\nshape = \"box\"\n"
                                     "name = \"b\"\nsize = [1, 1, 1]\ncells = [1, 1, 1]\n"
                                     "material = \"m\"\n",
                                 "s.toml"),
                      "s.toml");
}

TEST(VerdictRules, a_cap_below_its_default_is_an_early_end_by_choice) {
    const auto lower = [](const std::string& text) {
        const VerdictRules rules = verdict_rules(scene_with(text));
        return std::pair(rules.lower_iteration_cap, rules.lower_contact_cap);
    };
    EXPECT_EQ(lower("[solver]\nkind = \"corotational\""), std::pair(false, false));
    EXPECT_EQ(lower("[solver]\nkind = \"corotational\"\nmax_iterations = 10"),
              std::pair(true, false));
    EXPECT_EQ(lower("[solver]\nkind = \"corotational\"\nmax_iterations = 5000"),
              std::pair(false, false));
    EXPECT_EQ(lower("[solver]\nkind = \"descent\"\niterations = 20"), std::pair(true, false));
    EXPECT_EQ(lower("[solver]\nkind = \"cholesky\"\n[contact]\nmethod = \"lagrange\"\n"
                    "iterations = 5"),
              std::pair(false, true));
}

}  // namespace
}  // namespace limber
