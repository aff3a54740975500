// SPDX-License-Identifier: Apache-2.0
#pragma once

// Flat little-endian records for checkpoints. Every array is named, so that a damaged or foreign
// file is refused with the name of the array and not with a crash.

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "limber/core/errors.h"

namespace limber {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

class ByteWriter {
  public:
    template <class T>
    void put(std::string_view name, const T& value) {
        put_array(name, std::span<const T>(&value, 1));
    }
    template <class T>
    void put_array(std::string_view name, std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        put_raw_string(name);
        put_size(sizeof(T));
        put_size(values.size());
        append(values.data(), values.size_bytes());
    }
    void put_string(std::string_view name, std::string_view text) {
        put_array(name, std::span<const char>(text.data(), text.size()));
    }
    /// Records that another writer made.
    void put_records(std::span<const std::byte> records) { append(records.data(), records.size()); }
    const std::vector<std::byte>& bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }

  private:
    void put_size(std::uint64_t n) { append(&n, sizeof n); }
    void put_raw_string(std::string_view text) {
        put_size(text.size());
        append(text.data(), text.size());
    }
    void append(const void* data, std::size_t n) {
        const auto* first = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), first, first + n);
    }
    std::vector<std::byte> bytes_;
};

/// Reads what ByteWriter wrote, in the same order. Every mismatch is an InputError that names the
/// array.
class ByteReader {
  public:
    ByteReader(std::span<const std::byte> bytes, std::string file)
        : bytes_(bytes), file_(std::move(file)) {}

    template <class T>
    T get(std::string_view name) {
        T value{};
        get_array(name, std::span<T>(&value, 1));
        return value;
    }
    /// The stored length must equal the length of `out`.
    template <class T>
    void get_array(std::string_view name, std::span<T> out) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::uint64_t n = begin_array(name, sizeof(T));
        if (n != out.size())
            fail(name, "has " + std::to_string(n) + " entries; the scene needs " +
                           std::to_string(out.size()));
        take(name, out.data(), out.size_bytes());
    }
    template <class T>
    std::vector<T> get_vector(std::string_view name) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::uint64_t n = begin_array(name, sizeof(T));
        std::vector<T> out(
            static_cast<std::size_t>(n));  // begin_array bounded n by the bytes that are left
        take(name, out.data(), n * sizeof(T));
        return out;
    }
    std::string get_string(std::string_view name) {
        const std::vector<char> text = get_vector<char>(name);
        return {text.begin(), text.end()};
    }
    bool at_end() const { return position_ == bytes_.size(); }
    [[noreturn]] void fail(std::string_view name, const std::string& what) const {
        throw InputError({file_, 0, 0, static_cast<std::int64_t>(position_)},
                         "checkpoint array '" + std::string(name) + "' " + what);
    }

  private:
    std::uint64_t take_size(std::string_view name) {
        std::uint64_t n = 0;
        take(name, &n, sizeof n);
        return n;
    }
    std::uint64_t begin_array(std::string_view name, std::uint64_t item_size) {
        const std::uint64_t length = take_size(name);
        if (length > bytes_.size() - position_) fail(name, "is cut off");
        std::string stored(static_cast<std::size_t>(length), '\0');
        take(name, stored.data(), length);
        if (stored != name) fail(name, "expected, found '" + printable(stored) + "'");
        if (take_size(name) != item_size) fail(name, "has another item size");
        const std::uint64_t n = take_size(name);
        if (n > (bytes_.size() - position_) / item_size)
            fail(name, "claims " + std::to_string(n) + " entries; the file cannot hold them");
        return n;
    }
    void take(std::string_view name, void* out, std::uint64_t n) {
        if (n > bytes_.size() - position_) fail(name, "is cut off");
        if (n) std::memcpy(out, bytes_.data() + position_, n);
        position_ += n;
    }
    std::span<const std::byte> bytes_;
    std::string file_;
    std::size_t position_ = 0;
};

}  // namespace limber
