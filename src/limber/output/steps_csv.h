// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/output/csv_log.h"
#include "limber/sim/observer.h"
#include "limber/solve/step_report.h"

namespace limber {

/// steps.csv: a row for every completed step.
class StepsCsv final : public Observer {
  public:
    explicit StepsCsv(std::string dir) : dir_(std::move(dir)) {}
    void begin(const World& world) override;
    void after_step(const World& world, const StepReport& report) override;

  private:
    std::string dir_, row_;
    CsvLog log_;
};

/// The first line of steps.csv, without its end.
std::string steps_header();
/// A row, without its end. A number that is not finite leaves its field empty and adds the flag
/// "not_finite"; a residual that was not measured leaves its fields empty.
void append_step_row(std::string& out, const StepReport& report);
/// Names of the flags, joined by '|'.
std::string flag_names(unsigned flags);

/// What steps.csv says of a step; NaN where a field was left empty.
struct StepRow {
    std::int64_t step = 0;
    double time = 0, wall_ms = 0;
    std::array<double, n_stages> stage_ms{};
    std::int64_t iterations = 0;
    double residual = 0, kinetic = 0, elastic = 0, potential = 0;
    std::int64_t contacts = 0;
    double max_penetration = 0;
    std::string flags;
};

/// Reads a steps.csv of this version; a last line that was cut off is left out.
std::vector<StepRow> read_steps(const std::string& path);

}  // namespace limber
