// SPDX-License-Identifier: Apache-2.0
#include "limber/view/server/mailbox.h"

#include <utility>

namespace limber {

bool Mailbox::publish(Slot slot, std::string bytes) {
    auto payload = std::make_shared<const std::string>(std::move(bytes));
    Payload old;  // freed after the lock
    const std::lock_guard lock(mutex_);
    old = std::exchange(published_[static_cast<int>(slot)], std::move(payload));
    return !std::exchange(told_, true);
}

Payloads Mailbox::collect() {
    Payloads fresh;
    const std::lock_guard lock(mutex_);
    fresh.swap(published_);
    told_ = false;
    return fresh;
}

bool Mailbox::post(ClientMessage message, std::size_t max_queue) {
    {
        const std::lock_guard lock(mutex_);
        if (messages_.size() >= max_queue) return false;
        messages_.push_back(std::move(message));
    }
    arrived_.notify_all();
    return true;
}

std::vector<ClientMessage> Mailbox::take_messages() {
    std::vector<ClientMessage> out;
    const std::lock_guard lock(mutex_);
    out.swap(messages_);
    return out;
}

void Mailbox::wait(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    arrived_.wait_until(lock, until, [&] { return woken_ || !messages_.empty(); });
    woken_ = false;
}

void Mailbox::wake() {
    {
        const std::lock_guard lock(mutex_);
        woken_ = true;
    }
    arrived_.notify_all();
}

}  // namespace limber
