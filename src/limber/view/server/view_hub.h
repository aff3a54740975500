// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <set>

#include "limber/view/server/client_queue.h"
#include "limber/view/server/descriptor_reserve.h"
#include "limber/view/server/mailbox.h"
#include "limber/view/server/server.h"
#include "limber/view/server/upload_slot.h"

namespace limber {

/// A client that has joined: messages go to it.
class JoinedClient {
  public:
    virtual void offer(Slot slot, const Payload& payload) = 0;
    virtual bool ready_for_frame() const = 0;

  protected:
    ~JoinedClient() = default;
};

/// A connection without a whole request, or answered already: it can make room for another.
class IdleConnection {
  public:
    /// Ends it, and takes it out of ViewHub::idle.
    virtual void give_way() = 0;

  protected:
    ~IdleConnection() = default;
};

/// What the connections of a server share. All of it belongs to the server's thread, so handlers
/// need no locks; what both threads touch is the mailbox and the counts.
struct ViewHub {
    explicit ViewHub(ServerOptions o) : options(std::move(o)), upload(options) {}

    void add(JoinedClient* client);
    void remove(JoinedClient* client);
    /// What was published, to every client.
    void deliver();
    void count_ready();
    /// The connection that has waited longest for its request, or for its other end to close, is
    /// ended; false where there is none.
    bool let_one_give_way();
    /// False where too many messages wait already.
    bool post_message(ClientMessage message) {
        return mailbox.post(std::move(message), options.max_queue);
    }

    ServerOptions options;
    int port = 0;  // once it is known; nothing writes it afterwards

    // Of the server's thread.
    std::set<JoinedClient*> clients;
    Payloads kept;
    std::list<IdleConnection*> idle;  // oldest first
    DescriptorReserve reserve;
    UploadSlot upload;

    // Of both threads.
    Mailbox mailbox;
    std::atomic<int> ready{0};  // clients that would be sent a frame at once
    std::atomic<std::int64_t> accepted{0}, refused{0}, kicked{0}, frames_sent{0}, frames_shown{0},
        gave_way{0}, starved{0};
    std::atomic<int> n_clients{0}, n_connections{0};
};

}  // namespace limber
