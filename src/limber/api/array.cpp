// SPDX-License-Identifier: Apache-2.0
#include "limber/api/array.h"

#include <cmath>
#include <cstring>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"

namespace limber::api {

namespace {

std::string shape_text(std::span<const std::int64_t> shape) {
    std::string out = "(";
    for (std::size_t k = 0; k < shape.size(); ++k)
        out += (k ? ", " : "") + std::to_string(shape[k]);
    return out + (shape.size() == 1 ? ",)" : ")");
}

std::string type_text(const ArrayView& array) {
    const std::string bits = std::to_string(8 * array.item_size) + " bits";
    const std::string order = array.swapped ? " in the other byte order" : "";
    switch (array.kind) {
        case 'f':
            return "floating point numbers of " + bits + order;
        case 'i':
            return "whole numbers of " + bits + order;
        case 'u':
            return "whole numbers without sign of " + bits + order;
        case 'b':
            return "true and false";
        case 'c':
            return "complex numbers";
        default:
            return "something else than numbers";
    }
}

void require_shape(const ArrayView& array, std::int64_t rows, int columns) {
    const std::size_t dimensions = columns == 0 ? 1 : 2;
    const bool fits = array.shape.size() == dimensions && (rows < 0 || array.shape[0] == rows) &&
                      (columns == 0 || array.shape[1] == columns);
    if (fits) return;
    std::string wanted = "(" + (rows < 0 ? "n" : std::to_string(rows));
    wanted += columns == 0 ? ",)" : ", " + std::to_string(columns) + ")";
    throw InputError(array.name + ": an array of shape " + shape_text(array.shape) +
                     "; allowed: " + wanted);
}

[[noreturn]] void refuse_type(const ArrayView& array, const std::string& allowed) {
    throw InputError(array.name + ": an array of " + type_text(array) + "; allowed: " + allowed);
}

template <class T>
T read(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

double number_at(const ArrayView& array, const char* at) {
    if (array.kind == 'f') return array.item_size == 4 ? read<float>(at) : read<double>(at);
    const bool has_sign = array.kind == 'i';
    // Not by ?:, whose two sides become one type: -1 would be 4294967295.
    if (array.item_size == 4 && has_sign) return read<std::int32_t>(at);
    if (array.item_size == 4) return read<std::uint32_t>(at);
    if (has_sign) return static_cast<double>(read<std::int64_t>(at));
    return static_cast<double>(read<std::uint64_t>(at));
}

/// The range of 64 bits with a sign is enough: numbers beyond are out of any range here.
std::int64_t whole_at(const ArrayView& array, const char* at) {
    const bool has_sign = array.kind == 'i';
    switch (array.item_size) {
        case 1:
            return has_sign ? read<std::int8_t>(at) : read<std::uint8_t>(at);
        case 2:
            return has_sign ? read<std::int16_t>(at) : read<std::uint16_t>(at);
        case 4:
            if (has_sign) return read<std::int32_t>(at);
            return read<std::uint32_t>(at);
        default:
            return read<std::int64_t>(at);  // huge ones without sign become negative
    }
}

std::string place(const ArrayView& array, std::int64_t row, std::int64_t column) {
    std::string out = array.name + '[' + std::to_string(row);
    if (array.shape.size() > 1) out += ", " + std::to_string(column);
    return out + ']';
}

/// Calls f(pointer, row, column) for each entry.
template <class F>
void for_each_entry(const ArrayView& array, F&& f) {
    const auto* data = static_cast<const char*>(array.data);
    const bool two = array.shape.size() > 1;
    const std::int64_t columns = two ? array.shape[1] : 1;
    const std::int64_t across = two ? array.strides[1] : 0;
    for (std::int64_t i = 0; i < array.shape[0]; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
            f(data + i * array.strides[0] + j * across, i, j);
}

ArrayView contiguous(std::string name, const void* data, std::size_t n, char kind, int item_size,
                     int columns) {
    ArrayView out;
    out.name = std::move(name);
    out.data = data;
    out.kind = kind;
    out.item_size = item_size;
    const auto size = static_cast<std::int64_t>(n);
    if (columns == 0) {
        out.shape = {size};
        out.strides = {item_size};
        return out;
    }
    if (size % columns != 0)
        throw InputError(out.name + ": " + std::to_string(size) + " numbers; allowed: rows of " +
                         std::to_string(columns));
    out.shape = {size / columns, columns};
    out.strides = {std::int64_t{item_size} * columns, item_size};
    return out;
}

}  // namespace

ArrayView ArrayView::of(std::string name, std::span<const double> values, int columns) {
    return contiguous(std::move(name), values.data(), values.size(), 'f', sizeof(double), columns);
}

ArrayView ArrayView::of(std::string name, std::span<const std::int32_t> values, int columns) {
    return contiguous(std::move(name), values.data(), values.size(), 'i', sizeof(std::int32_t),
                      columns);
}

std::vector<double> numbers_of(const ArrayView& array, std::int64_t rows, int columns) {
    const bool known = (array.kind == 'f' || array.kind == 'i' || array.kind == 'u') &&
                       (array.item_size == 4 || array.item_size == 8) && !array.swapped;
    if (!known) refuse_type(array, "numbers of 32 or 64 bits in the byte order of this machine");
    require_shape(array, rows, columns);
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(array.shape[0] * (columns == 0 ? 1 : columns)));
    for_each_entry(array, [&](const char* at, std::int64_t i, std::int64_t j) {
        const double value = number_at(array, at);
        if (!std::isfinite(value))
            throw InputError(place(array, i, j) + " = " + number_text(value) +
                             "; allowed: finite numbers");
        out.push_back(value);
    });
    return out;
}

std::vector<std::int32_t> indices_of(const ArrayView& array, std::int64_t rows, int columns,
                                     std::int64_t end) {
    const bool known = (array.kind == 'i' || array.kind == 'u') && !array.swapped;
    if (!known) refuse_type(array, "whole numbers in the byte order of this machine");
    require_shape(array, rows, columns);
    std::vector<std::int32_t> out;
    for_each_entry(array, [&](const char* at, std::int64_t i, std::int64_t j) {
        const std::int64_t value = whole_at(array, at);
        if (value < 0 || value >= end)
            throw InputError(place(array, i, j) + " = " + std::to_string(value) +
                             "; allowed: 0 to " + std::to_string(end - 1));
        out.push_back(static_cast<std::int32_t>(value));
    });
    return out;
}

}  // namespace limber::api
