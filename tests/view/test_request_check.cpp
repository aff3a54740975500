// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "limber/view/server/request_check.h"

namespace limber {
namespace {

const std::string token = "0123456789abcdef0123456789abcdef";

RequestHead page() {
    RequestHead head;
    head.method = "GET";
    head.target = "/?token=" + token;
    head.hosts = {"127.0.0.1:8000"};
    head.lines = 5;
    return head;
}
RequestHead socket() {
    RequestHead head = page();
    head.target = "/ws?token=" + token;
    head.origins = {"http://127.0.0.1:8000"};
    head.upgrade = true;
    return head;
}
int status(const RequestHead& head) {
    const auto refusal = refuse_request(head, allowed_hosts(8000, "127.0.0.1"), token, {});
    return refusal ? refusal->status : 0;
}

TEST(RequestCheck, takes_the_page_and_its_socket) {
    EXPECT_EQ(status(page()), 0);
    EXPECT_EQ(status(socket()), 0);
    for (const char* name : {"localhost:8000", "[::1]:8000"}) {
        RequestHead head = socket();
        head.hosts = {name};
        head.origins = {std::string("http://") + name};
        EXPECT_EQ(status(head), 0) << name;
    }
}

TEST(RequestCheck, refuses_hosts_that_are_not_ours) {
    for (const char* name :
         {"", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8001", "example.com:8000", "localhost",
          "localhost.example.com:8000", "127.0.0.1.example.com:8000", "localhost:8000.example.com",
          "127.0.0.1:8000@example.com", "LOCALHOST:8000x", "0.0.0.0:8000", "rebound.test:8000"}) {
        RequestHead head = page();
        head.hosts = {name};
        EXPECT_EQ(status(head), 403) << name;
    }
    RequestHead head = page();
    head.hosts = {};
    EXPECT_EQ(status(head), 403);
    head.hosts = {"127.0.0.1:8000", "127.0.0.1:8000"};
    EXPECT_EQ(status(head), 403);
}

TEST(RequestCheck, refuses_origins_that_are_not_ours) {
    for (const char* name :
         {"", "null", "http://example.com", "https://127.0.0.1:8000", "http://127.0.0.1",
          "http://127.0.0.1:8001", "http://127.0.0.1:8000.example.com", "file://",
          "http://localhost.example.com:8000", "http://example.com:8000", "127.0.0.1:8000"}) {
        RequestHead head = socket();
        head.origins = {name};
        EXPECT_EQ(status(head), 403) << name;
        head.upgrade = false;
        EXPECT_EQ(status(head), 403) << name;
    }
    RequestHead head = socket();
    head.origins = {};
    EXPECT_EQ(status(head), 403) << "an upgrade must say where it comes from";
    head = page();
    head.method = "POST";
    head.target = "/upload?token=" + token;
    EXPECT_EQ(status(head), 403) << "so must whatever changes something";
}

TEST(RequestCheck, refuses_wrong_tokens) {
    for (const char* path : {"/", "/ws", "/upload"})
        for (const std::string& wrong :
             {std::string(), std::string("?token="), "?token=" + token + "0",
              "?token=" + token.substr(1), "?token=1" + token.substr(1), "?tokem=" + token,
              "?x" + token}) {
            RequestHead head = socket();
            head.target = path + wrong;
            EXPECT_EQ(status(head), 403) << head.target;
        }
    RequestHead head = page();
    head.target = "/page.js";
    EXPECT_EQ(status(head), 0) << "scripts hold no secret";
}

TEST(RequestCheck, keeps_the_limits) {
    RequestHead head = page();
    head.target += std::string(8 << 10, 'a');
    EXPECT_EQ(status(head), 414);
    head = page();
    head.lines = 65;
    EXPECT_EQ(status(head), 431);
    head.lines = 64;
    EXPECT_EQ(status(head), 0);
}

TEST(RequestCheck, finds_values_of_a_query) {
    EXPECT_EQ(query_value("/ws?a=1&token=xy&b=2", "token"), "xy");
    EXPECT_EQ(query_value("/ws?token=x=y", "token"), "x=y");
    EXPECT_EQ(query_value("/ws?token", "token"), "");
    EXPECT_EQ(query_value("/ws", "token"), "");
    EXPECT_EQ(path_of("/ws?token=a?b"), "/ws");
}

TEST(RequestCheck, tokens_are_long_and_never_the_same) {
    std::set<std::string> seen;
    for (int k = 0; k < 100; ++k) seen.insert(random_token());
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(seen.begin()->size(), 48u);  // 192 bits
    EXPECT_TRUE(same_secret("abc", "abc"));
    EXPECT_FALSE(same_secret("abc", "abd"));
    EXPECT_FALSE(same_secret("abc", "abcd"));
    EXPECT_FALSE(same_secret("", "a"));
}

}  // namespace
}  // namespace limber
