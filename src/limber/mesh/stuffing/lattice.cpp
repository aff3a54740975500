// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/stuffing/lattice.h"

#include <cmath>

#include "limber/core/check.h"

namespace limber {

int direction_between(const LatticePoint& a, const LatticePoint& b) {
    for (int d = 0; d < n_directions; ++d) {
        const LatticePoint& step = lattice_directions[d];
        if (b[0] - a[0] == step[0] && b[1] - a[1] == step[1] && b[2] - a[2] == step[2]) return d;
    }
    return -1;
}

BccLattice::BccLattice(const Box3& box, double cell, Index multiple, const Vec3d& shift)
    : cell_(cell) {
    LIMBER_CHECK(cell > 0 && multiple >= 1 && is_finite(box.size()),
                 "a lattice needs a finite box");
    for (int a = 0; a < 3; ++a) {
        // An extent that is a whole number of cells up to rounding must not gain one more.
        const double cells = std::ceil(box.size()[a] / cell - 1e-9) + 2 + (shift[a] != 0);
        LIMBER_CHECK(std::fabs(shift[a]) <= 0.5, "a lattice is shifted by half a cell at most");
        LIMBER_CHECK(cells < 1e9, "too many cells along an axis");
        const Index n = std::max<Index>(static_cast<Index>(cells), 3);
        n_[a] = (n + multiple - 1) / multiple * multiple;
        origin_[a] = 0.5 * (box.lo[a] + box.hi[a]) + cell * (shift[a] - 0.5 * n_[a]);
    }
    row_ = LatticeId{n_[0]} + 1;
    plane_ = row_ * (LatticeId{n_[1]} + 1);
    const LatticePoint corner{2, 2, 2}, centre{3, 3, 3};
    for (int d = 0; d < n_directions; ++d) {
        const LatticePoint& s = lattice_directions[d];
        for (int odd = 0; odd < 2; ++odd) {
            const LatticePoint& p = odd ? centre : corner;
            offset_[odd][d] = id({p[0] + s[0], p[1] + s[1], p[2] + s[2]}) - id(p);
        }
    }
}

}  // namespace limber
