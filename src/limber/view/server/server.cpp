// SPDX-License-Identifier: Apache-2.0
#include "limber/view/server/server.h"

#include "limber/view/server/listener.h"
#include "limber/view/server/view_hub.h"

namespace limber {

struct ServerParts {
    explicit ServerParts(ServerOptions options) : hub(std::move(options)), listener(hub) {}
    ViewHub hub;
    Listener listener;  // after the hub: its connections tell the hub when they end
};

namespace {

ServerOptions with_token(ServerOptions options) {
    if (options.token.empty()) options.token = random_token();
    return options;
}

}  // namespace

ViewServer::ViewServer(ServerOptions options)
    : parts_(std::make_unique<ServerParts>(with_token(std::move(options)))) {}

ViewServer::~ViewServer() = default;

int ViewServer::port() const {
    return parts_->hub.port;
}
const std::string& ViewServer::token() const {
    return parts_->hub.options.token;
}

std::string ViewServer::url() const {
    std::string host = parts_->hub.options.address;
    if (host.empty() || host == "0.0.0.0" || host == "::") host = "127.0.0.1";
    if (host.find(':') != std::string::npos) host = '[' + host + ']';
    return "http://" + host + ':' + std::to_string(port()) + "/?token=" + token();
}

bool ViewServer::wants_frame() const {
    return parts_->hub.ready > 0;
}

void ViewServer::publish(Slot slot, std::string bytes) {
    if (parts_->hub.mailbox.publish(slot, std::move(bytes))) parts_->listener.deliver_soon();
}

std::vector<ClientMessage> ViewServer::take_messages() {
    return parts_->hub.mailbox.take_messages();
}

void ViewServer::wait(std::chrono::steady_clock::time_point until) {
    parts_->hub.mailbox.wait(until);
}

void ViewServer::wake() {
    parts_->hub.mailbox.wake();
}

ServerCounts ViewServer::counts() const {
    const ViewHub& hub = parts_->hub;
    return {hub.accepted, hub.refused, hub.kicked,    hub.frames_sent,  hub.frames_shown,
            hub.gave_way, hub.starved, hub.n_clients, hub.n_connections};
}

}  // namespace limber
