// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "limber/core/types.h"

namespace limber {

/// Pairs that do not feel each other: two bodies, a body with itself, a body and an obstacle.
class ContactFilter {
  public:
    void ignore_bodies(Index a, Index b) { bodies_.push_back({std::min(a, b), std::max(a, b)}); }
    void ignore_obstacle(Index body, Index obstacle) { obstacles_.push_back({body, obstacle}); }

    bool any_obstacle() const { return !obstacles_.empty(); }
    bool bodies(Index a, Index b) const { return holds(bodies_, {std::min(a, b), std::max(a, b)}); }
    bool obstacle(Index body, Index obstacle) const { return holds(obstacles_, {body, obstacle}); }

  private:
    using Pairs = std::vector<std::array<Index, 2>>;
    static bool holds(const Pairs& pairs, const std::array<Index, 2>& pair) {
        return std::find(pairs.begin(), pairs.end(), pair) != pairs.end();
    }
    Pairs bodies_, obstacles_;  // few
};

}  // namespace limber
