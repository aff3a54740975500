// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "limber/view/server/request_check.h"

namespace limber {

/// What the page is told, in the order of importance. A client is owed at most one message of each
/// kind: a newer one takes the place of one that was not sent yet.
enum class Slot { scene, geometry, status, notice, verdict, history, stats, frame };
inline constexpr int n_slots = 8;

struct ServerOptions {
    std::string address;  // to listen on; empty: 127.0.0.1 and ::1
    int port = 0;         // 0: any free one
    std::string token;    // empty: a random one
    RequestLimits limits;
    int max_clients = 64;  // connections; beyond, those without a request give way to new ones
    std::size_t max_message = 1 << 20;              // bytes of one WebSocket message
    int max_pieces = 16;                            // fragments of one WebSocket message
    int commands_per_second = 100;                  // of one client
    int frames_in_flight = 2;                       // frames a client may leave unacknowledged
    std::size_t max_queue = 4096;                   // commands nobody took yet
    std::uint64_t max_upload = 256u << 20;          // bytes of one mesh
    std::string upload_folder;                      // where meshes go; empty: none are taken
    std::chrono::milliseconds header_time{10'000};  // for a whole request head
    std::chrono::milliseconds idle_time{40'000};    // a client is pinged after half of it
};

/// Something a client did.
struct ClientMessage {
    enum class Kind { command, joined, uploaded };
    Kind kind = Kind::command;
    std::string text;  // command: JSON; uploaded: the file
};

/// Counts since the start, for tests and for the curious.
struct ServerCounts {
    std::int64_t accepted = 0;      // connections
    std::int64_t refused = 0;       // requests answered with 4xx or 5xx
    std::int64_t kicked = 0;        // WebSocket clients closed for breaking a rule
    std::int64_t frames_sent = 0;   // to all clients together
    std::int64_t frames_shown = 0;  // acknowledged by clients
    std::int64_t gave_way = 0;      // connections without a request, closed to let another in
    std::int64_t starved = 0;       // connections turned away for want of a file descriptor
    int clients = 0;                // WebSocket clients now
    int connections = 0;            // now
};

struct ServerParts;

/// HTTP and WebSocket on one port, on a thread of its own. Whoever publishes never waits for a
/// client: publishing swaps a pointer under a lock that is never held for longer than that.
class ViewServer {
  public:
    /// SystemError where the port is taken.
    explicit ViewServer(ServerOptions options);
    ~ViewServer();
    ViewServer(const ViewServer&) = delete;
    ViewServer& operator=(const ViewServer&) = delete;

    int port() const;
    const std::string& token() const;
    /// What a user opens.
    std::string url() const;

    /// Whether some client is ready for a frame: without one, making it is wasted.
    bool wants_frame() const;
    /// Scene, geometry, status, verdict, history and frame are kept for clients that come later.
    void publish(Slot slot, std::string bytes);

    /// What clients did since the last call.
    std::vector<ClientMessage> take_messages();
    /// Returns when there are messages, at wake() or at `until`, whichever is first.
    void wait(std::chrono::steady_clock::time_point until);
    /// Ends a wait() from any thread.
    void wake();

    ServerCounts counts() const;

  private:
    std::unique_ptr<ServerParts> parts_;
};

}  // namespace limber
