// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "limber/output/run_output_options.h"
#include "limber/sim/observer.h"

namespace limber {

/// Tells how far a run is: a line that changes on a terminal, plain lines in a pipe, or one JSON
/// object a line. A reader that has gone away is a SystemError, not a signal.
class Progress final : public Observer {
  public:
    explicit Progress(const RunOutputOptions& options);
    void begin(const World& world) override;
    void after_step(const World& world, const StepReport& report) override;
    void end(const World& world) override;

  private:
    bool due(std::int64_t step) const;
    void tell(const World& world);
    void put(std::string_view text);
    std::string bar_line(std::int64_t step, double time) const;
    std::string plain_line(std::int64_t step, double time) const;
    std::string json_line(std::string_view event, const World& world) const;
    double real_time_factor() const;  // simulated over wall time
    double seconds_left(std::int64_t step) const;

    RunOutputOptions options_;
    double h_ = 0;
    double mean_ms_ = 0;  // of the last steps, newer ones weigh more
    std::int64_t measured_ = 0;
    double last_told_ms_ = 0;
    std::int64_t last_told_step_ = -1;
    bool told_ = false;  // a line was written
    std::string failure_;
    std::size_t shown_ = 0;  // columns of the line that is on the terminal
};

/// Writes all of `text`; SystemError when the reader has gone or the disk is full.
void write_all(int fd, std::string_view text);
/// "3 h 05 min", "4 min 10 s", "12 s"
std::string duration_text(double seconds);

}  // namespace limber
