// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/view/server/request_check.h"

namespace boost::asio {
class io_context;
}

namespace limber {

struct ViewHub;

/// Takes an accepted TCP socket over: its request is read and answered, becomes a mesh in the
/// upload folder, or a WebSocket client of the hub. With a refusal that is the answer, whatever is
/// asked. `descriptor` is closed at the end; the handlers that keep the connection alive run on
/// `context`, and hub and context must outlive them.
void take_connection(ViewHub& hub, boost::asio::io_context& context, int descriptor, bool v6,
                     const std::optional<Refusal>& refusal);

}  // namespace limber
