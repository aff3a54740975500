// SPDX-License-Identifier: Apache-2.0
#include "limber/core/bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "limber/core/math.h"

namespace limber {
namespace {

ByteWriter sample() {
    ByteWriter out;
    out.put("step", std::int64_t{42});
    out.put_array("x", std::span<const Vec3d>(std::vector<Vec3d>{{1, 2, 3}, {-0.0, 5e-324, 6}}));
    out.put_string("solver", "corotational");
    out.put_array("nothing", std::span<const double>());
    return out;
}

/// Reads all of sample(); throws where the bytes are damaged.
void read_sample(std::span<const std::byte> bytes) {
    ByteReader in(bytes, "c.bin");
    in.get<std::int64_t>("step");
    std::vector<Vec3d> x(2);
    in.get_array("x", std::span(x));
    in.get_string("solver");
    in.get_vector<double>("nothing");
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Bytes, come_back_as_written) {
    const ByteWriter out = sample();
    ByteReader in(out.bytes(), "c.bin");
    EXPECT_EQ(in.get<std::int64_t>("step"), 42);
    std::vector<Vec3d> x(2);
    in.get_array("x", std::span(x));
    const Vec3d first{1, 2, 3};
    EXPECT_EQ(x[0], first);
    EXPECT_TRUE(std::signbit(x[1].x));
    EXPECT_EQ(x[1].y, 5e-324);
    EXPECT_EQ(in.get_string("solver"), "corotational");
    EXPECT_FALSE(in.at_end());
    EXPECT_TRUE(in.get_vector<double>("nothing").empty());
    EXPECT_TRUE(in.at_end());
}

TEST(Bytes, vectors_come_with_their_length) {
    ByteWriter out;
    out.put_array("a", std::span<const int>(std::vector<int>{3, 1, 4}));
    EXPECT_EQ(ByteReader(out.bytes(), "c.bin").get_vector<int>("a"), (std::vector<int>{3, 1, 4}));
}

TEST(Bytes, clear_starts_anew) {
    ByteWriter out = sample();
    out.clear();
    EXPECT_TRUE(out.bytes().empty());
}

TEST(Bytes, cut_off_anywhere_is_an_input_error) {
    const ByteWriter out = sample();
    const std::span<const std::byte> bytes(out.bytes());
    EXPECT_NO_THROW(read_sample(bytes));
    for (std::size_t n = 0; n < bytes.size(); ++n)
        EXPECT_THROW(read_sample(bytes.first(n)), InputError) << n << " bytes";
}

TEST(Bytes, foreign_names_are_refused_by_name) {
    const ByteWriter out = sample();
    const std::string text =
        message_of([&] { ByteReader(out.bytes(), "c.bin").get<std::int64_t>("time"); });
    EXPECT_NE(text.find("c.bin:byte "), std::string::npos) << text;
    EXPECT_NE(text.find("'time' expected, found 'step'"), std::string::npos) << text;
}

TEST(Bytes, another_item_size_or_length_is_refused) {
    const ByteWriter out = sample();
    EXPECT_NE(message_of([&] {
                  ByteReader(out.bytes(), "c").get<std::int32_t>("step");
              }).find("'step' has another item size"),
              std::string::npos);
    std::vector<std::int64_t> three(3);
    EXPECT_NE(message_of([&] {
                  ByteReader(out.bytes(), "c").get_array("step", std::span(three));
              }).find("has 1 entries; the scene needs 3"),
              std::string::npos);
}

TEST(Bytes, no_damaged_byte_crashes_or_allocates_without_bound) {
    // Flips every byte in turn: the reader either refuses or reads other values, and never asks
    // for more memory than the file has bytes.
    const ByteWriter out = sample();
    int refused = 0;
    for (std::size_t i = 0; i < out.bytes().size(); ++i) {
        std::vector<std::byte> damaged = out.bytes();
        damaged[i] ^= std::byte{0xff};
        try {
            read_sample(damaged);
        } catch (const InputError&) {
            ++refused;
        }
    }
    // Every byte of names, sizes and lengths matters; only the values themselves are free.
    const int values = 8 + 2 * 24 + 12;
    EXPECT_EQ(refused, static_cast<int>(out.bytes().size()) - values);
}

}  // namespace
}  // namespace limber
