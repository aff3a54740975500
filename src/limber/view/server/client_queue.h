// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "limber/view/server/server.h"

namespace limber {

/// Shared by the clients that are still being sent it.
using Payload = std::shared_ptr<const std::string>;
using Payloads = std::array<Payload, n_slots>;  // by Slot

/// What one client is owed and what it may still send: the rules of docs/view_protocol.md without a
/// socket.
class ClientQueue {
  public:
    using Clock = std::chrono::steady_clock;
    struct Outgoing {
        Slot slot = Slot::scene;
        Payload payload;
    };

    ClientQueue(const ServerOptions& options, Clock::time_point now)
        : frames_in_flight_(options.frames_in_flight),
          max_pieces_(options.max_pieces),
          commands_per_second_(options.commands_per_second),
          tokens_(options.commands_per_second),
          refilled_(now) {}

    /// Takes the place of what was owed of that slot.
    void offer(Slot slot, Payload payload) { owed_[static_cast<int>(slot)] = std::move(payload); }
    void offer(const Payloads& all) { owed_ = all; }
    /// The most important message that may go now; a frame counts as in flight from here on.
    std::optional<Outgoing> next();
    /// Whether a new frame would be sent soon: without that, making one is wasted.
    bool ready_for_frame() const;
    /// Nothing more is sent or taken.
    void close();
    bool closed() const { return closed_; }

    // What the client sent. Each returns why the connection must end, or nothing.
    /// A part of a message that is not its last.
    const char* take_piece();
    /// A whole binary message: frames are acknowledged one by one, in the order they were sent.
    const char* acknowledge(std::string_view bytes);
    /// A whole text message.
    const char* take_command(Clock::time_point now);

  private:
    bool may_send_frame() const { return static_cast<int>(in_flight_.size()) < frames_in_flight_; }

    int frames_in_flight_, max_pieces_;
    double commands_per_second_;
    Payloads owed_;
    std::deque<std::uint32_t> in_flight_;  // numbers of frames, oldest first
    int pieces_ = 0;
    double tokens_;  // commands this client may send at once
    Clock::time_point refilled_;
    bool closed_ = false;
};

constexpr bool is_binary(Slot slot) {
    return slot == Slot::geometry || slot == Slot::frame;
}
/// What a client that comes later must see.
constexpr bool is_kept(Slot slot) {
    return slot != Slot::notice && slot != Slot::stats;
}

}  // namespace limber
