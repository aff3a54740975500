// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/core/parallel.h"
#include "limber/fem/node_potential.h"
#include "limber/mesh/colouring.h"
#include "limber/solve/objective.h"

namespace limber {

/// The objective of a step over the position of one node, all others held. Values leave out what
/// does not depend on the node: they are for comparison with each other.
class NodeObjective {
  public:
    using Positions = std::span<const Vec3d>;

    /// Borrows the objective.
    explicit NodeObjective(const Objective<double>& objective);
    /// After objective.begin(): a new step.
    void begin();
    void hold(Positions x);
    NodeDerivatives at(Index node, Positions x) const;
    double value(Index node, const Vec3d& at, Positions x) const;

    /// Calls f(node) for every node with a free axis, neighbours never at the same time: colour by
    /// colour, then one by one those that a contact ties to others. The same bits for any number of
    /// threads as long as f changes nothing but its node.
    template <class F>
    void sweep(F&& f) const {
        for (Index c = 0; c < colours_.n_colours(); ++c) {
            const std::span<const Index> nodes = colours_.of(c);
            // A node costs microseconds, and a colour has few.
            parallel_for(static_cast<Index>(nodes.size()), 32, [&](Index k) {
                if (!tied_[nodes[k]] && moves_[nodes[k]]) f(nodes[k]);
            });
        }
        for (Index node : tied_nodes_)
            if (moves_[node]) f(node);
    }
    const Colouring& colours() const { return colours_; }

  private:
    struct Touch {
        Index term, corner;
    };
    std::span<const Touch> touches_of(Index node) const {
        return {touch_.data() + touch_begin_[node], touch_.data() + touch_begin_[node + 1]};
    }
    Vec3d contact_velocity(const ContactTerm& term, Positions x) const;

    const Objective<double>& objective_;
    std::vector<std::unique_ptr<NodePotential>> potentials_;
    Colouring colours_;
    std::vector<char> moves_;                      // some axis is free
    std::vector<char> tied_;                       // by a contact to another node
    std::vector<Index> tied_nodes_, touch_begin_;  // ascending; per node
    std::vector<Touch> touch_;
};

}  // namespace limber
