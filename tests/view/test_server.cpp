// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/view/page_files.h"
#include "limber/view/server/server.h"
#include "view/socket_client.h"

namespace limber {
namespace {

using test::ask;
using test::eventually;
using test::request;
using test::sample_frame;
using test::Socket;
using test::status_of;
using test::WebSocketClient;

/// Memory of this program that is in use now [MiB].
double resident_mib() {
    std::ifstream statm("/proc/self/statm");
    double total = 0, resident = 0;
    statm >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST(ViewServer, serves_the_files_of_the_table_and_nothing_else) {
    ViewServer server({});
    for (const PageFile& file : page_files()) {
        const std::string answer = ask(server, request(server, std::string(file.path)));
        EXPECT_EQ(status_of(answer), 200) << file.path;
        EXPECT_TRUE(answer.ends_with(file.bytes)) << file.path;
    }
    const std::string page = ask(server, request(server, "/?token=" + server.token()));
    EXPECT_EQ(status_of(page), 200);
    for (const char* wanted : {"Content-Security-Policy: default-src 'none'; script-src 'self';",
                               "frame-ancestors 'none'", "X-Content-Type-Options: nosniff"})
        EXPECT_NE(page.find(wanted), std::string::npos) << wanted;
    EXPECT_EQ(page.find("Access-Control-Allow-Origin"), std::string::npos);
    EXPECT_EQ(status_of(ask(server, request(server, "/"))), 403) << "no token";
}

TEST(ViewServer, opens_nothing_for_paths_that_climb) {
    ViewServer server({});
    const std::string climbs[] = {"..",     "%2e%2e", "%252e%252e",   "..%2f",  "..%5c",
                                  "..\\",   ".%2e",   "%c0%ae%c0%ae", "....//", "%2e%2e%00",
                                  "%uff0e", "~",      "%00",          "./..",   "..;"};
    const std::string ends[] = {"/etc/passwd",        "/page.js/../../etc/passwd",
                                "/etc/passwd%00.js",  "\\windows\\win.ini",
                                "/proc/self/environ", "/index.html/..",
                                "/.git/config",       "//etc/passwd"};
    int asked = 0;
    for (const std::string& climb : climbs)
        for (const std::string& end : ends)
            for (const std::string begin : {"/", "/page.js/"}) {
                const std::string answer = ask(server, request(server, begin + climb + end));
                const int status = status_of(answer);
                EXPECT_TRUE(status == 404 || status == 400) << begin + climb + end << ' ' << status;
                EXPECT_EQ(answer.find("root:"), std::string::npos);
                ++asked;
            }
    EXPECT_GE(asked, 200);
    for (const std::string target : {"/index.html/", "/PAGE.JS", "/page.js%00", "//page.js"})
        EXPECT_EQ(status_of(ask(server, request(server, target))), 404) << target;
}

TEST(ViewServer, listens_on_loopback_alone) {
    ViewServer server({});
    ifaddrs* all = nullptr;
    ASSERT_EQ(getifaddrs(&all), 0);
    for (const ifaddrs* one = all; one; one = one->ifa_next) {
        if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET) continue;
        char text[64];
        inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text,
                  sizeof text);
        const Socket socket(server.port(), text);
        EXPECT_EQ(socket.connected(), std::string(text).starts_with("127.")) << text;
    }
    freeifaddrs(all);
}

TEST(ViewServer, refuses_requests_beyond_the_limits) {
    ViewServer server({});
    EXPECT_EQ(status_of(ask(server, request(server, std::string(9000, '/')))), 414);
    EXPECT_EQ(status_of(ask(server, request(server, "/page.js", "GET",
                                            "X: " + std::string(40000, 'a') + "\r\n"))),
              431);
    std::string lines;
    for (int k = 0; k < 80; ++k) lines.append("X").append(std::to_string(k)).append(": y\r\n");
    EXPECT_EQ(status_of(ask(server, request(server, "/page.js", "GET", lines))), 431);
    EXPECT_EQ(status_of(ask(server, request(server, "/page.js", "POST",
                                            "Origin: http://" + test::host(server) + "\r\n"))),
              405);
    EXPECT_EQ(status_of(ask(server, "GARBAGE\r\n\r\n")), 400);
    EXPECT_EQ(status_of(ask(server, request(server, "/page.js"))), 200) << "and is well after it";
}

TEST(ViewServer, refuses_strangers_at_the_socket) {
    ViewServer server({});
    const std::string upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n";
    const std::string target = "/ws?token=" + server.token();
    const std::string ours = "Origin: http://" + test::host(server) + "\r\n";
    EXPECT_EQ(status_of(ask(server, request(server, target, "GET", upgrade))), 403);
    EXPECT_EQ(status_of(ask(server, request(server, target, "GET", upgrade + "Origin: null\r\n"))),
              403);
    EXPECT_EQ(status_of(ask(server, request(server, target, "GET",
                                            upgrade + "Origin: http://example.com\r\n"))),
              403);
    EXPECT_EQ(status_of(ask(server, request(server, "/ws?token=no", "GET", upgrade + ours))), 403);
    EXPECT_EQ(status_of(ask(server, request(server, target, "GET", ours))), 426);
    EXPECT_EQ(server.counts().clients, 0);
    WebSocketClient client(server);
    EXPECT_EQ(client.status, 101);
}

TEST(ViewServer, a_late_client_gets_what_is_kept) {
    ViewServer server({});
    server.publish(Slot::scene, R"({"type":"scene"})");
    server.publish(Slot::status, R"({"type":"status","n":1})");
    server.publish(Slot::status, R"({"type":"status","n":2})");
    server.publish(Slot::stats, R"({"type":"stats"})");
    server.publish(Slot::frame, sample_frame(7));
    WebSocketClient client(server);
    EXPECT_EQ(client.receive()->payload, R"({"type":"scene"})");
    EXPECT_EQ(client.receive()->payload, R"({"type":"status","n":2})");
    const auto frame = client.receive();
    EXPECT_EQ(frame->opcode, 2);
    EXPECT_EQ(frame->payload, sample_frame(7));
}

TEST(ViewServer, a_client_is_sent_two_frames_until_it_acknowledges) {
    ViewServer server({});
    WebSocketClient client(server);
    ASSERT_TRUE(eventually([&] { return server.wants_frame(); }));
    server.publish(Slot::frame, sample_frame(1));
    EXPECT_EQ(client.receive()->payload, sample_frame(1));
    ASSERT_TRUE(eventually([&] { return server.wants_frame(); }));
    server.publish(Slot::frame, sample_frame(2));
    EXPECT_EQ(client.receive()->payload, sample_frame(2));
    for (std::uint32_t number = 3; number <= 50; ++number)
        server.publish(Slot::frame, sample_frame(number));
    server.publish(Slot::notice, "all of them");
    EXPECT_EQ(client.receive()->payload, "all of them") << "the server has them now";
    EXPECT_TRUE(eventually([&] { return !server.wants_frame(); }));
    EXPECT_EQ(server.counts().frames_sent, 2);
    client.acknowledge(1);
    EXPECT_EQ(client.receive()->payload, sample_frame(50)) << "the newest";
    EXPECT_EQ(server.counts().frames_sent, 3);
    EXPECT_EQ(server.counts().frames_shown, 1);
}

TEST(ViewServer, a_reader_that_stops_costs_one_frame_and_no_time) {
    ViewServer server({});
    WebSocketClient stuck(server), reader(server);
    ASSERT_TRUE(eventually([&] { return server.counts().clients == 2; }));
    constexpr std::size_t size = 4 << 20;  // more than a socket holds
    constexpr std::uint32_t n = 200;
    for (std::uint32_t number = 1; number <= n; ++number) {
        ASSERT_TRUE(eventually([&] { return server.wants_frame(); }));
        server.publish(Slot::frame, sample_frame(number, size));
        const auto got = reader.receive();
        ASSERT_TRUE(got);
        ASSERT_EQ(got->payload.size(), size);
        std::uint32_t seen = 0;
        std::memcpy(&seen, got->payload.data() + 8, sizeof seen);
        ASSERT_TRUE(reader.acknowledge(seen));
    }
    // To the reader all, to the other the two it may leave unacknowledged at most.
    EXPECT_LE(server.counts().frames_sent, n + 2);
}

TEST(ViewServer, closes_clients_that_break_the_protocol) {
    ViewServer server({});
    const auto code = [&](auto&& misbehave) {
        WebSocketClient client(server);
        EXPECT_EQ(client.status, 101);
        misbehave(client);
        return client.receive_close();
    };
    EXPECT_EQ(code([](auto& c) { c.send_frame(0x81, "{}", false); }), 1002) << "unmasked";
    EXPECT_EQ(code([](auto& c) { c.send_frame(0xC1, "{}"); }), 1002) << "reserved bit, compressed";
    EXPECT_EQ(code([](auto& c) { c.send_frame(0x83, "{}"); }), 1002) << "reserved opcode";
    EXPECT_EQ(code([](auto& c) { c.send_frame(0x81, "\xff\xfe"); }), 1007) << "not UTF-8";
    EXPECT_EQ(code([](auto& c) { c.send_frame(0x89, std::string(126, 'a')); }), 1002)
        << "control frame over 125 bytes";
    EXPECT_EQ(code([](auto& c) { c.send_frame(0x80, "{}"); }), 1002) << "continuation of nothing";
    EXPECT_EQ(code([](auto& c) { c.send_frame(0x81, std::string((1 << 20) + 1, 'a')); }), 1009);
    EXPECT_EQ(code([](auto& c) {
                  c.socket().send(std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10));
                  c.socket().send(std::string(4, '\0'));
              }),
              1009)
        << "2^63 bytes announced";
    EXPECT_EQ(code([](auto& c) {
                  c.send_frame(0x01, "{");
                  for (int k = 0; k < 20; ++k) c.send_frame(0x00, " ");
              }),
              1008)
        << "more than 16 pieces";
    EXPECT_EQ(code([](auto& c) { c.acknowledge(5); }), 1008) << "a frame that was never sent";
    EXPECT_TRUE(eventually([&] { return server.counts().clients == 0; }));
    EXPECT_EQ(status_of(ask(server, request(server, "/page.js"))), 200);
}

TEST(ViewServer, closes_clients_that_send_more_commands_than_they_may) {
    ServerOptions options;
    options.commands_per_second = 1;  // however slow the machine: 200 take minutes at that rate
    ViewServer server(options);
    WebSocketClient client(server);
    for (int k = 0; k < 200; ++k) client.send_text("{}");
    EXPECT_EQ(client.receive_close(), 1008);
    EXPECT_LT(server.take_messages().size(), 200u) << "what came in time was taken";
}

TEST(ViewServer, takes_commands_in_their_order) {
    ViewServer server({});
    WebSocketClient client(server);
    for (int k = 0; k < 50; ++k) client.send_text(std::to_string(k));
    std::vector<std::string> got;
    ASSERT_TRUE(eventually([&] {
        for (const ClientMessage& message : server.take_messages())
            if (message.kind == ClientMessage::Kind::command) got.push_back(message.text);
        return got.size() == 50;
    }));
    for (int k = 0; k < 50; ++k) EXPECT_EQ(got[k], std::to_string(k));
}

TEST(ViewServer, has_room_for_so_many_clients) {
    ServerOptions options;
    options.max_clients = 4;
    ViewServer server(options);
    std::vector<std::unique_ptr<WebSocketClient>> clients;
    for (int k = 0; k < 4; ++k) {
        clients.push_back(std::make_unique<WebSocketClient>(server));
        EXPECT_EQ(clients.back()->status, 101);
    }
    EXPECT_EQ(WebSocketClient(server).status, 503);
    clients.clear();
    ASSERT_TRUE(eventually([&] { return server.counts().connections == 0; }));
    EXPECT_EQ(WebSocketClient(server).status, 101);
}

TEST(ViewServer, connections_without_a_request_give_way_to_new_ones) {
    ServerOptions options;
    options.max_clients = 8;
    options.header_time = std::chrono::hours(1);  // nothing here ends by itself
    ViewServer server(options);
    WebSocketClient looker(server);
    ASSERT_TRUE(eventually([&] { return server.counts().clients == 1; }));
    std::vector<std::unique_ptr<Socket>> idle;
    for (int k = 0; k < 30; ++k) idle.push_back(std::make_unique<Socket>(server.port()));
    idle[29]->send("GET /page.js HTTP/1.1\r\nHost: ");  // and one that has begun
    ASSERT_TRUE(eventually([&] { return server.counts().accepted == 31; }));
    for (int k = 0; k < 20; ++k)
        EXPECT_EQ(status_of(ask(server, request(server, "/page.js"))), 200) << k;
    EXPECT_GE(server.counts().gave_way, 30 - 8);
    EXPECT_EQ(server.counts().refused, 0);
    server.publish(Slot::notice, "still here");
    EXPECT_EQ(looker.receive()->payload, "still here") << "who has asked does not give way";
}

/// Every descriptor this program may still have, but for `left`.
class NoDescriptors {
  public:
    NoDescriptors() {
        getrlimit(RLIMIT_NOFILE, &before_);
        const int highest = ::dup(0);
        ::close(highest);
        rlimit few = before_;
        few.rlim_cur = static_cast<rlim_t>(highest) + 1;
        setrlimit(RLIMIT_NOFILE, &few);
        for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) taken_.push_back(fd);
    }
    ~NoDescriptors() {
        for (const int fd : taken_) ::close(fd);
        setrlimit(RLIMIT_NOFILE, &before_);
    }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;

  private:
    rlimit before_{};
    std::vector<int> taken_;
};

TEST(ViewServer, says_so_where_descriptors_run_out_and_goes_on_when_there_are_some) {
    ViewServer server({});
    WebSocketClient looker(server);
    ASSERT_TRUE(eventually([&] { return server.counts().clients == 1; }));
    constexpr int n = 3;
    std::vector<int> sockets;
    for (int k = 0; k < n; ++k) sockets.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    {
        const NoDescriptors none;
        std::vector<std::unique_ptr<Socket>> open;  // closing one would give a descriptor back
        for (const int fd : sockets) {
            open.push_back(std::make_unique<Socket>(fd, server.port()));
            ASSERT_TRUE(open.back()->connected());
            const std::string answer = open.back()->receive_all();
            EXPECT_EQ(status_of(answer), 503) << answer;
            EXPECT_NE(answer.find("ulimit -n"), std::string::npos) << answer;
        }
        // One each: nothing was tried again and again.
        EXPECT_EQ(server.counts().starved, n);
    }
    EXPECT_NE(looker.receive()->payload.find("no file descriptor left"), std::string::npos);
    EXPECT_EQ(status_of(ask(server, request(server, "/page.js"))), 200);
}

TEST(ViewServer, forgets_heads_that_never_end_and_connections_that_come_and_go) {
    ServerOptions options;
    options.header_time = std::chrono::milliseconds(200);
    ViewServer server(options);
    Socket slow(server.port());
    slow.send("GET /page.js HTTP/1.1\r\nHost: ");
    const double before = resident_mib();
    constexpr int many = 10'000;
    for (int k = 0; k < many; ++k) {
        const Socket hasty(server.port());
        ASSERT_TRUE(hasty.connected());
    }
    EXPECT_TRUE(eventually(
        [&] { return server.counts().accepted == many + 1 && server.counts().connections == 0; }));
#if defined(__SANITIZE_ADDRESS__)  // keeps what is freed, to see who uses it still
    EXPECT_GT(before, 0);
#else
    EXPECT_LE(resident_mib() - before, 64) << "of memory kept";
#endif
    EXPECT_EQ(slow.receive_all(), "") << "closed without an answer";
    EXPECT_EQ(status_of(ask(server, request(server, "/page.js"))), 200);
}

TEST(ViewServer, takes_meshes_within_the_limit_into_its_folder) {
    const TempFolder folder;
    ServerOptions options;
    options.upload_folder = folder.path("");
    options.max_upload = 1000;
    ViewServer server(options);
    const auto post = [&](const std::string& name, const std::string& body, std::size_t said) {
        return status_of(
            ask(server, request(server, "/upload?token=" + server.token() + "&name=" + name, "POST",
                                "Origin: http://" + test::host(server) +
                                    "\r\nContent-Length: " + std::to_string(said) + "\r\n") +
                            body));
    };
    EXPECT_EQ(post("../../bad/na%2fme.obj", "v 0 0 0\n", 8), 200);
    std::vector<ClientMessage> messages;
    ASSERT_TRUE(eventually([&] {
        messages = server.take_messages();
        return !messages.empty();
    }));
    EXPECT_EQ(messages[0].kind, ClientMessage::Kind::uploaded);
    const std::filesystem::path file = messages[0].text;
    EXPECT_TRUE(std::filesystem::equivalent(file.parent_path(), folder.path("")));
    EXPECT_EQ(file.filename(), "upload_1.obj");
    EXPECT_EQ(post("big.obj", std::string(1001, 'v'), 1001), 413);
    EXPECT_EQ(post("huge.obj", "", 1ull << 62), 413);
    EXPECT_EQ(post("empty.obj", "", 0), 400) << "answered, though no byte follows";
    EXPECT_FALSE(std::filesystem::exists(folder.path("upload_4.obj")));
    EXPECT_EQ(post("whole.obj", "v 0 0 0\n", 8), 200) << "and another is taken after it";
    ASSERT_TRUE(eventually([&] { return !server.take_messages().empty(); }));
    EXPECT_TRUE(server.take_messages().empty());
    EXPECT_EQ(status_of(ask(server, request(server, "/upload?token=" + server.token(), "GET",
                                            "Origin: http://" + test::host(server) + "\r\n"))),
              405);
    ViewServer without({});
    EXPECT_EQ(status_of(ask(without, request(without, "/upload?token=" + without.token(), "POST",
                                             "Origin: http://" + test::host(without) +
                                                 "\r\nContent-Length: 1\r\n") +
                                         "v")),
              403);
}

TEST(ViewServer, a_mesh_may_be_longer_than_any_other_request) {
    const TempFolder folder;
    ServerOptions options;
    options.upload_folder = folder.path("");
    ViewServer server(options);
    const std::string body(3 << 20, 'v');
    const auto post = [&](const std::string& target) {
        return status_of(
            ask(server, request(server, target, "POST",
                                "Origin: http://" + test::host(server) +
                                    "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n") +
                            body));
    };
    EXPECT_EQ(post("/upload?name=a.obj&token=" + server.token()), 200);
    EXPECT_EQ(std::filesystem::file_size(folder.path("upload_1.obj")), body.size());
    EXPECT_EQ(status_of(ask(server, request(server, "/page.js", "POST",
                                            "Origin: http://" + test::host(server) +
                                                "\r\nContent-Length: 3000000\r\n"))),
              413);
}

TEST(ViewServer, says_when_the_port_is_taken) {
    ViewServer first({});
    ServerOptions options;
    options.port = first.port();
    EXPECT_THROW(ViewServer second(options), SystemError);
    options.address = "not an address";
    EXPECT_THROW(ViewServer third(options), InputError);
}

}  // namespace
}  // namespace limber
