// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/sim/observer.h"

namespace limber {

/// The report of a run folder as one HTML page that needs nothing else: drawn from steps.csv and
/// summary.json alone, so that it can be made again at any time.
std::string report_html(const std::string& dir);

/// report.html, at the end of a run.
class Report final : public Observer {
  public:
    explicit Report(std::string dir) : dir_(std::move(dir)) {}
    void end(const World& world) override;

  private:
    std::string dir_;
};

}  // namespace limber
