// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace limber {

/// Wall time since construction or restart().
class Timer {
  public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }
    void restart() { start_ = Clock::now(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

/// Adds the wall time of its scope to `ms`.
class ScopedTimer {
  public:
    explicit ScopedTimer(double& ms) : ms_(ms) {}
    ~ScopedTimer() { ms_ += timer_.ms(); }
    ScopedTimer(const ScopedTimer&) = delete;
    ScopedTimer& operator=(const ScopedTimer&) = delete;

  private:
    double& ms_;
    Timer timer_;
};

}  // namespace limber
