// SPDX-License-Identifier: Apache-2.0
#include "limber/view/server/client_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace limber {

namespace {

/// The number of a frame: the third word of its header (docs/view_protocol.md).
std::uint32_t frame_number(const std::string& bytes) {
    std::uint32_t number = 0;
    if (bytes.size() >= 12) std::memcpy(&number, bytes.data() + 8, sizeof number);
    return number;
}

}  // namespace

std::optional<ClientQueue::Outgoing> ClientQueue::next() {
    if (closed_) return std::nullopt;
    for (int s = 0; s < n_slots; ++s) {
        if (!owed_[s]) continue;
        const auto slot = static_cast<Slot>(s);
        if (slot == Slot::frame) {
            if (!may_send_frame()) continue;
            in_flight_.push_back(frame_number(*owed_[s]));
        }
        return Outgoing{slot, std::exchange(owed_[s], nullptr)};
    }
    return std::nullopt;
}

bool ClientQueue::ready_for_frame() const {
    return !closed_ && !owed_[static_cast<int>(Slot::frame)] && may_send_frame();
}

void ClientQueue::close() {
    closed_ = true;
    owed_ = {};
}

const char* ClientQueue::take_piece() {
    return ++pieces_ >= max_pieces_ ? "a message came in too many pieces" : nullptr;
}

const char* ClientQueue::acknowledge(std::string_view bytes) {
    pieces_ = 0;
    std::uint32_t number = 0;
    if (bytes.size() == sizeof number) std::memcpy(&number, bytes.data(), sizeof number);
    if (bytes.size() != sizeof number || in_flight_.empty() || in_flight_.front() != number)
        return "an acknowledgement without its frame";
    in_flight_.pop_front();
    return nullptr;
}

const char* ClientQueue::take_command(Clock::time_point now) {
    pieces_ = 0;
    const double seconds = std::chrono::duration<double>(now - refilled_).count();
    refilled_ = now;
    tokens_ = std::min(commands_per_second_, tokens_ + seconds * commands_per_second_);
    if (tokens_ < 1) return "too many commands";
    tokens_ -= 1;
    return nullptr;
}

}  // namespace limber
