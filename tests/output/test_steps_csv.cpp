// SPDX-License-Identifier: Apache-2.0
#include "limber/output/steps_csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/core/errors.h"
#include "limber/output/summary.h"
#include "output/output_samples.h"

namespace limber {
namespace {

using test::drifting;
using test::drifting_from;
using test::lines_of;
using test::run_to;
using test::split;

TEST(StepsCsv, columns_are_those_of_the_contract) {
    EXPECT_TRUE(steps_header().starts_with(
        "step,time,wall_ms,observe,detect,rotate,assemble,factor,free_motion,compliance,resolve,"
        "correct,report,iterations,residual,kinetic,elastic,potential,contacts,max_penetration,"
        "flags"));
}

TEST(StepsCsv, has_a_row_a_step_that_reads_back) {
    const TempFolder temp;
    auto world = drifting();
    world->add(std::make_unique<StepsCsv>(temp.path("")));
    run_to(*world, 6);
    const std::vector<std::string> lines = lines_of(temp.path("steps.csv"));
    ASSERT_EQ(lines.size(), 7u);
    for (const std::string& line : lines)
        EXPECT_EQ(split(line).size(), split(steps_header()).size()) << line;
    const std::vector<StepRow> rows = read_steps(temp.path("steps.csv"));
    ASSERT_EQ(rows.size(), 6u);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        EXPECT_EQ(rows[k].step, static_cast<std::int64_t>(k + 1));
        EXPECT_EQ(rows[k].time, 0.01 * static_cast<double>(k + 1));
        EXPECT_EQ(rows[k].iterations, static_cast<std::int64_t>((k + 1) % 7));
        EXPECT_EQ(rows[k].residual, 1e-6);
        EXPECT_EQ(rows[k].flags, (k + 1) % 3 == 0 ? "iteration_cap" : "");
        EXPECT_GT(rows[k].kinetic, 0);
    }
}

TEST(StepsCsv, a_row_is_on_the_disk_before_the_next_step) {
    const TempFolder temp;
    auto world = drifting();
    world->add(std::make_unique<StepsCsv>(temp.path("")));
    world->begin();
    world->step();
    EXPECT_EQ(lines_of(temp.path("steps.csv")).size(), 2u);
}

TEST(StepsCsv, a_residual_that_was_not_measured_is_empty_and_no_fault) {
    StepReport report;
    report.solve.residual = report.solve.absolute_residual =
        std::numeric_limits<double>::quiet_NaN();
    std::string row;
    append_step_row(row, report);
    const std::vector<std::string> names = split(steps_header()), fields = split(row);
    ASSERT_EQ(names.size(), fields.size());
    for (std::size_t k = 0; k < names.size(); ++k)
        if (names[k] == "residual" || names[k] == "absolute_residual" || names[k] == "flags") {
            EXPECT_EQ(fields[k], "") << names[k];
        }
    StepRow read;
    read.residual = std::numeric_limits<double>::quiet_NaN();
    RunTotals totals;
    totals.add(read);
    EXPECT_TRUE(totals.finite);
    read.residual = std::numeric_limits<double>::infinity();
    totals.add(read);
    EXPECT_FALSE(totals.finite);
}

TEST(StepsCsv, flags_are_joined_by_bars) {
    StepReport report;
    report.set(StepFlag::substepped);
    report.set(StepFlag::inverted);
    EXPECT_EQ(flag_names(report.flags), "substepped|inverted");
}

TEST(StepsCsv, what_is_not_finite_never_reaches_the_file) {
    StepReport report;
    report.step = 4;
    report.kinetic = std::numeric_limits<double>::quiet_NaN();
    report.solve.residual = std::numeric_limits<double>::infinity();
    report.set(StepFlag::deadline);
    std::string row;
    append_step_row(row, report);
    EXPECT_EQ(row.find("nan"), std::string::npos) << row;
    EXPECT_EQ(row.find("inf"), std::string::npos) << row;
    EXPECT_NE(row.find("deadline|not_finite"), std::string::npos) << row;
    EXPECT_EQ(split(row).size(), split(steps_header()).size());
    const TempFolder temp;
    const StepRow back = read_steps(temp.file("steps.csv", steps_header() + '\n' + row + '\n'))[0];
    EXPECT_TRUE(std::isnan(back.kinetic));
    EXPECT_TRUE(std::isnan(back.residual));
}

TEST(StepsCsv, resuming_drops_the_rows_after_the_checkpoint) {
    const TempFolder temp;
    {
        auto world = drifting();
        world->add(std::make_unique<StepsCsv>(temp.path("")));
        run_to(*world, 9);
    }
    // The killed run was in the middle of its last row.
    std::ofstream(temp.path("steps.csv"), std::ios::app) << "10,0.1,3.2";
    const std::vector<std::string> before = lines_of(temp.path("steps.csv"));
    auto world = drifting_from(5);
    world->add(std::make_unique<StepsCsv>(temp.path("")));
    run_to(*world, 8);
    const std::vector<std::string> after = lines_of(temp.path("steps.csv"));
    ASSERT_EQ(after.size(), 9u);
    for (int k = 0; k <= 5; ++k) EXPECT_EQ(after[k], before[k]) << "rows that were kept";
    const std::vector<StepRow> rows = read_steps(temp.path("steps.csv"));
    for (std::size_t k = 0; k < rows.size(); ++k)
        EXPECT_EQ(rows[k].step, static_cast<std::int64_t>(k + 1));
}

TEST(StepsCsv, resuming_with_other_columns_is_refused) {
    const TempFolder temp;
    temp.file("steps.csv", "step,other\n1,2\n");
    auto world = drifting_from(5);
    world->add(std::make_unique<StepsCsv>(temp.path("")));
    EXPECT_THROW(world->begin(), InputError);
    EXPECT_EQ(read_file(temp.path("steps.csv")), "step,other\n1,2\n");
}

TEST(StepsCsv, a_new_run_starts_an_empty_table) {
    const TempFolder temp;
    temp.file("steps.csv", steps_header() + "\n1,2,3\n");
    auto world = drifting();
    world->add(std::make_unique<StepsCsv>(temp.path("")));
    world->begin();
    EXPECT_EQ(lines_of(temp.path("steps.csv")).size(), 1u);
}

TEST(StepsCsv, a_failed_step_has_no_row) {
    const TempFolder temp;
    auto world = drifting(test::two_boxes(), 4);
    world->add(std::make_unique<StepsCsv>(temp.path("")));
    run_to(*world, 9);
    EXPECT_EQ(read_steps(temp.path("steps.csv")).size(), 3u);
}

TEST(StepsCsv, a_full_disk_is_a_system_error) {
    const TempFolder temp;
    auto world = drifting();
    world->add(std::make_unique<StepsCsv>(temp.path("")));
    world->begin();
    const FileSizeLimit limit(600);
    EXPECT_THROW(
        {
            for (int k = 0; k < 20; ++k) world->step();
        },
        SystemError);
}

TEST(ReadSteps, a_damaged_field_is_named_with_its_line) {
    const TempFolder temp;
    StepReport report;
    std::string row;
    append_step_row(row, report);
    const std::string path =
        temp.file("steps.csv", steps_header() + '\n' + row + "\nx" + row + '\n');
    try {
        read_steps(path);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_EQ(error.place().line, 3);
    }
    EXPECT_THROW(read_steps(temp.file("b.csv", steps_header() + "\n1,2,3\n")), InputError);
}

}  // namespace
}  // namespace limber
