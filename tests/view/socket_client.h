// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client that can be as rude as a test wants: bytes of its own choice over plain sockets.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "limber/view/server/server.h"

namespace limber::test {

/// How long a test waits for what must happen before it calls it a failure. Never a criterion: what
/// holds is seen at once, and a machine may be busy.
inline constexpr std::chrono::seconds patience{120};

class Socket {
  public:
    explicit Socket(int port, const char* address = "127.0.0.1")
        : Socket(::socket(AF_INET, SOCK_STREAM, 0), port, address) {}
    /// Takes a socket that was made before.
    Socket(int fd, int port, const char* address = "127.0.0.1") : fd_(fd) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(port));
        inet_pton(AF_INET, address, &to.sin_addr);
        connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    }
    ~Socket() {
        if (fd_ >= 0) ::close(fd_);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    bool connected() const { return connected_; }
    int fd() const { return fd_; }
    /// False where the other end has gone.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }
    /// Up to n bytes; fewer where the other end closes first or says nothing for too long.
    std::string receive(std::size_t n) {
        std::string out;
        while (out.size() < n) {
            pollfd wait{fd_, POLLIN, 0};
            if (::poll(&wait, 1, std::chrono::milliseconds(patience).count()) <= 0) break;
            char buffer[65536];
            const ssize_t got = ::recv(fd_, buffer, std::min(sizeof buffer, n - out.size()), 0);
            if (got <= 0) break;
            out.append(buffer, static_cast<std::size_t>(got));
        }
        return out;
    }
    std::string receive_all() { return receive(std::string::npos / 2); }

  private:
    int fd_ = -1;
    bool connected_ = false;
};

/// The status of the answer, 0 where there was none.
inline int status_of(const std::string& answer) {
    return answer.size() > 12 && answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3))
                                                                 : 0;
}

inline std::string host(const ViewServer& server) {
    return "127.0.0.1:" + std::to_string(server.port());
}
inline std::string request(const ViewServer& server, const std::string& target,
                           const std::string& method = "GET", const std::string& more = "") {
    std::string out = method;
    for (const std::string& part : {std::string(" "), target, std::string(" HTTP/1.1\r\nHost: "),
                                    host(server), std::string("\r\n"), more, std::string("\r\n")})
        out += part;
    return out;
}
inline std::string ask(const ViewServer& server, const std::string& text) {
    Socket socket(server.port());
    socket.send(text);
    return socket.receive_all();
}

class WebSocketClient {
  public:
    explicit WebSocketClient(const ViewServer& server) : socket_(server.port()) {
        socket_.send(request(server, "/ws?token=" + server.token(), "GET",
                             "Origin: http://" + host(server) +
                                 "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 "Sec-WebSocket-Version: 13\r\n"
                                 "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"));
        std::string head;
        while (!head.ends_with("\r\n\r\n")) {
            const std::string byte = socket_.receive(1);
            if (byte.empty()) break;
            head += byte;
        }
        status = status_of(head);
    }
    struct Message {
        int opcode = 0;
        std::string payload;
        int close_code() const {
            return opcode == 8 && payload.size() >= 2
                       ? 256 * static_cast<unsigned char>(payload[0]) +
                             static_cast<unsigned char>(payload[1])
                       : 0;
        }
    };
    /// One frame as it is on the wire; `first` is its first byte (fin, reserved bits, opcode).
    bool send_frame(int first, const std::string& payload, bool masked = true) {
        std::string out(1, static_cast<char>(first));
        const std::size_t n = payload.size();
        const int mask_bit = masked ? 0x80 : 0;
        if (n < 126) {
            out += static_cast<char>(mask_bit | static_cast<int>(n));
        } else if (n < 65536) {
            out += static_cast<char>(mask_bit | 126);
            out += static_cast<char>(n >> 8);
            out += static_cast<char>(n);
        } else {
            out += static_cast<char>(mask_bit | 127);
            for (int k = 7; k >= 0; --k) out += static_cast<char>(n >> (8 * k));
        }
        if (masked) out += std::string(4, '\0');  // a mask of zeros is a mask
        return socket_.send(out + payload);
    }
    bool send_text(const std::string& text) { return send_frame(0x81, text); }
    bool acknowledge(std::uint32_t number) {
        return send_frame(0x82, std::string(reinterpret_cast<char*>(&number), 4));
    }
    /// Nothing where the connection ended.
    std::optional<Message> receive() {
        const std::string head = socket_.receive(2);
        if (head.size() < 2) return std::nullopt;
        Message out;
        out.opcode = head[0] & 15;
        std::uint64_t n = head[1] & 127;
        if (n >= 126) {
            const std::string more = socket_.receive(n == 126 ? 2 : 8);
            n = 0;
            for (const char c : more) n = n << 8 | static_cast<unsigned char>(c);
        }
        out.payload = socket_.receive(n);
        if (out.payload.size() < n) return std::nullopt;
        return out;
    }
    /// The code the server closes with; 0 where the connection just ends.
    int receive_close() {
        while (auto message = receive())
            if (message->opcode == 8) return message->close_code();
        return 0;
    }
    Socket& socket() { return socket_; }
    int status = 0;

  private:
    Socket socket_;
};

/// Waits until something that another thread does holds; false where it never does.
template <class F>
bool eventually(F&& holds) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// A frame message of some size with a number.
inline std::string sample_frame(std::uint32_t number, std::size_t bytes = 64) {
    std::string out(bytes, '\0');
    std::memcpy(out.data() + 8, &number, sizeof number);
    return out;
}

}  // namespace limber::test
