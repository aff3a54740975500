// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model as vertex block descent on the device takes it: nodes by colour, and elements as each of
// their nodes sees them.

#include <algorithm>
#include <span>
#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/gpu/descent/data.h"
#include "limber/mesh/colouring.h"

namespace limber::gpu {

/// Elements of one kind as their nodes see them: an entry for each corner whose node moves, by
/// colour of the node.
struct NodeEntries {
    std::vector<Index> slot;   // what an entry finds for its node lies there, ascending
    std::vector<Index> place;  // of its node
    std::vector<Index> begin;  // of each colour its first entry, and the end
    Index first = 0;           // number of its first entry among all kinds
    Index n() const { return static_cast<Index>(slot.size()); }
};

/// Tets of one material, as planes (gpu/element_bodies.h) with the node as corner 0.
template <class Real>
struct NodeTetData : NodeEntries {
    Index group = 0;            // of DescentData
    std::vector<Index> node;    // 4 planes
    std::vector<Index> corner;  // 4 * tet of the group + corner of it that the node is
    std::vector<Real> Dm_inv;   // 9 planes [1/m]
    std::vector<Real> volume;   // [m³]
    std::vector<Real> data;     // planes of the law's numbers; empty: none
};

/// Elements of cloth, or dampers of edges; `corner` is element * n_nodes + corner.
struct NodeElementData : NodeEntries {
    std::vector<Index> corner;
};

template <class Real>
struct VertexBlockData {
    Index n_colours = 0;
    // Places of nodes that move, by colour, each colour beginning at a multiple of slot_lanes.
    std::vector<Index> colour_begin;  // of each colour its first place, and the end
    std::vector<Index> node;          // of a place; -1: none
    std::vector<Index> place;         // of a node; -1: it does not move
    std::vector<Index> slot_begin;    // SlotLayout::begin over places
    std::vector<Index> slot_entry;    // number of the entry of a slot; -1: none
    std::vector<NodeTetData<Real>> tets;
    NodeElementData springs, membranes, flat_hinges, dampers;
    // Which nodes elements tie together, for nodes that contact ties to others: on the host.
    std::vector<Index> row_begin, column;

    Index n_places() const { return static_cast<Index>(node.size()); }
    Index first_slot(Index colour) const { return slot_begin[colour_begin[colour] / slot_lanes]; }
    /// Of the colour that has most.
    Index most_slots() const {
        Index out = 0;
        for (Index c = 0; c < n_colours; ++c)
            out = std::max(out, first_slot(c + 1) - first_slot(c));
        return out;
    }
};

/// `descent`: the same model's.
template <class Real>
VertexBlockData<Real> make_vertex_block_data(const Model& model, const DescentData<Real>& descent);

/// Nodes that a contact ties to others: they move one by one in ascending order, or what gives the
/// same bits: all of a level at once, where a node comes one level after the last neighbour, by an
/// element or a contact, that comes before it in that order.
struct TiedNodes {
    std::vector<Index> node;      // by level, ascending in a level
    std::vector<Index> begin{0};  // of each level, and the end
    Index n_levels() const { return static_cast<Index>(begin.size()) - 1; }
};
class TiedLevels {
  public:
    TiedLevels(Index n_nodes, const std::vector<Index>& row_begin,
               const std::vector<Index>& column);
    const TiedNodes& find(std::span<const ContactTerm> terms);

  private:
    const std::vector<Index>&row_begin_, &column_;
    std::vector<Index> level_;  // of a node; -1: it is not tied
    std::vector<Index> ascending_, touch_begin_, touch_;
    TiedNodes tied_;
};

}  // namespace limber::gpu
