// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/box_tree.h"

#include <numeric>

namespace limber {

namespace {
constexpr Index leaf_size = 4;
}

void BoxTree::build(std::span<const Vec3d> centres) {
    const Index n = static_cast<Index>(centres.size());
    nodes_.clear();
    items_.resize(n);
    std::iota(items_.begin(), items_.end(), Index{0});
    if (n > 0) split(centres, 0, n);
}

Index BoxTree::split(std::span<const Vec3d> centres, Index begin, Index end) {
    const Index node = static_cast<Index>(nodes_.size());
    nodes_.emplace_back();
    const auto first = items_.begin() + begin, last = items_.begin() + end;
    if (end - begin <= leaf_size) {
        std::sort(first, last);
        nodes_[node].first = begin;
        nodes_[node].count = end - begin;
        return node;
    }
    Box3 box = empty_box();
    for (auto it = first; it != last; ++it) include(box, centres[*it]);
    const Vec3d size = box.size();
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    const Index middle = begin + (end - begin) / 2;
    std::nth_element(first, items_.begin() + middle, last, [&](Index s, Index t) {
        return std::pair(centres[s][axis], s) < std::pair(centres[t][axis], t);
    });
    split(centres, begin, middle);
    const Index right = split(centres, middle, end);
    nodes_[node].first = right;
    return node;
}

std::vector<std::pair<Index, Index>> BoxTree::ranges() const {
    std::vector<std::pair<Index, Index>> out(nodes_.size());
    for (std::size_t i = nodes_.size(); i-- > 0;) {  // children come after their parents
        const Node& node = nodes_[i];
        out[i] = node.count > 0 ? std::pair(node.first, node.first + node.count)
                                : std::pair(out[i + 1].first, out[node.first].second);
    }
    return out;
}

}  // namespace limber
