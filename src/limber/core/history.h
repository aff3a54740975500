// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a method remembers from step to step is listed once: its `list_history(list, self)` names
// every member, and the same list writes a checkpoint and reads it back. A member that is written
// and not read, or read and not written, cannot be expressed.

#include <cmath>
#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/core/bytes.h"

namespace limber {

namespace history_detail {

/// An array of vectors, matrices or packets as the doubles it is made of.
template <std::ranges::contiguous_range Range>
auto doubles_in(Range&& values) {
    using Item = std::remove_reference_t<std::ranges::range_reference_t<Range>>;
    using Double = std::conditional_t<std::is_const_v<Item>, const double, double>;
    static_assert(sizeof(Item) % sizeof(double) == 0 && alignof(Item) >= alignof(double));
    static_assert(!std::integral<Item>);
    return std::span<Double>(reinterpret_cast<Double*>(std::ranges::data(values)),
                             std::ranges::size(values) * (sizeof(Item) / sizeof(double)));
}

}  // namespace history_detail

/// Writes what is listed.
class HistoryWriter {
  public:
    explicit HistoryWriter(ByteWriter& out) : out_(out) {}
    void number(std::string_view name, double value) { out_.put(name, value); }
    template <std::integral I>
    void whole(std::string_view name, I value, std::int64_t, std::int64_t) {
        out_.put(name, static_cast<std::int64_t>(value));
    }
    /// Made of doubles, as many as the scene has.
    template <class Range>
    void numbers(std::string_view name, Range&& values) {
        out_.put_array(name, std::span<const double>(history_detail::doubles_in(values)));
    }
    /// 0 or 1 each, as many as the scene has.
    void flags(std::string_view name, const std::vector<char>& values) {
        out_.put_array(name, std::span<const char>(values));
    }
    /// As many as there are.
    template <std::integral I>
    void wholes(std::string_view name, const std::vector<I>& values, std::int64_t, std::int64_t) {
        out_.put_array(name, std::span<const I>(values));
    }

  private:
    ByteWriter& out_;
};

/// Reads what is listed, in place. Every number is checked: doubles are finite, whole numbers lie
/// between `least` and `most`. An InputError leaves some members read and others not: who calls it
/// puts the old ones back (World::load).
class HistoryReader {
  public:
    explicit HistoryReader(ByteReader& in) : in_(in) {}
    void number(std::string_view name, double& value) {
        value = in_.get<double>(name);
        if (!std::isfinite(value)) in_.fail(name, "is not finite");
    }
    template <std::integral I>
    void whole(std::string_view name, I& value, std::int64_t least, std::int64_t most) {
        const auto stored = in_.get<std::int64_t>(name);
        if (stored < least || stored > most) refuse(name, stored, least, most, "");
        value = static_cast<I>(stored);
    }
    template <class Range>
    void numbers(std::string_view name, Range&& values) {
        const std::span<double> doubles = history_detail::doubles_in(values);
        in_.get_array(name, doubles);
        for (std::size_t i = 0; i < doubles.size(); ++i)
            if (!std::isfinite(doubles[i]))
                in_.fail(name, "has a value that is not finite at index " +
                                   std::to_string(i * std::ranges::size(values) / doubles.size()));
    }
    void flags(std::string_view name, std::vector<char>& values) {
        in_.get_array(name, std::span<char>(values));
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] != 0 && values[i] != 1) refuse(name, values[i], 0, 1, place(i));
    }
    template <std::integral I>
    void wholes(std::string_view name, std::vector<I>& values, std::int64_t least,
                std::int64_t most) {
        values = in_.get_vector<I>(name);
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] < least || values[i] > most)
                refuse(name, values[i], least, most, place(i));
    }

  private:
    static std::string place(std::size_t i) { return " at index " + std::to_string(i); }
    [[noreturn]] void refuse(std::string_view name, std::int64_t found, std::int64_t least,
                             std::int64_t most, const std::string& where) const {
        in_.fail(name, "has " + std::to_string(found) + where +
                           "; allowed: " + std::to_string(least) + " to " + std::to_string(most));
    }
    ByteReader& in_;
};

}  // namespace limber
