// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "limber/core/check.h"
#include "limber/linalg/supernodal/structure.h"

namespace limber {

namespace {

/// Calls f(position) for the neighbours of the node eliminated k-th.
template <class F>
void for_neighbours(const BlockCsr& A, const SupernodalStructure& t, Index k, F&& f) {
    const Index node = t.order[k];
    for (Index j = A.row_begin()[node]; j < A.row_begin()[node + 1]; ++j)
        if (A.column()[j] != node) f(t.position[A.column()[j]]);
}

void set_order(std::vector<Index> order, SupernodalStructure& t) {
    t.position.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) t.position[order[k]] = static_cast<Index>(k);
    t.order = std::move(order);
}

/// Elimination tree of the nodes (Liu 1990, section 4), by position; roots have parent -1. Links to
/// ancestors are shortened as they are walked.
std::vector<Index> elimination_tree(const BlockCsr& A, const SupernodalStructure& t) {
    const Index n = t.n_nodes();
    std::vector<Index> parent(n, -1), ancestor(n, -1);
    for (Index k = 0; k < n; ++k)
        for_neighbours(A, t, k, [&](Index i) {
            while (i != -1 && i < k) {
                const Index next = ancestor[i];
                ancestor[i] = k;
                if (next == -1) parent[i] = k;
                i = next;
            }
        });
    return parent;
}

/// A postorder of the forest: children in ascending order, each before its parent.
std::vector<Index> postorder(std::span<const Index> parent) {
    const auto n = static_cast<Index>(parent.size());
    std::vector<Index> head(n + 1, -1), next(n, -1), stack, order;
    for (Index i = n - 1; i >= 0; --i) {
        Index& list = head[parent[i] == -1 ? n : parent[i]];
        next[i] = list;
        list = i;
    }
    order.reserve(n);
    for (Index root = head[n]; root != -1; root = next[root]) {
        stack.push_back(root);
        while (!stack.empty()) {
            const Index i = stack.back();
            if (head[i] != -1) {
                stack.push_back(head[i]);
                head[i] = next[head[i]];
            } else {
                order.push_back(i);
                stack.pop_back();
            }
        }
    }
    return order;
}

/// Nodes in each column of L, the diagonal included: row k reaches the columns on the paths from
/// its neighbours up to k.
std::vector<Index> column_counts(const BlockCsr& A, const SupernodalStructure& t,
                                 std::span<const Index> parent) {
    const Index n = t.n_nodes();
    std::vector<Index> count(n, 1), mark(n, -1);
    for (Index k = 0; k < n; ++k) {
        mark[k] = k;
        for_neighbours(A, t, k, [&](Index i) {
            if (i > k) return;
            for (; mark[i] != k; i = parent[i]) {
                ++count[i];
                mark[i] = k;
            }
        });
    }
    return count;
}

/// Columns that will form one supernode, while children are still merged into parents.
struct Group {
    Index parent = -1;           // group
    std::vector<Index> columns;  // positions, in elimination order
    double n_below = 0;          // rows below the columns
    double zeros = 0;            // in the trapezoid of the columns and the rows
};

/// Chains of columns with nested structure (fundamental supernodes), in postorder.
std::vector<Group> fundamental_groups(std::span<const Index> parent, std::span<const Index> count) {
    const auto n = static_cast<Index>(parent.size());
    std::vector<Index> n_children(n, 0), group_of(n);
    for (Index p : parent)
        if (p != -1) ++n_children[p];
    std::vector<Group> groups;
    for (Index k = 0; k < n; ++k) {
        const bool chained =
            k > 0 && parent[k - 1] == k && count[k - 1] == count[k] + 1 && n_children[k] == 1;
        if (!chained) groups.emplace_back();
        groups.back().columns.push_back(k);
        groups.back().n_below = count[k] - 1;
        group_of[k] = static_cast<Index>(groups.size()) - 1;
    }
    for (Group& g : groups) {
        const Index p = parent[g.columns.back()];
        g.parent = p == -1 ? -1 : group_of[p];
    }
    return groups;
}

/// Merges children into parents while the zeros that enter are worth the longer columns.
void amalgamate(std::vector<Group>& groups, const SupernodalOptions& options) {
    std::vector<std::vector<Index>> children(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (groups[g].parent != -1) children[groups[g].parent].push_back(static_cast<Index>(g));
    for (std::size_t p = 0; p < groups.size(); ++p) {
        Group& parent = groups[p];
        std::vector<Index> kept;
        // The last child shares most rows with its parent in a postorder: it is asked first.
        for (auto c = children[p].rbegin(); c != children[p].rend(); ++c) {
            Group& child = groups[*c];
            const auto n0 = static_cast<double>(child.columns.size());
            const auto n1 = static_cast<double>(parent.columns.size());
            const double n = n0 + n1;
            const double new_zeros = n0 * (n1 + parent.n_below - child.n_below);
            const double zeros = child.zeros + parent.zeros + new_zeros;
            const double share = zeros / (n * (n + 1) / 2 + n * parent.n_below);
            const auto& nodes = options.relax_nodes;
            const auto& allowed = options.relax_zeros;
            const bool merge = n <= nodes[0] || new_zeros == 0 ||
                               (n <= nodes[1] && share < allowed[0]) ||
                               (n <= nodes[2] && share < allowed[1]) || share < allowed[2];
            if (!merge) {
                kept.push_back(*c);
                continue;
            }
            parent.columns.insert(parent.columns.begin(), child.columns.begin(),
                                  child.columns.end());
            parent.zeros = zeros;
            for (Index grandchild : children[*c]) {
                groups[grandchild].parent = static_cast<Index>(p);
                kept.push_back(grandchild);
            }
            child.columns.clear();
        }
        std::ranges::sort(kept);
        children[p] = std::move(kept);
    }
}

/// Numbers the groups that are left in postorder and the nodes along with them.
void number_supernodes(const std::vector<Group>& groups, SupernodalStructure& t) {
    std::vector<Index> kept, number(groups.size(), -1);
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (!groups[g].columns.empty()) {
            number[g] = static_cast<Index>(kept.size());
            kept.push_back(static_cast<Index>(g));
        }
    std::vector<Index> parent(kept.size());
    for (std::size_t s = 0; s < kept.size(); ++s) {
        const Index p = groups[kept[s]].parent;
        parent[s] = p == -1 ? -1 : number[p];
    }
    const std::vector<Index> post = postorder(parent);
    std::vector<Index> place(post.size()), order;
    for (std::size_t s = 0; s < post.size(); ++s) place[post[s]] = static_cast<Index>(s);
    order.reserve(t.order.size());
    t.first.assign(1, 0);
    t.parent.resize(post.size());
    t.supernode_of.resize(t.order.size());
    for (std::size_t s = 0; s < post.size(); ++s) {
        for (Index k : groups[kept[post[s]]].columns) {
            t.supernode_of[t.order[k]] = static_cast<Index>(s);
            order.push_back(t.order[k]);
        }
        t.first.push_back(static_cast<Index>(order.size()));
        const Index p = parent[post[s]];
        t.parent[s] = p == -1 ? -1 : place[p];
    }
    set_order(std::move(order), t);
}

void list_children(SupernodalStructure& t) {
    const Index n = t.n_supernodes();
    t.child_begin.assign(n + 1, 0);
    t.first_descendant.resize(n);
    std::iota(t.first_descendant.begin(), t.first_descendant.end(), 0);
    for (Index s = 0; s < n; ++s) {
        const Index p = t.parent[s];
        if (p == -1) continue;
        ++t.child_begin[p + 1];
        t.first_descendant[p] = std::min(t.first_descendant[p], t.first_descendant[s]);
    }
    std::partial_sum(t.child_begin.begin(), t.child_begin.end(), t.child_begin.begin());
    t.child.resize(t.child_begin.back());
    std::vector<Index> fill(t.child_begin.begin(), t.child_begin.end() - 1);
    for (Index s = 0; s < n; ++s)
        if (t.parent[s] != -1) t.child[fill[t.parent[s]]++] = s;
}

/// Rows of a supernode: what its columns couple with and what its children pass up.
void find_rows(const BlockCsr& A, SupernodalStructure& t) {
    std::vector<Index> mark(t.n_nodes(), -1), rows;
    t.row_begin.assign(1, 0);
    for (Index s = 0; s < t.n_supernodes(); ++s) {
        rows.clear();
        const auto add = [&](Index position) {
            if (position < t.first[s + 1] || mark[position] == s) return;
            mark[position] = s;
            rows.push_back(position);
        };
        for (Index k = t.first[s]; k < t.first[s + 1]; ++k) for_neighbours(A, t, k, add);
        for (Index c : t.children(s)) std::ranges::for_each(t.rows(c), add);
        std::ranges::sort(rows);
        t.row.insert(t.row.end(), rows.begin(), rows.end());
        LIMBER_CHECK(t.row.size() < (std::size_t{1} << 31), "rows of L are counted with 32 bits");
        t.row_begin.push_back(static_cast<Index>(t.row.size()));
    }
}

/// place[position] of everything in the front of s.
void place_front(const SupernodalStructure& t, Index s, std::vector<Index>& place) {
    for (Index k = t.first[s]; k < t.first[s + 1]; ++k) place[k] = k - t.first[s];
    Index next = t.n_cols(s);
    for (Index k : t.rows(s)) place[k] = next++;
}

/// Where the rows of children and the blocks of the matrix enter each front. A block belongs to the
/// supernode of the node eliminated first.
void map_entries(const BlockCsr& A, SupernodalStructure& t) {
    std::vector<Index> place(t.n_nodes());
    t.relative.resize(t.row.size());
    t.entry_begin.assign(1, 0);
    for (Index s = 0; s < t.n_supernodes(); ++s) {
        place_front(t, s, place);
        for (Index c : t.children(s))
            for (Index k = t.row_begin[c]; k < t.row_begin[c + 1]; ++k)
                t.relative[k] = place[t.row[k]];
        for (Index k = t.first[s]; k < t.first[s + 1]; ++k) {
            const Index node = t.order[k];
            for (Index j = A.row_begin()[node]; j < A.row_begin()[node + 1]; ++j) {
                const Index other = A.column()[j];
                if (t.position[other] < k) continue;
                LIMBER_CHECK(A.find(other, node) >= 0, "the pattern is symmetric");
                t.entry.push_back({j, place[t.position[other]], place[k]});
            }
        }
        t.entry_begin.push_back(static_cast<Index>(t.entry.size()));
    }
}

void count_work(SupernodalStructure& t) {
    t.flops.resize(t.n_supernodes());
    for (Index s = 0; s < t.n_supernodes(); ++s) {
        const double c = 3.0 * t.n_cols(s), r = 3.0 * t.n_rows(s);
        t.flops[s] = c * c * c / 3 + c * c * r + c * r * r;
        t.nnz += c * (c + 1) / 2 + c * r;
        t.total_flops += t.flops[s];
    }
}

}  // namespace

SupernodalStructure analyze_pattern(const BlockCsr& A, const SupernodalOptions& options) {
    SupernodalStructure t;
    set_order(nested_dissection(A, options.n_separators, options.last), t);
    std::vector<Index> parent = elimination_tree(A, t);
    // Renumber the nodes in postorder, which leaves fill and flops as they are.
    std::vector<Index> post = postorder(parent), order(t.order.size()), place(t.order.size());
    for (std::size_t k = 0; k < post.size(); ++k) {
        order[k] = t.order[post[k]];
        place[post[k]] = static_cast<Index>(k);
    }
    std::vector<Index> renumbered(parent.size());
    for (std::size_t k = 0; k < post.size(); ++k)
        renumbered[k] = parent[post[k]] == -1 ? -1 : place[parent[post[k]]];
    set_order(std::move(order), t);
    std::vector<Group> groups = fundamental_groups(renumbered, column_counts(A, t, renumbered));
    amalgamate(groups, options);
    number_supernodes(groups, t);
    list_children(t);
    find_rows(A, t);
    map_entries(A, t);
    count_work(t);
    return t;
}

}  // namespace limber
