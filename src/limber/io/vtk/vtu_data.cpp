// SPDX-License-Identifier: Apache-2.0
#include "limber/io/vtk/vtu_data.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace limber {

namespace {

struct TypeRow {
    std::string_view name;
    std::size_t size;
};
constexpr std::array<TypeRow, 10> type_rows{{{"Int8", 1},
                                             {"UInt8", 1},
                                             {"Int16", 2},
                                             {"UInt16", 2},
                                             {"Int32", 4},
                                             {"UInt32", 4},
                                             {"Int64", 8},
                                             {"UInt64", 8},
                                             {"Float32", 4},
                                             {"Float64", 8}}};

constexpr std::array<signed char, 256> base64_digits() {
    std::array<signed char, 256> value{};
    for (signed char& v : value) v = -1;
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < digits.size(); ++i)
        value[static_cast<unsigned char>(digits[i])] = static_cast<signed char>(i);
    return value;
}
constexpr std::array<signed char, 256> base64_value = base64_digits();

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::uint64_t take_length(ByteSource& source, const VtkEncoding& encoding) {
    unsigned char bytes[8]{};
    const std::size_t n = encoding.header64 ? 8 : 4;
    if (!source.take(bytes, n)) throw ArrayFault{"its length is cut off"};
    if (encoding.big_endian) std::reverse(bytes, bytes + n);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, n);
    return value;
}

std::vector<unsigned char> take_plain(ByteSource& source, std::uint64_t wanted,
                                      const VtkEncoding& encoding) {
    const std::uint64_t stored = take_length(source, encoding);
    if (stored != wanted)
        throw ArrayFault{fmt::format("it has {} bytes; expected {}", stored, wanted)};
    if (wanted > source.bytes_left())
        throw ArrayFault{
            fmt::format("it claims {} bytes: count exceeds what the file can hold", wanted)};
    std::vector<unsigned char> bytes(wanted);
    if (!source.take(bytes.data(), bytes.size())) throw ArrayFault{"it is cut off"};
    return bytes;
}

/// Block count, block size, size of a shorter last block or 0, compressed sizes; then the blocks.
std::vector<unsigned char> take_zlib(ByteSource& source, std::uint64_t wanted,
                                     const VtkEncoding& encoding) {
    constexpr std::uint64_t best_ratio = 1032;  // zlib cannot compress better
    if (wanted / best_ratio > source.bytes_left())
        throw ArrayFault{
            fmt::format("it claims {} bytes: count exceeds what the file can hold", wanted)};
    const std::uint64_t n_blocks = take_length(source, encoding);
    const std::uint64_t block_size = take_length(source, encoding);
    const std::uint64_t last_size = take_length(source, encoding);
    if (n_blocks > source.bytes_left())
        throw ArrayFault{
            fmt::format("it claims {} blocks: count exceeds what the file can hold", n_blocks)};
    std::vector<std::uint64_t> packed_size(n_blocks);
    for (std::uint64_t& size : packed_size) size = take_length(source, encoding);

    std::vector<unsigned char> bytes(wanted), packed;
    std::uint64_t done = 0;
    for (std::uint64_t i = 0; i < n_blocks; ++i) {
        const bool shorter = i + 1 == n_blocks && last_size != 0;
        const std::uint64_t size = shorter ? last_size : block_size;
        if (size > wanted - done || packed_size[i] > source.bytes_left())
            throw ArrayFault{fmt::format("block {} does not fit", i)};
        packed.resize(packed_size[i]);
        if (!source.take(packed.data(), packed.size())) throw ArrayFault{"it is cut off"};
        uLongf unpacked = size;
        if (::uncompress(bytes.data() + done, &unpacked, packed.data(), packed.size()) != Z_OK ||
            unpacked != size)
            throw ArrayFault{fmt::format("zlib block {} is damaged", i)};
        done += size;
    }
    if (done != wanted) throw ArrayFault{fmt::format("it has {} bytes; expected {}", done, wanted)};
    return bytes;
}

template <class Stored, class Value>
Value converted(const unsigned char* bytes, bool swap) {
    unsigned char copy[sizeof(Stored)];
    std::memcpy(copy, bytes, sizeof copy);
    if (swap) std::reverse(copy, copy + sizeof copy);
    Stored stored;
    std::memcpy(&stored, copy, sizeof stored);
    return static_cast<Value>(stored);
}

template <class Value>
Value value_at(const unsigned char* bytes, VtkType type, bool swap) {
    switch (type) {
        case VtkType::i8:
            return converted<std::int8_t, Value>(bytes, swap);
        case VtkType::u8:
            return converted<std::uint8_t, Value>(bytes, swap);
        case VtkType::i16:
            return converted<std::int16_t, Value>(bytes, swap);
        case VtkType::u16:
            return converted<std::uint16_t, Value>(bytes, swap);
        case VtkType::i32:
            return converted<std::int32_t, Value>(bytes, swap);
        case VtkType::u32:
            return converted<std::uint32_t, Value>(bytes, swap);
        case VtkType::i64:
            return converted<std::int64_t, Value>(bytes, swap);
        case VtkType::u64:
            return converted<std::uint64_t, Value>(bytes, swap);
        case VtkType::f32:
            return converted<float, Value>(bytes, swap);
        case VtkType::f64:
            break;
    }
    return converted<double, Value>(bytes, swap);
}

template <class Value>
std::vector<Value> take_values(ByteSource& source, VtkType type, std::size_t n,
                               const VtkEncoding& encoding) {
    const std::size_t size = size_of(type);
    if (n > std::numeric_limits<std::size_t>::max() / size)
        throw ArrayFault{"count exceeds what the file can hold"};
    const std::vector<unsigned char> bytes = encoding.zlib ? take_zlib(source, n * size, encoding)
                                                           : take_plain(source, n * size, encoding);
    std::vector<Value> values(n);
    for (std::size_t i = 0; i < n; ++i)
        values[i] = value_at<Value>(bytes.data() + i * size, type, encoding.big_endian);
    return values;
}

}  // namespace

std::optional<VtkType> vtk_type(std::string_view name) {
    for (std::size_t i = 0; i < type_rows.size(); ++i)
        if (type_rows[i].name == name) return static_cast<VtkType>(i);
    return std::nullopt;
}

std::size_t size_of(VtkType type) {
    return type_rows[static_cast<std::size_t>(type)].size;
}

double number_at(const char* bytes, VtkType type, bool swap) {
    return value_at<double>(reinterpret_cast<const unsigned char*>(bytes), type, swap);
}

std::int64_t whole_at(const char* bytes, VtkType type, bool swap) {
    return value_at<std::int64_t>(reinterpret_cast<const unsigned char*>(bytes), type, swap);
}

bool RawSource::take(void* out, std::size_t n) {
    if (n > bytes_.size()) return false;
    if (n) std::memcpy(out, bytes_.data(), n);
    bytes_.remove_prefix(n);
    return true;
}

bool Base64Source::refill() {
    std::uint32_t bits = 0;
    int digits = 0, padding = 0;
    while (digits + padding < 4) {
        while (!text_.empty() && is_blank(text_.front())) text_.remove_prefix(1);
        if (text_.empty()) return false;
        const auto c = static_cast<unsigned char>(text_.front());
        if (c == '=' && digits >= 2) {
            ++padding;
        } else {
            if (base64_value[c] < 0 || padding) return false;
            bits |= static_cast<std::uint32_t>(base64_value[c]) << (18 - 6 * digits);
            ++digits;
        }
        text_.remove_prefix(1);
    }
    for (int i = 0; i < 3; ++i) group_[i] = static_cast<unsigned char>(bits >> (16 - 8 * i));
    used_ = 0;
    filled_ = 3 - padding;
    return true;
}

bool Base64Source::take(void* out, std::size_t n) {
    auto* to = static_cast<unsigned char*>(out);
    while (n) {
        if (used_ == filled_ && !refill()) return false;
        *to++ = group_[used_++];
        --n;
    }
    return true;
}

std::vector<double> take_numbers(ByteSource& source, VtkType type, std::size_t n,
                                 const VtkEncoding& encoding) {
    return take_values<double>(source, type, n, encoding);
}

std::vector<std::int64_t> take_wholes(ByteSource& source, VtkType type, std::size_t n,
                                      const VtkEncoding& encoding) {
    if (type == VtkType::f32 || type == VtkType::f64)
        throw ArrayFault{"it has floating-point values; expected whole numbers"};
    return take_values<std::int64_t>(source, type, n, encoding);
}

}  // namespace limber
