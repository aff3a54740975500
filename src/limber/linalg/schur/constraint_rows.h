// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/core/math.h"

namespace limber {

/// H of Zeng et al. 2022, (9) and (10): what constraints see of the nodes, u_r = Σ
/// gradient·v[node], and how an impulse p_r on row r acts on them, f[node] += gradient p_r. Sparse,
/// row by row; keeps its memory when it is filled again.
class ConstraintRows {
  public:
    struct Entry {
        Index node = 0;
        Vec3d gradient;
    };

    void clear() {
        begin_.assign(1, 0);
        entries_.clear();
    }
    /// Adds to the row that end_row() will close. A node may come more than once.
    void add(Index node, const Vec3d& gradient) { entries_.push_back({node, gradient}); }
    void end_row() { begin_.push_back(static_cast<Index>(entries_.size())); }

    Index n_rows() const { return static_cast<Index>(begin_.size()) - 1; }
    std::span<const Entry> row(Index r) const {
        return {entries_.data() + begin_[r], entries_.data() + begin_[r + 1]};
    }
    std::span<const Entry> entries() const { return entries_; }

    /// H v of one row.
    double apply(Index r, std::span<const Vec3d> v) const {
        double u = 0;
        for (const Entry& e : row(r)) u += dot(e.gradient, v[e.node]);
        return u;
    }
    /// f += Hᵀ p.
    void add_transposed(std::span<const double> p, std::span<Vec3d> f) const {
        for (Index r = 0; r < n_rows(); ++r)
            for (const Entry& e : row(r)) f[e.node] += p[r] * e.gradient;
    }

  private:
    std::vector<Index> begin_{0};
    std::vector<Entry> entries_;
};

}  // namespace limber
