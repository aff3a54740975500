// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "limber/core/export.h"

namespace limber::api {

/// Numbers in somebody's memory, as NumPy describes them: looked at during a call and copied.
struct LIMBER_API ArrayView {
    std::string name;  // in messages: "nodes"
    const void* data = nullptr;
    char kind = 'f';       // f: floating point, i and u: whole, b: bool; others are refused
    int item_size = 8;     // bytes
    bool swapped = false;  // in the other byte order
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;  // bytes, of any sign

    /// Rows of `columns` numbers each.
    static ArrayView of(std::string name, std::span<const double> values, int columns);
    static ArrayView of(std::string name, std::span<const std::int32_t> values, int columns);
};

/// The numbers row by row. InputError by name where it is no array of `rows` x `columns` numbers
/// (rows = -1: any number; columns = 0: one dimension) or one of them is not finite.
LIMBER_API std::vector<double> numbers_of(const ArrayView& array, std::int64_t rows, int columns);
/// The same for whole numbers from 0 to below `end`.
LIMBER_API std::vector<std::int32_t> indices_of(const ArrayView& array, std::int64_t rows,
                                                int columns, std::int64_t end);

}  // namespace limber::api
