// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "limber/core/math.h"

namespace limber {

/// |a - b| over all points.
inline double distance(std::span<const Vec3d> a, std::span<const Vec3d> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += squared_norm(a[i] - b[i]);
    return std::sqrt(sum);
}

}  // namespace limber
