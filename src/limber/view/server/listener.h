// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace limber {

struct ViewHub;
struct ListenerParts;

/// The ports that are listened on, and the thread that serves all who come.
class Listener {
  public:
    /// Sets hub.port. SystemError where the port is taken, InputError where the address is none;
    /// `hub` must outlive it.
    explicit Listener(ViewHub& hub);
    /// Ends the thread, then every connection.
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    /// ViewHub::deliver() soon, on the thread; from any other.
    void deliver_soon();

  private:
    std::unique_ptr<ListenerParts> parts_;
};

}  // namespace limber
