// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/vertex_block/data.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "limber/solve/model.h"
#include "limber/solve/model_potentials.h"

namespace limber::gpu {

namespace vertex_block_detail {

/// Entries of all kinds, until their slots are known.
struct EntryLists {
    std::vector<Index> place;                                 // of all entries, kind after kind
    std::vector<std::pair<NodeEntries*, std::size_t>> kinds;  // and the number of their first entry

    void begin(NodeEntries& kind) { kinds.push_back({&kind, place.size()}); }
};

}  // namespace vertex_block_detail

namespace {

using vertex_block_detail::EntryLists;

/// Nodes of a colour with many entries first: 32 side by side then have about as many.
template <class Real>
void place_nodes(const Colouring& colours, const std::vector<Index>& n_entries,
                 const std::vector<unsigned char>& pinned, VertexBlockData<Real>& out) {
    out.place.assign(pinned.size(), -1);
    out.colour_begin.push_back(0);
    std::vector<Index> nodes;
    for (Index c = 0; c < colours.n_colours(); ++c) {
        nodes.clear();
        for (const Index i : colours.of(c))
            if (pinned[i] != 7) nodes.push_back(i);
        if (nodes.empty()) continue;
        std::stable_sort(nodes.begin(), nodes.end(),
                         [&](Index a, Index b) { return n_entries[a] > n_entries[b]; });
        for (const Index i : nodes) {
            out.place[i] = out.n_places();
            out.node.push_back(i);
        }
        while (out.node.size() % slot_lanes != 0) out.node.push_back(-1);
        out.colour_begin.push_back(out.n_places());
    }
    out.n_colours = static_cast<Index>(out.colour_begin.size()) - 1;
}

/// Calls f(tet of the group, corner) for every corner.
template <class F>
void each_corner(Index n, int n_corners, F&& f) {
    for (Index t = 0; t < n; ++t)
        for (int c = 0; c < n_corners; ++c) f(t, c);
}

/// The order of a kind's entries by slot, and what follows from it.
template <class Real>
std::vector<Index> order_entries(const SlotLayout& layout, const std::vector<Index>& place_of,
                                 std::size_t from, std::size_t n, VertexBlockData<Real>& all,
                                 NodeEntries& out) {
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        return layout.slot[from + static_cast<std::size_t>(a)] <
               layout.slot[from + static_cast<std::size_t>(b)];
    });
    out.first = static_cast<Index>(from);
    for (const Index e : order) {
        const Index slot = layout.slot[from + static_cast<std::size_t>(e)];
        all.slot_entry[slot] = out.first + out.n();
        out.slot.push_back(slot);
        out.place.push_back(place_of[from + static_cast<std::size_t>(e)]);
    }
    for (const Index place : all.colour_begin) {
        const Index slot = layout.begin[place / slot_lanes];
        out.begin.push_back(static_cast<Index>(
            std::lower_bound(out.slot.begin(), out.slot.end(), slot) - out.slot.begin()));
    }
    return order;
}

/// Entries' tets with their own node first: the rows of Dm⁻¹ are then the gradients of the other
/// corners' shape functions.
template <class Real>
void fill_tets(const TetGroupData<Real>& group, const std::vector<Index>& corners,
               NodeTetData<Real>& out) {
    const Index n = out.n(), n_tets = group.n();
    const Index n_data = n_tets > 0 ? static_cast<Index>(group.data.size()) / n_tets : 0;
    out.corner = corners;
    out.node.resize(static_cast<std::size_t>(4 * n));
    out.Dm_inv.resize(static_cast<std::size_t>(9 * n));
    out.volume.resize(static_cast<std::size_t>(n));
    out.data.resize(static_cast<std::size_t>(n_data * n));
    for (Index e = 0; e < n; ++e) {
        const Index t = corners[e] / 4;
        const int own = corners[e] % 4;
        std::array<Vec3<Real>, 4> g;  // gradients of shape functions
        for (int c = 0; c < 3; ++c) {
            for (int axis = 0; axis < 3; ++axis)
                g[c + 1][axis] = group.Dm_inv[(c + 3 * axis) * n_tets + t];
            g[0] -= g[c + 1];
        }
        out.node[e] = group.node[own * n_tets + t];
        for (int c = 0, k = 0; c < 4; ++c) {
            if (c == own) continue;
            for (int axis = 0; axis < 3; ++axis) out.Dm_inv[(k + 3 * axis) * n + e] = g[c][axis];
            out.node[++k * n + e] = group.node[c * n_tets + t];
        }
        out.volume[e] = group.volume[t];
        for (Index i = 0; i < n_data; ++i) out.data[i * n + e] = group.data[i * n_tets + t];
    }
}

}  // namespace

template <class Real>
VertexBlockData<Real> make_vertex_block_data(const Model& model, const DescentData<Real>& descent) {
    VertexBlockData<Real> out;
    const std::size_t n_nodes = static_cast<std::size_t>(descent.n_nodes);
    std::vector<std::array<Index, 2>> pairs;
    for (const auto& part : make_potentials<double>(model)) part->add_pairs(pairs);
    const BlockCsr pattern = matrix_of_pairs(descent.n_nodes, std::move(pairs));
    out.row_begin.assign(pattern.row_begin().begin(), pattern.row_begin().end());
    out.column.assign(pattern.column().begin(), pattern.column().end());
    const Colouring colours = colour_nodes(out.row_begin, out.column);

    std::vector<Index> n_entries(n_nodes);
    for (const auto& group : descent.groups)
        for (const Index i : group.node) ++n_entries[i];
    place_nodes(colours, n_entries, descent.pinned, out);

    EntryLists lists;
    out.tets.resize(descent.groups.size());
    std::vector<std::vector<Index>> corners;  // of each kind
    const auto add = [&](NodeEntries& kind, Index n, int n_corners, const auto& node_of) {
        lists.begin(kind);
        auto& own = corners.emplace_back();
        each_corner(n, n_corners, [&](Index t, int c) {
            const Index place = out.place[node_of(t, c)];
            if (place < 0) return;
            own.push_back(n_corners * t + c);
            lists.place.push_back(place);
        });
    };
    for (std::size_t g = 0; g < descent.groups.size(); ++g) {
        const auto& group = descent.groups[g];
        out.tets[g].group = static_cast<Index>(g);
        add(out.tets[g], group.n(), 4,
            [&](Index t, int c) { return group.node[c * group.n() + t]; });
    }
    const auto add_elements = [&]<class Element>(const ElementData<Element>& from,
                                                 NodeElementData& to) {
        add(to, from.n(), Element::n_nodes,
            [&](Index e, int c) { return from.elements[e].nodes[c]; });
    };
    add_elements(descent.springs, out.springs);
    add_elements(descent.membranes, out.membranes);
    add_elements(descent.flat_hinges, out.flat_hinges);
    add_elements(descent.dampers, out.dampers);

    const SlotLayout layout = make_slots(out.n_places(), lists.place);
    out.slot_begin = layout.begin;
    out.slot_entry.assign(static_cast<std::size_t>(layout.n_slots()), -1);
    std::vector<std::vector<Index>> sorted(corners.size());
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const auto [kind, from] = lists.kinds[k];
        const std::vector<Index> order =
            order_entries(layout, lists.place, from, corners[k].size(), out, *kind);
        for (const Index e : order) sorted[k].push_back(corners[k][e]);
    }
    for (std::size_t g = 0; g < out.tets.size(); ++g)
        fill_tets(descent.groups[g], sorted[g], out.tets[g]);
    NodeElementData* elements[] = {&out.springs, &out.membranes, &out.flat_hinges, &out.dampers};
    for (std::size_t k = 0; k < 4; ++k) elements[k]->corner = sorted[out.tets.size() + k];
    return out;
}

template VertexBlockData<float> make_vertex_block_data(const Model&, const DescentData<float>&);
template VertexBlockData<double> make_vertex_block_data(const Model&, const DescentData<double>&);

TiedLevels::TiedLevels(Index n_nodes, const std::vector<Index>& row_begin,
                       const std::vector<Index>& column)
    : row_begin_(row_begin), column_(column), level_(static_cast<std::size_t>(n_nodes), -1) {}

const TiedNodes& TiedLevels::find(std::span<const ContactTerm> terms) {
    ascending_.clear();
    for (const ContactTerm& term : terms)
        for (int k = 0; term.at.n > 1 && k < term.at.n; ++k) {
            const Index i = term.at.node[k];
            if (level_[i] >= 0) continue;
            level_[i] = 0;
            ascending_.push_back(i);
        }
    tied_.node.clear();
    tied_.begin.assign(1, 0);
    if (ascending_.empty()) return tied_;
    std::sort(ascending_.begin(), ascending_.end());
    // Terms of each tied node: level_ is its rank among them for a moment.
    for (std::size_t s = 0; s < ascending_.size(); ++s)
        level_[ascending_[s]] = static_cast<Index>(s);
    touch_begin_.assign(ascending_.size() + 2, 0);
    const auto each_touch = [&](const auto& f) {
        for (std::size_t t = 0; t < terms.size(); ++t)
            for (int k = 0; terms[t].at.n > 1 && k < terms[t].at.n; ++k)
                f(level_[terms[t].at.node[k]], static_cast<Index>(t));
    };
    each_touch([&](Index s, Index) { ++touch_begin_[s + 2]; });
    for (std::size_t s = 2; s < touch_begin_.size(); ++s) touch_begin_[s] += touch_begin_[s - 1];
    touch_.resize(static_cast<std::size_t>(touch_begin_.back()));
    each_touch([&](Index s, Index t) { touch_[touch_begin_[s + 1]++] = t; });

    for (const Index i : ascending_) level_[i] = -1;
    Index n_levels = 0;
    for (std::size_t s = 0; s < ascending_.size(); ++s) {
        const Index i = ascending_[s];
        Index own = 0;  // nodes that come later still have -1
        for (Index k = row_begin_[i]; k < row_begin_[i + 1]; ++k)
            own = std::max(own, level_[column_[k]] + 1);
        for (Index k = touch_begin_[s]; k < touch_begin_[s + 1]; ++k)
            for (int c = 0; c < terms[touch_[k]].at.n; ++c)
                own = std::max(own, level_[terms[touch_[k]].at.node[c]] + 1);
        level_[i] = own;
        n_levels = std::max(n_levels, own + 1);
    }
    tied_.begin.assign(static_cast<std::size_t>(n_levels) + 1, 0);
    for (const Index i : ascending_) ++tied_.begin[level_[i] + 1];
    for (Index l = 0; l < n_levels; ++l) tied_.begin[l + 1] += tied_.begin[l];
    std::vector<Index> next(tied_.begin.begin(), tied_.begin.end() - 1);
    tied_.node.resize(ascending_.size());
    for (const Index i : ascending_) tied_.node[next[level_[i]]++] = i;
    for (const Index i : ascending_) level_[i] = -1;
    return tied_;
}

}  // namespace limber::gpu
