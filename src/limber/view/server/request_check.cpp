// SPDX-License-Identifier: Apache-2.0
#include "limber/view/server/request_check.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "limber/core/errors.h"

namespace limber {

namespace {

/// Scripts and styles hold no secret; whatever shows or changes something does.
bool needs_token(std::string_view path) {
    return path == "/" || path == "/ws" || path == "/upload";
}

}  // namespace

std::string_view path_of(std::string_view target) {
    return target.substr(0, target.find('?'));
}

std::string_view query_value(std::string_view target, std::string_view key) {
    const std::size_t mark = target.find('?');
    std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view item = rest.substr(0, end);
        rest.remove_prefix(std::min(rest.size(), end + 1));
        const std::size_t equals = item.find('=');
        if (equals != std::string_view::npos && item.substr(0, equals) == key)
            return item.substr(equals + 1);
    }
    return {};
}

std::string safe_suffix(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || name.size() - dot > 9) return ".mesh";
    std::string out = ".";
    for (const char c : name.substr(dot + 1))
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) out += c;
    return out.size() > 1 ? out : ".mesh";
}

std::vector<std::pair<std::string, std::string>> security_fields(
    const std::vector<std::string>& hosts) {
    std::string sockets;
    for (const std::string& host : hosts)  // a policy cannot name [::1]; 'self' covers it
        if (host[0] != '[') sockets += " ws://" + host;
    return {{"Content-Security-Policy",
             "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
             "media-src blob:; connect-src 'self'" +
                 sockets + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
            {"X-Content-Type-Options", "nosniff"},
            {"X-Frame-Options", "DENY"},
            {"Referrer-Policy", "no-referrer"},
            {"Cross-Origin-Resource-Policy", "same-origin"},
            {"Cross-Origin-Opener-Policy", "same-origin"},
            {"Cache-Control", "no-store"}};
}

bool same_secret(std::string_view a, std::string_view b) {
    unsigned difference = a.size() != b.size();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return difference == 0;
}

std::string random_token() {
    std::array<unsigned char, 24> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw SystemError("random numbers of the system", "read", errno);
    std::string out;
    for (const unsigned char byte : bytes) {
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 15];
    }
    return out;
}

std::vector<std::string> allowed_hosts(int port, const std::string& local_address) {
    const std::string suffix = ':' + std::to_string(port);
    const bool v6 = local_address.find(':') != std::string::npos;
    std::vector<std::string> hosts = {"127.0.0.1" + suffix, "localhost" + suffix, "[::1]" + suffix};
    hosts.push_back((v6 ? '[' + local_address + ']' : local_address) + suffix);
    return hosts;
}

std::optional<Refusal> refuse_request(const RequestHead& head,
                                      const std::vector<std::string>& hosts,
                                      const std::string& token, const RequestLimits& limits) {
    if (head.target.size() > limits.target) return Refusal{414, "the request line is too long"};
    if (head.lines > limits.lines) return Refusal{431, "too many header lines"};
    const auto known = [&](std::string_view host) {
        return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
    };
    if (head.hosts.size() != 1 || !known(head.hosts[0]))
        return Refusal{403, "this Host is not served here"};
    const bool must_name_origin = head.upgrade || head.method != "GET";
    if (head.origins.size() > 1 || (must_name_origin && head.origins.empty()))
        return Refusal{403, "one Origin is needed"};
    for (const std::string& origin : head.origins)
        if (!origin.starts_with("http://") || !known(std::string_view(origin).substr(7)))
            return Refusal{403, "this Origin is not served here"};
    if (needs_token(path_of(head.target)) && !same_secret(query_value(head.target, "token"), token))
        return Refusal{403,
                       "the token in the address is missing or wrong; open the address that "
                       "limber view printed"};
    return std::nullopt;
}

}  // namespace limber
