// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace limber {

/// What a clock decided, step by step (World::decisions): the iterations of every (sub-)step and,
/// for warp-canceling under a budget in milliseconds, the supernodes that were updated, s written
/// as -1 - s. DIR/decisions.csv holds one line a step, `step,iterations,-4,-9,iterations,...`;
/// replaying it gives the same bits on any machine of the same build.
class DecisionLog {
  public:
    /// Appends to `file`; lines of steps after `last_kept` (from before a resume) are dropped
    /// first.
    DecisionLog(std::string file, std::int64_t last_kept);
    void record(std::int64_t step, std::span<const int> decisions);

  private:
    std::string file_;
};

/// The decisions of a recorded run, for World::replay.
class DecisionReplay {
  public:
    explicit DecisionReplay(const std::string& file);
    /// InputError if the step was not recorded.
    std::span<const int> at(std::int64_t step) const;

  private:
    std::string file_;
    std::map<std::int64_t, std::vector<int>> steps_;
};

}  // namespace limber
