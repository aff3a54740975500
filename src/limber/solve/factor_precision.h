// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace limber {

/// Of a factor that preconditions; matrices and answers are double.
enum class FactorPrecision { double_precision, single_precision };
constexpr std::array<std::string_view, 2> enum_names(FactorPrecision) {
    return {"double", "float"};
}

}  // namespace limber
