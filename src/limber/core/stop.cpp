// SPDX-License-Identifier: Apache-2.0
#include "limber/core/stop.h"

namespace limber {

namespace {
thread_local const StopFlag* current_flag = nullptr;
}

bool StopFlag::look() const noexcept {
    if (state_.load(std::memory_order_relaxed) > 0) return true;
    if (state_.fetch_add(1, std::memory_order_relaxed) != -1) return false;
    state_.store(1, std::memory_order_relaxed);
    return true;
}

StopScope::StopScope(const StopFlag* flag) : outer_(current_flag) {
    current_flag = flag;
}
StopScope::~StopScope() {
    current_flag = outer_;
}
const StopFlag* StopScope::current() {
    return current_flag;
}

}  // namespace limber
