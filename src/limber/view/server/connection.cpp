// SPDX-License-Identifier: Apache-2.0
// The only source that includes Boost.Beast: it takes as long to compile as many others together.
//
// Everything here belongs to the server's thread, so handlers need no locks. Handlers keep their
// connection alive by a shared_ptr, as Asio's operations outlive the call that starts them; a
// payload is shared by the clients that are still being sent it.
#include "limber/view/server/connection.h"

#include <unistd.h>

#include <utility>  // Asio 1.74 uses std::exchange without it

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include "limber/view/page_files.h"
#include "limber/view/server/view_hub.h"

namespace limber {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using beast::error_code;

namespace {

/// One WebSocket: commands in, the newest of each slot out.
class PageClient final : public std::enable_shared_from_this<PageClient>, public JoinedClient {
  public:
    PageClient(ViewHub& hub, beast::tcp_stream stream)
        : hub_(hub),
          ws_(std::move(stream)),
          queue_(hub.options, std::chrono::steady_clock::now()) {}
    ~PageClient() {
        hub_.remove(this);
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
    void offer(Slot slot, const Payload& payload) override {
        queue_.offer(slot, payload);
        write_next();
    }
    bool ready_for_frame() const override { return queue_.ready_for_frame(); }

  private:
    void join() {
        hub_.add(this);
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
        if (const char* wrong = queue_.take_command(std::chrono::steady_clock::now())) return wrong;
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
class Connection final : public std::enable_shared_from_this<Connection>, public IdleConnection {
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
    void give_way() override {
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
        if (const auto refusal = hub_.upload.begin(asked)) return refuse(*refusal);
        file_parser_.emplace(std::move(parser_));
        file_parser_->body_limit(hub_.options.max_upload);
        error_code error;
        file_parser_->get().body().open(hub_.upload.file().c_str(), beast::file_mode::write, error);
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
    void end_upload(std::optional<Refusal> wrong) {
        file_parser_->get().body().close();
        const std::string file = hub_.upload.file();
        if (const auto refusal = hub_.upload.end(std::move(wrong))) return refuse(*refusal);
        hub_.post_message({ClientMessage::Kind::uploaded, file});
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
    http::response<http::string_body> response_;
    std::vector<std::string> hosts_;
    std::optional<std::list<IdleConnection*>::iterator> place_;  // among those that may give way
    bool handed_over_ = false;
};

}  // namespace

void take_connection(ViewHub& hub, asio::io_context& context, int descriptor, bool v6,
                     const std::optional<Refusal>& refusal) {
    tcp::socket socket(context);
    error_code error;
    socket.assign(v6 ? tcp::v6() : tcp::v4(), descriptor, error);
    if (error) {
        ::close(descriptor);
        return;
    }
    const auto connection = std::make_shared<Connection>(hub, std::move(socket));
    if (refusal)
        connection->refuse(*refusal);
    else
        connection->start();
}

}  // namespace limber
