// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <atomic>
#include <thread>

#include "limber/core/stop.h"

namespace limber::app {

/// While it lives, SIGINT and SIGTERM go to a thread of their own: before run_begins() they end the
/// program at once, for nothing would be lost; from then on the first one asks `stop` and the
/// second one does not wait. No handler is installed: METIS replaces them while it works.
class SignalWatch {
  public:
    explicit SignalWatch(StopFlag& stop);
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    void run_begins() { running_ = true; }

  private:
    void watch();

    StopFlag& stop_;
    std::atomic<bool> running_{false}, over_{false};
    sigset_t watched_{}, before_{};
    std::thread thread_;
};

}  // namespace limber::app
