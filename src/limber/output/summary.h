// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "limber/core/timer.h"
#include "limber/output/run_output_options.h"
#include "limber/output/steps_csv.h"
#include "limber/sim/observer.h"

namespace limber {

/// What summary.json is computed from: sums over the steps, and each step's time for the
/// percentiles (four bytes a step).
struct RunTotals {
    std::vector<float> wall_ms;
    double wall_sum = 0;
    std::array<double, n_stages> stage_sum{};  // [ms]
    std::int64_t iterations = 0, max_iterations = 0;
    double energy_first = 0, energy_last = 0, energy_max = 0;  // kinetic + elastic + potential [J]
    double max_penetration = 0;
    bool finite = true;
    std::map<std::string, std::int64_t> flags;  // steps that carry each flag

    void add(const StepRow& row);
    std::int64_t steps() const { return static_cast<std::int64_t>(wall_ms.size()); }
};

/// The smallest value that at least `percent` of all are not above (nearest rank). Reorders.
float percentile(std::vector<float>& values, double percent);

/// summary.json: every few seconds, and at the end. Until a run has ended its status reads
/// "interrupted", which is what a killed run leaves behind.
class Summary final : public Observer {
  public:
    explicit Summary(const RunOutputOptions& options) : options_(options) {}
    void begin(const World& world) override;
    void after_step(const World& world, const StepReport& report) override;
    void end(const World& world) override;

  private:
    void write(const World& world, const std::string& status);

    RunOutputOptions options_;
    RunTotals totals_;
    std::string failure_;
    Timer since_write_;
};

/// The processor's name, as the system tells it; empty where it does not.
std::string cpu_name();
/// Most memory this process has had [MB = 2^20 bytes].
double peak_rss_mb();

}  // namespace limber
