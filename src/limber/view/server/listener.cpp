// SPDX-License-Identifier: Apache-2.0
#include "limber/view/server/listener.h"

#include <utility>  // Asio 1.74 uses std::exchange without it

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <thread>

#include "limber/core/errors.h"
#include "limber/view/server/connection.h"
#include "limber/view/server/view_hub.h"

namespace limber {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// How long the server waits before it accepts again where the system had no room for a connection.
constexpr std::chrono::milliseconds back_off{200};

}  // namespace

struct ListenerParts {
    explicit ListenerParts(ViewHub& h) : hub(h) {}
    ~ListenerParts() {
        context.stop();
        if (thread.joinable()) thread.join();
    }
    void listen();
    void listen_on(const std::string& address, bool required);
    void accept(tcp::acceptor& acceptor);
    void accept_later(tcp::acceptor& acceptor);
    void welcome(tcp::socket socket);
    bool turn_away(tcp::acceptor& acceptor);

    ViewHub& hub;
    asio::io_context context{1};
    std::deque<tcp::acceptor> acceptors;
    std::deque<asio::steady_timer> pauses;  // one for each acceptor
    std::thread thread;
};

void ListenerParts::listen_on(const std::string& address, bool required) {
    error_code error;
    const auto parsed = asio::ip::make_address(address, error);
    if (error)
        throw InputError("'" + printable(address) +
                         "' is not an address of this machine, like 127.0.0.1 or 0.0.0.0");
    const tcp::endpoint endpoint(parsed, static_cast<unsigned short>(hub.port));
    tcp::acceptor acceptor(context);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error && parsed.is_v6()) acceptor.set_option(asio::ip::v6_only(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error && !required) return;  // a machine without IPv6
    if (error)
        throw SystemError(address + " port " + std::to_string(hub.port), "listen on",
                          error.value());
    acceptor.non_blocking(true, error);
    hub.port = acceptor.local_endpoint().port();
    acceptors.push_back(std::move(acceptor));
    pauses.emplace_back(context);
}

void ListenerParts::listen() {
    hub.port = hub.options.port;
    if (hub.options.address.empty()) {
        listen_on("127.0.0.1", true);
        listen_on("::1", false);
    } else {
        listen_on(hub.options.address, true);
    }
    for (tcp::acceptor& acceptor : acceptors) accept(acceptor);
    thread = std::thread([this] { context.run(); });
}

void ListenerParts::accept(tcp::acceptor& acceptor) {
    acceptor.async_accept([this, &acceptor](error_code error, tcp::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (!error) welcome(std::move(socket));
        const bool gone = error == asio::error::connection_aborted;
        const bool again = !error || gone || hub.let_one_give_way() || turn_away(acceptor);
        // Where nothing helps, the connection waits: asking again at once would only burn a core.
        again ? accept(acceptor) : accept_later(acceptor);
    });
}

void ListenerParts::accept_later(tcp::acceptor& acceptor) {
    const auto same = [&](const tcp::acceptor& a) { return &a == &acceptor; };
    asio::steady_timer& pause =
        pauses[std::find_if(acceptors.begin(), acceptors.end(), same) - acceptors.begin()];
    pause.expires_after(back_off);
    pause.async_wait([this, &acceptor](error_code error) {
        if (error) return;
        hub.reserve.take();
        accept(acceptor);
    });
}

void ListenerParts::welcome(tcp::socket socket) {
    ++hub.accepted;
    error_code error;
    socket.set_option(tcp::no_delay(true), error);
    const bool full = hub.n_connections >= hub.options.max_clients && !hub.let_one_give_way();
    const bool v6 = socket.local_endpoint(error).protocol() == tcp::v6();
    const int descriptor = socket.release(error);
    if (error) return;  // it is closed with the socket
    take_connection(hub, context, descriptor, v6,
                    full ? std::optional(Refusal{503, "too many clients"}) : std::nullopt);
}

/// Without a descriptor to accept with, a connection would stay unanswered and the acceptor ready
/// for ever: the one in reserve takes it, so that it can be told why and closed.
bool ListenerParts::turn_away(tcp::acceptor& acceptor) {
    if (!hub.reserve.give()) return false;
    error_code error;
    tcp::socket socket(context);
    acceptor.accept(socket, error);
    if (!error) {
        ++hub.starved;
        const std::string words =
            "limber view has no file descriptor left; close pages, or raise the limit (ulimit -n)";
        const std::string answer =
            "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
            "Content-Type: text/plain; charset=utf-8\r\nContent-Length: " +
            std::to_string(words.size() + 1) + "\r\n\r\n" + words + '\n';
        error_code ignored;
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(answer), ignored);
        socket.shutdown(tcp::socket::shutdown_send, ignored);
        std::array<char, 16 << 10> sent;  // unread bytes would turn the close into a reset
        socket.read_some(asio::buffer(sent), ignored);
        socket.close(ignored);
        if (hub.mailbox.publish(Slot::notice, R"({"type":"notice","error":")" + words + "\"}"))
            hub.deliver();
    }
    hub.reserve.take();
    return !error;
}

Listener::Listener(ViewHub& hub) : parts_(std::make_unique<ListenerParts>(hub)) {
    parts_->listen();
}

Listener::~Listener() = default;

void Listener::deliver_soon() {
    asio::post(parts_->context, [hub = &parts_->hub] { hub->deliver(); });
}

}  // namespace limber
