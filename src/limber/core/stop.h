// SPDX-License-Identifier: Apache-2.0
#pragma once

// A way to end work that is under way. Whoever may want it to end keeps a StopFlag and puts the
// work into a StopScope; parallel work, iterations and other long loops look at the flag of the
// scope they run in and throw Stopped. Outside a scope nothing looks and nothing is thrown.

#include <atomic>
#include <exception>

namespace limber {

/// Thrown out of work that was asked to stop. What it was working on is unfinished.
class Stopped : public std::exception {
  public:
    const char* what() const noexcept override { return "stopped on request"; }
};

/// The wish that work should end. May be set by a signal handler or another thread.
class StopFlag {
  public:
    /// `why` > 0 is kept for whoever asks, as the number of a signal.
    void request(int why = 1) noexcept { state_.store(why, std::memory_order_relaxed); }
    void clear() noexcept { state_.store(0, std::memory_order_relaxed); }
    bool requested() const noexcept {
        return state_.load(std::memory_order_relaxed) != 0 && look();
    }
    int why() const noexcept { return state_.load(std::memory_order_relaxed); }
    /// The n-th look from now finds a request: for tests, which thereby stop at every place.
    void request_at_look(int n) noexcept { state_.store(-n, std::memory_order_relaxed); }

  private:
    bool look() const noexcept;
    mutable std::atomic<int> state_{0};  // 0: go on; > 0: why; < 0: looks that are left, counted up
};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler sets the flag");

/// While it lives, work of this thread and what it hands to others looks at the flag, which
/// outlives that work. Null: none of it looks, whatever scope it is in.
class StopScope {
  public:
    explicit StopScope(const StopFlag* flag);
    ~StopScope();
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

    static const StopFlag* current();

  private:
    const StopFlag* outer_;
};

/// Throws Stopped where the flag of the scope asks for it.
inline void stop_if_requested(const StopFlag* flag = StopScope::current()) {
    if (flag && flag->requested()) throw Stopped();
}

}  // namespace limber
