// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/output/csv_log.h"
#include "limber/sim/observer.h"

namespace limber {

/// <table>.csv: what a solver has to say of each step beyond its report (Stepper::table()), such as
/// modes.csv. Nothing is written for solvers without a table.
class SolverCsv final : public Observer {
  public:
    explicit SolverCsv(std::string dir) : dir_(std::move(dir)) {}
    void begin(const World& world) override;
    void after_step(const World& world, const StepReport& report) override;

  private:
    std::string dir_, row_;
    std::int64_t first_step_ = 0;
    bool open_ = false;
    CsvLog log_;
};

}  // namespace limber
