// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tree of boxes over things that have a place and an extent, in flat arrays. Its shape is made
// once; the boxes are fitted again whenever the things have moved.

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "limber/mesh/tet_mesh.h"

namespace limber {

inline bool overlap(const Box3& a, const Box3& b) {
    for (int k = 0; k < 3; ++k)
        if (!(a.lo[k] <= b.hi[k] && b.lo[k] <= a.hi[k])) return false;
    return true;
}
inline Box3 empty_box() {
    constexpr double inf = std::numeric_limits<double>::infinity();
    return {{inf, inf, inf}, {-inf, -inf, -inf}};
}
inline void include(Box3& box, const Vec3d& p) {
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = std::min(box.lo[k], p[k]);
        box.hi[k] = std::max(box.hi[k], p[k]);
    }
}
inline void include(Box3& box, const Box3& other) {
    include(box, other.lo);
    include(box, other.hi);
}
inline Box3 inflated(Box3 box, double by) {
    const Vec3d d{by, by, by};
    return {box.lo - d, box.hi + d};
}
inline double squared_distance(const Vec3d& p, const Box3& box) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const double d = std::max({box.lo[k] - p[k], 0.0, p[k] - box.hi[k]});
        sum += d * d;
    }
    return sum;
}

class BoxTree {
  public:
    /// The shape of the tree: median splits along the longest extent of the centres, ties by index,
    /// so that it does not depend on the library's sort. The boxes are empty until refit().
    void build(std::span<const Vec3d> centres);

    /// box_of(item) is the box of a thing. Children come after their parents, so one backward sweep
    /// fits them all.
    template <class BoxOf>
    void refit(BoxOf&& box_of) {
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            Node& node = nodes_[i];
            if (node.count == 0) {
                node.box = nodes_[i + 1].box;
                include(node.box, nodes_[node.first].box);
                continue;
            }
            node.box = empty_box();
            for (Index k = node.first; k < node.first + node.count; ++k)
                include(node.box, box_of(items_[k]));
        }
    }

    /// Things in leaf order: items()[k] is the k-th.
    std::span<const Index> items() const { return items_; }
    /// For each node of the tree the things below it, as a range of items().
    std::vector<std::pair<Index, Index>> ranges() const;

    /// Calls f(k) for the k-th thing in leaf order where enter(node, its box) holds for the leaf
    /// and all nodes above it.
    template <class Enter, class F>
    void walk(Enter&& enter, F&& f) const {
        if (nodes_.empty()) return;
        std::array<Index, max_depth> stack;
        int top = 0;
        stack[top++] = 0;
        while (top > 0) {
            const Index i = stack[--top];
            const Node& node = nodes_[i];
            if (!enter(i, node.box)) continue;
            if (node.count == 0) {
                stack[top++] = node.first;
                stack[top++] = i + 1;
                continue;
            }
            for (Index k = node.first; k < node.first + node.count; ++k) f(k);
        }
    }

    /// Calls f(item) for the things in all leaves that overlap `box`, in tree order.
    template <class F>
    void overlapping(const Box3& box, F&& f) const {
        walk([&](Index, const Box3& own) { return overlap(own, box); },
             [&](Index k) { f(items_[k]); });
    }

    /// Calls f(k) for things, in leaf order, whose leaf is nearer to p than sqrt(squared), nearest
    /// boxes first; f lowers `squared` as it finds better ones.
    template <class F>
    void nearest(const Vec3d& p, double& squared, F&& f) const {
        if (nodes_.empty()) return;
        std::array<std::pair<Index, double>, max_depth> stack;
        int top = 0;
        stack[top++] = {0, squared_distance(p, nodes_[0].box)};
        while (top > 0) {
            const auto [i, distance] = stack[--top];
            if (!(distance < squared)) continue;
            const Node& node = nodes_[i];
            if (node.count > 0) {
                for (Index k = node.first; k < node.first + node.count; ++k) f(k);
                continue;
            }
            std::pair<Index, double> near{i + 1, squared_distance(p, nodes_[i + 1].box)};
            std::pair<Index, double> far{node.first, squared_distance(p, nodes_[node.first].box)};
            if (far.second < near.second) std::swap(near, far);
            if (far.second < squared) stack[top++] = far;
            if (near.second < squared) stack[top++] = near;
        }
    }

    Box3 box() const { return nodes_.empty() ? empty_box() : nodes_[0].box; }

  private:
    static constexpr int max_depth = 64;  // median splits halve the count: 2^31 items are 31 deep
    struct Node {
        Box3 box = empty_box();
        Index first = 0;  // leaf: first of items_; else the right child (the left one is next)
        Index count = 0;  // leaf: number of things; else 0
    };
    Index split(std::span<const Vec3d> centres, Index begin, Index end);

    std::vector<Node> nodes_;
    std::vector<Index> items_;  // in leaf order
};

}  // namespace limber
