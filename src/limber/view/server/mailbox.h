// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "limber/view/server/client_queue.h"

namespace limber {

/// Between the thread that simulates and the one that serves: the newest of each slot one way, what
/// clients did the other. Its lock is never held for longer than a swap.
class Mailbox {
  public:
    /// True where the serving thread must be told to collect(): it has not been since the last.
    bool publish(Slot slot, std::string bytes);
    /// What was published since the last call.
    Payloads collect();

    /// False where `max_queue` messages wait already.
    bool post(ClientMessage message, std::size_t max_queue);
    std::vector<ClientMessage> take_messages();
    /// Returns when there are messages, at wake() or at `until`, whichever is first.
    void wait(std::chrono::steady_clock::time_point until);
    void wake();

  private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<ClientMessage> messages_;
    Payloads published_;
    bool told_ = false, woken_ = false;
};

}  // namespace limber
