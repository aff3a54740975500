// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which supernodes of a stale factor are brought up to date: Hecht et al. 2012, section 4.4.

#include <span>
#include <vector>

#include "limber/linalg/supernodal/structure.h"

namespace limber {

/// The supernodes to factorise again: closed under ancestors.
class UpdateMarks {
  public:
    explicit UpdateMarks(const SupernodalStructure& tree)
        : tree_(tree), marked_(tree.n_supernodes()) {}

    void clear();
    /// Marks s and its ancestors; returns the cost of those that were not marked.
    double mark(Index s, std::span<const double> cost);
    /// Target quality: every supernode whose badness exceeds the threshold.
    void mark_above(double threshold, std::span<const double> badness,
                    std::span<const double> cost);
    /// Target time: the worst first, each with its unmarked ancestors, as long as the budget, of
    /// which marked ones have had their share, can pay for it.
    void mark_within(double budget, std::span<const double> badness, std::span<const double> cost);

    bool any() const { return n_marked_ > 0; }
    Index n_marked() const { return n_marked_; }
    double cost() const { return cost_; }  // of all marked ones, in the unit of the costs given
    std::span<const char> marked() const { return marked_; }
    /// The worst badness of a supernode that is not marked.
    double worst_left(std::span<const double> badness) const;

  private:
    double path_cost(Index s, std::span<const double> cost) const;

    const SupernodalStructure& tree_;
    std::vector<char> marked_;
    std::vector<Index> order_;  // scratch: by badness
    Index n_marked_ = 0;
    double cost_ = 0;
};

}  // namespace limber
