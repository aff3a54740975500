// SPDX-License-Identifier: Apache-2.0
// The only file that includes Boost.Beast: it takes long to compile.
//
// Everything but the mailboxes belongs to one thread, so handlers need no locks. Handlers keep
// their connection alive by a shared_ptr, as Asio's operations outlive the call that starts them;
// a payload is shared by the clients that are still being sent it.
#include "limber/view/server.h"

#include <utility>  // Asio 1.74 uses std::exchange without it

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <filesystem>
#include <list>
#include <optional>
#include <set>
#include <thread>

#include "limber/core/errors.h"
#include "limber/view/client_queue.h"
#include "limber/view/descriptor_reserve.h"
#include "limber/view/mailbox.h"
#include "limber/view/page_files.h"

namespace limber {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using beast::error_code;
using Clock = std::chrono::steady_clock;

namespace {

class PageClient;
class Connection;

/// How long the server waits before it accepts again where the system had no room for a connection.
constexpr std::chrono::milliseconds back_off{200};

}  // namespace

struct ViewHub {
    explicit ViewHub(ServerOptions o) : options(std::move(o)) {}
    ~ViewHub() {
        context.stop();
        if (thread.joinable()) thread.join();
    }
    void listen();
    void listen_on(const std::string& address, bool required);
    void accept(tcp::acceptor& acceptor);
    void accept_later(tcp::acceptor& acceptor);
    void welcome(tcp::socket socket);
    bool let_one_give_way();
    bool turn_away(tcp::acceptor& acceptor);
    void deliver();  // what was published, to every client
    void count_ready();
    bool post_message(ClientMessage message) {
        return mailbox.post(std::move(message), options.max_queue);
    }

    ServerOptions options;
    int port = 0;

    // Of the server's thread.
    std::set<PageClient*> clients;
    Payloads kept;
    std::list<Connection*> idle;  // without a whole request or answered already, oldest first
    DescriptorReserve reserve;
    int uploads = 0;
    bool uploading = false;

    // Of both threads.
    Mailbox mailbox;
    std::atomic<int> ready{0};
    std::atomic<std::int64_t> accepted{0}, refused{0}, kicked{0}, frames_sent{0}, frames_shown{0},
        gave_way{0}, starved{0};
    std::atomic<int> n_clients{0}, n_connections{0};

    // Last, so that handlers that never ran are destroyed while the rest is still there.
    asio::io_context context{1};
    std::deque<tcp::acceptor> acceptors;
    std::deque<asio::steady_timer> pauses;  // one for each acceptor
    std::thread thread;
};

namespace {

/// One WebSocket: commands in, the newest of each slot out.
class PageClient : public std::enable_shared_from_this<PageClient> {
  public:
    PageClient(ViewHub& hub, beast::tcp_stream stream)
        : hub_(hub), ws_(std::move(stream)), queue_(hub.options, Clock::now()) {}
    ~PageClient() {
        hub_.clients.erase(this);
        hub_.n_clients = static_cast<int>(hub_.clients.size());
        --hub_.n_connections;
        hub_.count_ready();
    }

    template <class Body>
    void start(const http::request<Body>& request) {
        beast::get_lowest_layer(ws_).expires_never();  // WebSocket has timers of its own
        websocket::stream_base::timeout timeout{};
        timeout.handshake_timeout = hub_.options.header_time;
        timeout.idle_timeout = hub_.options.idle_time;
        timeout.keep_alive_pings = true;
        ws_.set_option(timeout);
        ws_.read_message_max(hub_.options.max_message);
        ws_.auto_fragment(false);
        ws_.async_accept(request, [self = shared_from_this()](error_code error) {
            if (error) return;
            self->join();
            self->read_next();
            self->write_next();
        });
    }
    void offer(Slot slot, const Payload& payload) {
        queue_.offer(slot, payload);
        write_next();
    }
    bool ready_for_frame() const { return queue_.ready_for_frame(); }

  private:
    void join() {
        hub_.clients.insert(this);
        hub_.n_clients = static_cast<int>(hub_.clients.size());
        queue_.offer(hub_.kept);
        hub_.post_message({ClientMessage::Kind::joined, {}});
        hub_.count_ready();
    }
    void write_next() {
        if (writing_) return;
        auto out = queue_.next();
        if (!out) return;
        hub_.frames_sent += out->slot == Slot::frame;
        writing_ = std::move(out->payload);
        ws_.binary(is_binary(out->slot));
        ws_.async_write(asio::buffer(*writing_),
                        [self = shared_from_this()](error_code error, std::size_t) {
                            self->writing_ = nullptr;
                            if (error) return;
                            self->hub_.count_ready();
                            self->write_next();
                        });
    }
    void read_next() {
        ws_.async_read_some(buffer_, 64 << 10,
                            [self = shared_from_this()](error_code error, std::size_t) {
                                if (error) return;  // Beast has answered what broke the protocol
                                self->on_read();
                            });
    }
    void on_read() {
        if (const char* wrong = ws_.is_message_done() ? take_message() : queue_.take_piece())
            return close(wrong);
        read_next();
    }
    const char* take_message() {
        std::string text = beast::buffers_to_string(buffer_.data());
        buffer_.consume(buffer_.size());
        if (ws_.got_binary()) {
            if (const char* wrong = queue_.acknowledge(text)) return wrong;
            ++hub_.frames_shown;
            hub_.count_ready();
            write_next();
            return nullptr;
        }
        if (const char* wrong = queue_.take_command(Clock::now())) return wrong;
        const bool taken = hub_.post_message({ClientMessage::Kind::command, std::move(text)});
        return taken ? nullptr : "too many commands are waiting";
    }
    void close(const char* reason) {
        ++hub_.kicked;
        queue_.close();
        hub_.count_ready();
        ws_.async_close(websocket::close_reason(websocket::close_code::policy_error, reason),
                        [self = shared_from_this()](error_code) {});
    }

    ViewHub& hub_;
    websocket::stream<beast::tcp_stream> ws_;
    beast::flat_buffer buffer_;
    ClientQueue queue_;
    Payload writing_;
};

/// One connection until it is answered or becomes a PageClient.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(ViewHub& hub, tcp::socket socket) : hub_(hub), stream_(std::move(socket)) {
        ++hub_.n_connections;
        parser_.header_limit(static_cast<std::uint32_t>(hub.options.limits.header));
        // Checked again once it is known what is asked for: a mesh may be longer than the rest.
        parser_.body_limit(
            std::max<std::uint64_t>(hub.options.limits.body, hub.options.max_upload));
    }
    ~Connection() {
        busy();
        if (!handed_over_) --hub_.n_connections;
    }
    void start() {
        may_give_way();
        stream_.expires_after(hub_.options.header_time);
        http::async_read_header(
            stream_, buffer_, parser_, [self = shared_from_this()](error_code error, std::size_t) {
                self->busy();
                if (error == http::error::header_limit)
                    return self->refuse({431, "the request head is too large"});
                if (error == http::error::body_limit)
                    return self->refuse({413, "the request is too large"});
                if (error &&
                    error.category() ==
                        http::make_error_code(http::error::end_of_stream).category() &&
                    error != http::error::end_of_stream && error != http::error::partial_message)
                    return self->refuse({400, "not a request"});
                if (!error) self->on_head();
            });
    }
    /// Ends it in favour of another.
    void give_way() {
        busy();
        stream_.close();  // what it waits for ends with an error
    }
    void refuse(const Refusal& refusal) {
        ++hub_.refused;
        answer(refusal.status, "text/plain; charset=utf-8", refusal.reason + "\n");
    }

  private:
    void may_give_way() { place_ = hub_.idle.insert(hub_.idle.end(), this); }
    void busy() {
        if (place_) hub_.idle.erase(*place_);
        place_.reset();
    }
    RequestHead head() const {
        const auto& request = parser_.get();
        RequestHead out;
        out.method = std::string(request.method_string());
        out.target = std::string(request.target());
        out.upgrade = websocket::is_upgrade(request);
        for (const auto& field : request) {
            ++out.lines;
            if (field.name() == http::field::host) out.hosts.emplace_back(field.value());
            if (field.name() == http::field::origin) out.origins.emplace_back(field.value());
        }
        return out;
    }
    void on_head() {
        error_code error;
        const std::string local = stream_.socket().local_endpoint(error).address().to_string();
        const RequestHead asked = head();
        hosts_ = allowed_hosts(hub_.port, local);
        if (const auto refusal =
                refuse_request(asked, hosts_, hub_.options.token, hub_.options.limits))
            return refuse(*refusal);
        const std::string_view path = path_of(asked.target);
        if (path == "/ws") {
            if (!asked.upgrade) return refuse({426, "a WebSocket lives here"});
            handed_over_ = true;
            const auto client = std::make_shared<PageClient>(hub_, std::move(stream_));
            return client->start(parser_.get());
        }
        if (path == "/upload") return upload(asked);
        if (const auto length = parser_.content_length();
            length && *length > hub_.options.limits.body)
            return refuse({413, "the request is too large"});
        if (asked.method != "GET") return refuse({405, "only GET is answered here"});
        const auto files = page_files();
        const std::string_view name = path == "/" ? "/index.html" : path;
        for (const PageFile& file : files)
            if (file.path == name) return answer(200, file.type, std::string(file.bytes));
        refuse({404, "there is no such page"});
    }

    void upload(const RequestHead& asked) {
        if (asked.method != "POST") return refuse({405, "meshes are sent by POST"});
        if (hub_.options.upload_folder.empty()) return refuse({403, "no meshes are taken here"});
        if (hub_.uploading) return refuse({503, "another mesh is on its way"});
        hub_.uploading = uploading_ = true;
        file_ = hub_.options.upload_folder + "/upload_" + std::to_string(++hub_.uploads) +
                safe_suffix(query_value(asked.target, "name"));
        file_parser_.emplace(std::move(parser_));
        file_parser_->body_limit(hub_.options.max_upload);
        error_code error;
        file_parser_->get().body().open(file_.c_str(), beast::file_mode::write, error);
        if (error) return end_upload(Refusal{500, "the mesh could not be stored"});
        const auto length = file_parser_->content_length();
        if (length && *length > hub_.options.max_upload)
            return end_upload(Refusal{413, "the mesh is too large"});
        if (file_parser_->is_done()) return end_upload(std::nullopt);  // not a byte will come
        read_upload();
    }
    void read_upload() {
        stream_.expires_after(hub_.options.header_time);
        http::async_read_some(
            stream_, buffer_, *file_parser_,
            [self = shared_from_this()](error_code error, std::size_t) {
                if (error == http::error::body_limit)
                    return self->end_upload(Refusal{413, "the mesh is too large"});
                if (error == boost::system::errc::no_space_on_device)
                    return self->end_upload(Refusal{507, "the disk has no room for the mesh"});
                if (error) return self->end_upload(Refusal{400, "the mesh did not arrive"});
                if (!self->file_parser_->is_done()) return self->read_upload();
                self->end_upload(std::nullopt);
            });
    }
    void end_upload(std::optional<Refusal> refusal) {
        hub_.uploading = uploading_ = false;
        file_parser_->get().body().close();
        std::error_code error;
        if (!refusal && (std::filesystem::file_size(file_, error) == 0 || error))
            refusal = Refusal{400, "the file is empty"};
        if (refusal) {
            ::remove(file_.c_str());
            return refuse(*refusal);
        }
        hub_.post_message({ClientMessage::Kind::uploaded, file_});
        answer(200, "text/plain; charset=utf-8", "taken\n");
    }

    void answer(int status, std::string_view type, std::string body) {
        response_.version(11);
        response_.result(static_cast<unsigned>(status));
        for (const auto& [name, value] : security_fields(hosts_)) response_.set(name, value);
        response_.set(http::field::content_type, beast::string_view(type.data(), type.size()));
        response_.keep_alive(false);
        response_.body() = std::move(body);
        response_.prepare_payload();
        stream_.expires_after(hub_.options.header_time);
        http::async_write(stream_, response_, [self = shared_from_this()](error_code, std::size_t) {
            error_code ignored;
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
            self->may_give_way();
            self->drain(0);
        });
    }
    /// Takes what is still on its way, within reason: closing at once would reset the connection
    /// before the answer is read.
    void drain(std::size_t taken) {
        if (taken > (1 << 20)) return;
        buffer_.consume(buffer_.size());
        stream_.async_read_some(buffer_.prepare(16 << 10), [self = shared_from_this(), taken](
                                                               error_code error, std::size_t n) {
            if (!error && n > 0) self->drain(taken + n);
        });
    }

    ViewHub& hub_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    http::request_parser<http::empty_body> parser_;
    std::optional<http::request_parser<http::file_body>> file_parser_;
    std::string file_;
    http::response<http::string_body> response_;
    std::vector<std::string> hosts_;
    std::optional<std::list<Connection*>::iterator> place_;  // among those that may give way
    bool handed_over_ = false, uploading_ = false;
};

}  // namespace

// ---- the hub

void ViewHub::listen_on(const std::string& address, bool required) {
    error_code error;
    const auto parsed = asio::ip::make_address(address, error);
    if (error)
        throw InputError("'" + printable(address) +
                         "' is not an address of this machine, like 127.0.0.1 or 0.0.0.0");
    const tcp::endpoint endpoint(parsed, static_cast<unsigned short>(port));
    tcp::acceptor acceptor(context);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error && parsed.is_v6()) acceptor.set_option(asio::ip::v6_only(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error && !required) return;  // a machine without IPv6
    if (error)
        throw SystemError(address + " port " + std::to_string(port), "listen on", error.value());
    acceptor.non_blocking(true, error);
    port = acceptor.local_endpoint().port();
    acceptors.push_back(std::move(acceptor));
    pauses.emplace_back(context);
}

void ViewHub::listen() {
    port = options.port;
    if (options.address.empty()) {
        listen_on("127.0.0.1", true);
        listen_on("::1", false);
    } else {
        listen_on(options.address, true);
    }
    for (tcp::acceptor& acceptor : acceptors) accept(acceptor);
    thread = std::thread([this] { context.run(); });
}

void ViewHub::accept(tcp::acceptor& acceptor) {
    acceptor.async_accept([this, &acceptor](error_code error, tcp::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (!error) welcome(std::move(socket));
        const bool gone = error == asio::error::connection_aborted;
        const bool again = !error || gone || let_one_give_way() || turn_away(acceptor);
        // Where nothing helps, the connection waits: asking again at once would only burn a core.
        again ? accept(acceptor) : accept_later(acceptor);
    });
}

void ViewHub::accept_later(tcp::acceptor& acceptor) {
    const auto same = [&](const tcp::acceptor& a) { return &a == &acceptor; };
    asio::steady_timer& pause =
        pauses[std::find_if(acceptors.begin(), acceptors.end(), same) - acceptors.begin()];
    pause.expires_after(back_off);
    pause.async_wait([this, &acceptor](error_code error) {
        if (error) return;
        reserve.take();
        accept(acceptor);
    });
}

void ViewHub::welcome(tcp::socket socket) {
    ++accepted;
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const bool full = n_connections >= options.max_clients && !let_one_give_way();
    const auto connection = std::make_shared<Connection>(*this, std::move(socket));
    if (full)
        connection->refuse({503, "too many clients"});
    else
        connection->start();
}

/// The connection that has waited longest for its request, or for its other end to close, is ended.
bool ViewHub::let_one_give_way() {
    if (idle.empty()) return false;
    ++gave_way;
    idle.front()->give_way();
    return true;
}

/// Without a descriptor to accept with, a connection would stay unanswered and the acceptor ready
/// for ever: the one in reserve takes it, so that it can be told why and closed.
bool ViewHub::turn_away(tcp::acceptor& acceptor) {
    if (!reserve.give()) return false;
    error_code error;
    tcp::socket socket(context);
    acceptor.accept(socket, error);
    if (!error) {
        ++starved;
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
        if (mailbox.publish(Slot::notice, R"({"type":"notice","error":")" + words + "\"}"))
            deliver();
    }
    reserve.take();
    return !error;
}

void ViewHub::deliver() {
    const Payloads fresh = mailbox.collect();
    for (int s = 0; s < n_slots; ++s) {
        if (!fresh[s]) continue;
        const auto slot = static_cast<Slot>(s);
        if (is_kept(slot)) kept[s] = fresh[s];
        // Frames of an earlier scene mean nothing beside a new one.
        if (slot == Slot::scene) kept[static_cast<int>(Slot::frame)] = nullptr;
        const std::set<PageClient*> now = clients;
        for (PageClient* client : now)
            if (clients.count(client)) client->offer(slot, fresh[s]);
    }
    count_ready();
}

void ViewHub::count_ready() {
    int n = 0;
    for (const PageClient* client : clients) n += client->ready_for_frame();
    ready = n;
}

ViewServer::ViewServer(ServerOptions options)
    : hub_(std::make_unique<ViewHub>(std::move(options))) {
    if (hub_->options.token.empty()) hub_->options.token = random_token();
    hub_->listen();
}

ViewServer::~ViewServer() = default;

int ViewServer::port() const {
    return hub_->port;
}
const std::string& ViewServer::token() const {
    return hub_->options.token;
}

std::string ViewServer::url() const {
    std::string host = hub_->options.address;
    if (host.empty() || host == "0.0.0.0" || host == "::") host = "127.0.0.1";
    if (host.find(':') != std::string::npos) host = '[' + host + ']';
    return "http://" + host + ':' + std::to_string(hub_->port) + "/?token=" + hub_->options.token;
}

bool ViewServer::wants_frame() const {
    return hub_->ready > 0;
}

void ViewServer::publish(Slot slot, std::string bytes) {
    if (hub_->mailbox.publish(slot, std::move(bytes)))
        asio::post(hub_->context, [hub = hub_.get()] { hub->deliver(); });
}

std::vector<ClientMessage> ViewServer::take_messages() {
    return hub_->mailbox.take_messages();
}

void ViewServer::wait(Clock::time_point until) {
    hub_->mailbox.wait(until);
}

void ViewServer::wake() {
    hub_->mailbox.wake();
}

ServerCounts ViewServer::counts() const {
    return {hub_->accepted, hub_->refused, hub_->kicked,    hub_->frames_sent,  hub_->frames_shown,
            hub_->gave_way, hub_->starved, hub_->n_clients, hub_->n_connections};
}

}  // namespace limber
