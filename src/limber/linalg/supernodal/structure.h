// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "limber/linalg/block_csr.h"

namespace limber {

struct SupernodalOptions {
    // A child joins its parent's supernode while the two have at most relax_nodes[0] nodes, at most
    // relax_nodes[1] or [2] and less than relax_zeros[0] or [1] of the block are zeros, or less
    // than relax_zeros[2] at any size.
    std::array<Index, 3> relax_nodes{4, 12, 32};
    std::array<double, 3> relax_zeros{0.5, 0.1, 0.05};
    int n_separators = 4;  // separators METIS tries at each level; 4 saves 6 % flops against 1
    // Update blocks are kept, so that update() may begin anywhere. The lean mode keeps fewer until
    // L and they fit into memory_limit [bytes]: it drops those inside subtrees, smallest subtrees
    // first, and a change in such a subtree factorises all of it again. 0 drops all it can.
    bool lean = false;
    double memory_limit = 0;
    double largest_dropped = 1;  // no subtree above this share of the flops is dropped
    // Nodes that are eliminated after all others of their body, whatever that costs (Petra et al.
    // 2014): their columns of L are the factor of what is left when all others are eliminated.
    std::vector<Index> last{};
};

/// Nodes in the order of nested dissection on the node graph, those of `last` after the others:
/// order[k] is eliminated k-th. The same for the same pattern on every machine.
std::vector<Index> nested_dissection(const BlockCsr& pattern, int n_separators,
                                     std::span<const Index> last = {});

/// A 3x3 block of the matrix and where its transpose enters the front of its supernode, in nodes:
/// the blocks of one column of a front are those of one row of A, which lie side by side.
struct FrontEntry {
    Index block;     // in BlockCsr::blocks()
    Index row, col;  // place in the front: columns first, then the rows below them
};

/// What elimination does to a pattern. All in nodes: a node is three rows and three columns.
/// Supernodes are numbered in postorder: children before parents, a subtree is a range that ends
/// with its root.
struct SupernodalStructure {
    std::vector<Index> order;             // node eliminated k-th
    std::vector<Index> position;          // per node: when it is eliminated
    std::vector<Index> supernode_of;      // per node
    std::vector<Index> first;             // per supernode: position of its first node; and the end
    std::vector<Index> parent;            // per supernode, -1: root
    std::vector<Index> first_descendant;  // per supernode: where its subtree begins
    std::vector<Index> child_begin, child;  // children in ascending order
    std::vector<Index> row_begin, row;      // positions of the rows below the columns, ascending
    std::vector<Index> relative;            // per row: its place in the front of the parent
    std::vector<Index> entry_begin;         // per supernode, and the end
    std::vector<FrontEntry> entry;
    std::vector<double> flops;  // per supernode, one multiply-add counts two
    double nnz = 0;             // scalars in L, without padding
    double total_flops = 0;

    Index n_nodes() const { return static_cast<Index>(order.size()); }
    Index n_supernodes() const { return static_cast<Index>(parent.size()); }
    Index n_cols(Index s) const { return first[s + 1] - first[s]; }
    Index n_rows(Index s) const { return row_begin[s + 1] - row_begin[s]; }
    std::span<const Index> children(Index s) const {
        return std::span(child).subspan(child_begin[s], child_begin[s + 1] - child_begin[s]);
    }
    std::span<const Index> rows(Index s) const {
        return std::span(row).subspan(row_begin[s], n_rows(s));
    }
};

/// Elimination tree, supernodes with relaxed amalgamation, rows, and where each block of the matrix
/// enters. The result depends on the pattern and the options alone.
SupernodalStructure analyze_pattern(const BlockCsr& pattern, const SupernodalOptions& options);

}  // namespace limber
