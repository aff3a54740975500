// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a request must say before it is answered: plain functions on text, apart from the sockets.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace limber {

/// Limits of one request; beyond them it is refused and the connection closed.
struct RequestLimits {
    std::size_t target = 8 << 10;   // bytes of the request line's target
    std::size_t header = 32 << 10;  // bytes of all header lines
    std::size_t lines = 64;         // header lines
    std::size_t body = 1 << 20;     // bytes
};

/// What the checks look at.
struct RequestHead {
    std::string method, target;  // target as sent: "/ws?token=..."
    std::vector<std::string> hosts, origins;
    std::size_t lines = 0;
    bool upgrade = false;  // asks for a WebSocket
};

struct Refusal {
    int status = 403;
    std::string reason;
};

/// "127.0.0.1:8080", "localhost:8080", "[::1]:8080" and, where the server was told to listen
/// elsewhere, the address the connection came in on. Names never count but localhost: a name that a
/// stranger's DNS points to this machine is not one of them.
std::vector<std::string> allowed_hosts(int port, const std::string& local_address);

/// Limits, Host, Origin and, where the target needs one, the token. An upgrade and anything but GET
/// must name an Origin of ours; a GET may leave it out, as browsers do when they open a page.
std::optional<Refusal> refuse_request(const RequestHead& head,
                                      const std::vector<std::string>& hosts,
                                      const std::string& token, const RequestLimits& limits);

/// The part of a target before '?'.
std::string_view path_of(std::string_view target);
/// The value of one key of the query, undecoded; empty where there is none.
std::string_view query_value(std::string_view target, std::string_view key);

/// Letters and digits of a file name's ending: all that is kept of what a client calls a file.
std::string safe_suffix(std::string_view name);

/// Header fields of every answer. No inline script or style, nothing from elsewhere, and nobody may
/// frame the page.
std::vector<std::pair<std::string, std::string>> security_fields(
    const std::vector<std::string>& hosts);

/// Takes as long for any two texts of these lengths.
bool same_secret(std::string_view a, std::string_view b);
/// 192 random bits of the system as hexadecimal digits.
std::string random_token();

}  // namespace limber
