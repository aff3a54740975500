// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <random>
#include <span>

#include "limber/core/math.h"

namespace limber {

/// States that no sensible run would reach, of a cube of size 1 about the origin.
enum class Ruin { flattened, scrambled, mirrored, point };
inline constexpr std::array all_ruins = {Ruin::flattened, Ruin::scrambled, Ruin::mirrored,
                                         Ruin::point};

/// Moves every node there, and by 1 % of the size at random.
inline void ruin(Ruin kind, unsigned seed, std::span<Vec3d> x) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Vec3d& p : x) {
        const Vec3d r{uniform(random), uniform(random), uniform(random)};
        if (kind == Ruin::flattened) p.y = 0;
        if (kind == Ruin::scrambled) p = 0.5 * r;
        if (kind == Ruin::mirrored) p.x = -p.x;
        if (kind == Ruin::point) p = {};
        p += 0.01 * r;
    }
}

}  // namespace limber
