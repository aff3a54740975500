// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "limber/core/errors.h"

namespace limber {

static_assert(std::endian::native == std::endian::little, "swap means big-endian data");

/// One value that starts at `bytes`, in the order of this machine or the other.
template <class T>
T value_at(const char* bytes, bool swap) {
    char copy[sizeof(T)];
    std::memcpy(copy, bytes, sizeof copy);
    if (swap) std::reverse(copy, copy + sizeof copy);
    T value;
    std::memcpy(&value, copy, sizeof value);
    return value;
}

/// Takes binary values one after another and reports faults with their byte offset.
class BinaryScanner {
  public:
    BinaryScanner(std::string_view bytes, std::string file, std::size_t position = 0)
        : bytes_(bytes), file_(std::move(file)), position_(std::min(position, bytes.size())) {}

    bool swap = false;  // the data is big-endian

    template <class T>
    T take() {
        return value_at<T>(take_bytes(sizeof(T)), swap);
    }
    const char* take_bytes(std::size_t n) {
        item_ = position_;
        if (n > bytes_left()) fail_cut();
        position_ += n;
        return bytes_.data() + item_;
    }
    /// A count that was just taken, of things of at least `bytes_each`.
    template <class T>
    std::size_t count(T n, std::string_view what, std::size_t bytes_each) const {
        if (n < 0)
            fail("number of " + std::string(what) + " '" + std::to_string(n) +
                 "'; expected a whole number >= 1");
        if (static_cast<std::uint64_t>(n) > bytes_left() / bytes_each)
            fail("number of " + std::string(what) + " " + std::to_string(n) +
                 ": count exceeds what the file can hold (" + std::to_string(bytes_left()) +
                 " bytes left)");
        return static_cast<std::size_t>(n);
    }

    std::size_t position() const { return position_; }
    std::size_t bytes_left() const { return bytes_.size() - position_; }
    void seek(std::size_t position) { position_ = item_ = std::min(position, bytes_.size()); }
    /// Offset of the value taken last.
    std::int64_t where() const { return static_cast<std::int64_t>(item_); }
    const std::string& file() const { return file_; }

    /// What a cut file ends inside of.
    void set_context(std::string context) { context_ = std::move(context); }
    void set_entry(std::size_t entry) { entry_ = entry; }

    [[noreturn]] void fail(const std::string& message) const {
        throw InputError({file_, 0, 0, where()}, message);
    }
    [[noreturn]] void fail_cut() const {
        fail("file ends inside " + context_ + " after entry " + std::to_string(entry_));
    }

  private:
    std::string_view bytes_;
    std::string file_;
    std::size_t position_ = 0, item_ = 0;
    std::string context_ = "what it announces";
    std::size_t entry_ = 0;
};

}  // namespace limber
