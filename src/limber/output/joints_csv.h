// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/output/csv_log.h"
#include "limber/sim/observer.h"

namespace limber {

/// joints.csv: forces, lengths, volumes and pressures of the scene's attachments, cables, cavities
/// and needles, a row a step. Nothing is written for scenes without them.
class JointsCsv final : public Observer {
  public:
    explicit JointsCsv(std::string dir) : dir_(std::move(dir)) {}
    void begin(const World& world) override;
    void after_step(const World& world, const StepReport& report) override;

  private:
    std::string dir_, row_;
    bool open_ = false;
    CsvLog log_;
};

}  // namespace limber
