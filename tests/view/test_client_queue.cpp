// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "limber/view/server/client_queue.h"
#include "limber/view/server/mailbox.h"

namespace limber {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point start{};

Payload text(const std::string& bytes) {
    return std::make_shared<const std::string>(bytes);
}
Payload frame(std::uint32_t number) {
    std::string bytes(64, '\0');
    std::memcpy(bytes.data() + 8, &number, sizeof number);
    return text(bytes);
}
std::string number(std::uint32_t n) {
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &n, sizeof n);
    return bytes;
}

TEST(ClientQueue, sends_the_most_important_first_and_of_each_slot_the_newest) {
    ClientQueue queue({}, start);
    queue.offer(Slot::frame, frame(1));
    queue.offer(Slot::status, text("old"));
    queue.offer(Slot::status, text("new"));
    queue.offer(Slot::scene, text("scene"));
    EXPECT_EQ(*queue.next()->payload, "scene");
    EXPECT_EQ(*queue.next()->payload, "new");
    EXPECT_EQ(queue.next()->slot, Slot::frame);
    EXPECT_FALSE(queue.next());
}

TEST(ClientQueue, keeps_at_most_two_frames_in_flight) {
    ClientQueue queue({}, start);
    for (std::uint32_t k = 1; k <= 2; ++k) {
        EXPECT_TRUE(queue.ready_for_frame());
        queue.offer(Slot::frame, frame(k));
        EXPECT_FALSE(queue.ready_for_frame()) << "one is owed";
        EXPECT_TRUE(queue.next());
    }
    queue.offer(Slot::frame, frame(3));
    EXPECT_FALSE(queue.next());
    queue.offer(Slot::notice, text("words pass"));
    EXPECT_EQ(queue.next()->slot, Slot::notice);
    EXPECT_EQ(queue.acknowledge(number(1)), nullptr);
    EXPECT_EQ(queue.next()->slot, Slot::frame);
}

TEST(ClientQueue, takes_acknowledgements_only_in_order) {
    for (const std::string& wrong :
         {number(2), number(0), std::string("ab"), std::string(5, 'a')}) {
        ClientQueue queue({}, start);
        EXPECT_NE(queue.acknowledge(number(1)), nullptr) << "nothing was sent";
        queue.offer(Slot::frame, frame(1));
        queue.next();
        queue.offer(Slot::frame, frame(2));
        queue.next();
        EXPECT_NE(queue.acknowledge(wrong), nullptr);
    }
}

TEST(ClientQueue, refills_what_a_client_may_send_with_time) {
    ServerOptions options;
    options.commands_per_second = 10;
    ClientQueue queue(options, start);
    for (int k = 0; k < 10; ++k) EXPECT_EQ(queue.take_command(start), nullptr);
    EXPECT_NE(queue.take_command(start), nullptr);
    const auto later = start + std::chrono::milliseconds(500);
    for (int k = 0; k < 5; ++k) EXPECT_EQ(queue.take_command(later), nullptr);
    EXPECT_NE(queue.take_command(later), nullptr);
    EXPECT_EQ(queue.take_command(later + std::chrono::hours(1)), nullptr);
}

TEST(ClientQueue, counts_the_pieces_of_one_message) {
    ServerOptions options;
    options.max_pieces = 3;
    ClientQueue queue(options, start);
    for (int message = 0; message < 4; ++message) {
        EXPECT_EQ(queue.take_piece(), nullptr);
        EXPECT_EQ(queue.take_piece(), nullptr);
        EXPECT_EQ(queue.take_command(start), nullptr);
    }
    queue.take_piece();
    queue.take_piece();
    EXPECT_NE(queue.take_piece(), nullptr);
}

TEST(ClientQueue, sends_nothing_once_closed) {
    ClientQueue queue({}, start);
    queue.offer(Slot::scene, text("scene"));
    queue.close();
    EXPECT_FALSE(queue.next());
    queue.offer(Slot::scene, text("scene"));
    EXPECT_FALSE(queue.next());
    EXPECT_FALSE(queue.ready_for_frame());
}

TEST(Mailbox, asks_to_be_collected_once_and_holds_the_newest) {
    Mailbox box;
    EXPECT_TRUE(box.publish(Slot::frame, "1"));
    EXPECT_FALSE(box.publish(Slot::frame, "2"));
    EXPECT_FALSE(box.publish(Slot::stats, "s"));
    const Payloads fresh = box.collect();
    EXPECT_EQ(*fresh[static_cast<int>(Slot::frame)], "2");
    EXPECT_EQ(*fresh[static_cast<int>(Slot::stats)], "s");
    EXPECT_FALSE(box.collect()[static_cast<int>(Slot::frame)]);
    EXPECT_TRUE(box.publish(Slot::frame, "3"));
}

TEST(Mailbox, takes_no_more_than_its_queue_holds) {
    Mailbox box;
    EXPECT_TRUE(box.post({ClientMessage::Kind::command, "a"}, 2));
    EXPECT_TRUE(box.post({ClientMessage::Kind::command, "b"}, 2));
    EXPECT_FALSE(box.post({ClientMessage::Kind::command, "c"}, 2));
    EXPECT_EQ(box.take_messages().size(), 2u);
    EXPECT_TRUE(box.post({ClientMessage::Kind::command, "d"}, 2));
    box.wait(Clock::now() + std::chrono::hours(1));  // returns: one is there
    EXPECT_EQ(box.take_messages().at(0).text, "d");
}

}  // namespace
}  // namespace limber
