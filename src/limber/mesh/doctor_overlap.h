// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tets that lie in one another, and faces that lie on one another without being the same face.

#include <array>
#include <vector>

#include "limber/mesh/doctor_faces.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// A tree of boxes over items numbered from 0, in flat arrays.
class BoxTree {
  public:
    explicit BoxTree(std::vector<Box3> boxes);

    /// Calls use(item) for every item whose box meets `box`.
    template <class Use>
    void meet(const Box3& box, Use&& use) const {
        if (!nodes_.empty()) visit(0, box, use);
    }

  private:
    struct Node {
        Box3 box;
        Index first = 0;  // leaf: first item in leaf order; else the right child (left: next)
        Index count = 0;  // leaf: number of items; else 0
    };
    static bool meets(const Box3& a, const Box3& b) {
        return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y &&
               a.lo.z <= b.hi.z && b.lo.z <= a.hi.z;
    }
    template <class Use>
    void visit(Index i, const Box3& box, Use& use) const {
        const Node& node = nodes_[i];
        if (!meets(node.box, box)) return;
        if (node.count == 0) {
            visit(i + 1, box, use);
            visit(node.first, box, use);
            return;
        }
        for (Index k = node.first; k < node.first + node.count; ++k)
            if (meets(boxes_[order_[k]], box)) use(order_[k]);
    }
    void build(Index begin, Index end);

    std::vector<Box3> boxes_;
    std::vector<Index> order_;  // leaf order -> item
    std::vector<Node> nodes_;
};

/// Pairs of tets, ascending.
struct Overlaps {
    std::vector<std::array<Index, 2>> pairs;
    bool sampled = false;  // not everything at the surface was looked at
    bool capped = false;   // there are more pairs: a body laid over itself has millions
};

/// The number of tets over a point changes only at boundary faces while no tet is folded over its
/// face neighbour. Where two tets lie over each other, one with a boundary face therefore does so
/// too: it is enough to compare those with all others. Of more than `max_looked_at` tets with a
/// boundary face (thin sheets) every k-th is taken.
Overlaps find_overlaps(const TetMesh& mesh, const FaceTable& faces, Index max_looked_at = 100'000);

/// Whether two tets have volume in common, deeper than a thousandth of the thinner one's height.
/// Separating axes: the 8 face normals and the 36 products of their edges.
bool tets_overlap(const TetMesh& mesh, Index a, Index b);

/// Boundary faces of two tets that lie on each other, from opposite sides, without having the same
/// three corners (hanging nodes, other diagonals): the solid has a seam there that is not glued.
Overlaps find_mismatched_faces(const TetMesh& mesh, const FaceTable& faces,
                               Index max_looked_at = 200'000);

}  // namespace limber
