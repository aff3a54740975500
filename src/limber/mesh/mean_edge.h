// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/mesh/tet_mesh.h"

namespace limber {

/// The mean edge of triangles, those of each counted: of one surface, or of several together.
class MeanEdge {
  public:
    void add(std::span<const Triangle> triangles, std::span<const Vec3d> x) {
        for (const Triangle& t : triangles)
            for (int k = 0; k < 3; ++k) sum_ += norm(x[t[k]] - x[t[(k + 1) % 3]]);
        n_ += 3 * static_cast<double>(triangles.size());
    }
    bool empty() const { return n_ == 0; }
    double value() const { return n_ > 0 ? sum_ / n_ : 0; }  // [m]

  private:
    double sum_ = 0, n_ = 0;
};

}  // namespace limber
