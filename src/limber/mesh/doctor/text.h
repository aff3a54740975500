// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lists of ids in the doctor's sentences: the first ten and how many there are.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "limber/core/types.h"

namespace limber {

constexpr std::size_t max_listed = 10;

using Pairs = std::span<const std::array<Index, 2>>;

/// The file's ids of the first ten.
std::vector<FileId> first_ids(std::span<const Index> found, const std::vector<FileId>& ids);
/// The same for pairs, one after another.
std::vector<FileId> pair_ids(Pairs pairs, const std::vector<FileId>& ids);

/// "3, 7, 12" or "3, 7, ..., (214 in all)".
std::string listed(std::span<const Index> found, const std::vector<FileId>& ids);
/// "3 with 7, 12 with 40"; the sentence has said how many.
std::string listed_pairs(Pairs pairs, const std::vector<FileId>& ids, const char* between);
/// "; 3 such: element 4, 8, 9" behind a sentence about the first, nothing where it is the only one.
std::string and_others(std::span<const Index> found, const std::vector<FileId>& ids);

/// "1 tetrahedron is", "3 tetrahedra are".
std::string tetrahedra(std::size_t n, const char* one, const char* many);
/// "1 pair", "3 pairs".
std::string plural(std::size_t n, const char* thing);

}  // namespace limber
