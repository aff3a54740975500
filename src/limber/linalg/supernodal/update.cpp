// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/core/check.h"
#include "limber/linalg/supernodal/numeric.h"
#include "limber/linalg/supernodal/solve_workspace.h"

namespace limber {

/// A prescribed degree of freedom changes the blocks of its node, which enter at the supernodes of
/// the node and of its neighbours.
template <class T>
void SupernodalCholesky<T>::Numeric::mark_mask_changes(const BlockCsr& A, FreeMask mask) {
    const auto entry = [](std::span<const Vec3d> m, Index i) {
        return m.empty() ? Vec3d{1, 1, 1} : m[i];
    };
    if (mask.empty() && free.empty()) return;
    for (Index i = 0; i < t.n_nodes(); ++i) {
        if (entry(mask, i) == entry(free, i)) continue;
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            dirty[t.supernode_of[A.column()[k]]] = 1;
    }
}

/// Closed under ancestors, since each adds the update blocks of its children; a subtree whose
/// update blocks are not kept is factorised whole. Returns the flops.
template <class T>
double SupernodalCholesky<T>::Numeric::close_dirty(std::span<char> marks) const {
    for (Index s = 0; s < t.n_supernodes(); ++s)
        if (marks[s] && t.parent[s] != -1) marks[t.parent[s]] = 1;
    // From the root down: a dirty supernode needs the update blocks of its children.
    for (Index s = t.n_supernodes() - 1; s >= 0; --s)
        if (!layout.shape[s].kept && t.parent[s] != -1 && marks[t.parent[s]]) marks[s] = 1;
    double flops = 0;
    for (Index s = 0; s < t.n_supernodes(); ++s)
        if (marks[s]) flops += t.flops[s];
    return flops;
}

template <class T>
SolveStats SupernodalCholesky<T>::update(const BlockCsr& A, FreeMask free,
                                         std::span<const Index> dirty_nodes, Index* bad_node) {
    Numeric& f = *numeric_;
    LIMBER_CHECK(analyzed(A), "the pattern is that of the last factorize()");
    std::ranges::fill(f.dirty, 0);
    for (Index node : dirty_nodes) f.dirty[f.t.supernode_of[node]] = 1;
    f.mark_mask_changes(A, free);
    for (Index s = 0; s < f.t.n_supernodes(); ++s) f.dirty[s] = f.dirty[s] || f.failed[s];
    f.close_dirty(f.dirty);
    return f.run(A, free, bad_node);
}

template <class T>
SolveStats SupernodalCholesky<T>::update_supernodes(const BlockCsr& A, FreeMask free,
                                                    std::span<const Index> dirty_supernodes,
                                                    Index* bad_node) {
    Numeric& f = *numeric_;
    LIMBER_CHECK(analyzed(A), "the pattern is that of the last factorize()");
    std::ranges::fill(f.dirty, 0);
    for (Index s : dirty_supernodes) f.dirty[s] = 1;
    f.mark_mask_changes(A, free);
    for (Index s = 0; s < f.t.n_supernodes(); ++s) f.dirty[s] = f.dirty[s] || f.failed[s];
    f.close_dirty(f.dirty);
    return f.run(A, free, bad_node);
}

template <class T>
double SupernodalCholesky<T>::close_dirty(std::span<char> dirty) const {
    LIMBER_CHECK(std::ssize(dirty) == n_supernodes(), "one mark a supernode");
    return numeric_->close_dirty(dirty);
}

#define LIMBER_SUPERNODAL_UPDATE(T)                                                               \
    template void SupernodalCholesky<T>::Numeric::mark_mask_changes(const BlockCsr&, FreeMask);   \
    template double SupernodalCholesky<T>::Numeric::close_dirty(std::span<char>) const;           \
    template SolveStats SupernodalCholesky<T>::update(const BlockCsr&, FreeMask,                  \
                                                      std::span<const Index>, Index*);            \
    template SolveStats SupernodalCholesky<T>::update_supernodes(const BlockCsr&, FreeMask,       \
                                                                 std::span<const Index>, Index*); \
    template double SupernodalCholesky<T>::close_dirty(std::span<char>) const;
LIMBER_SUPERNODAL_UPDATE(double)
LIMBER_SUPERNODAL_UPDATE(float)
#undef LIMBER_SUPERNODAL_UPDATE

}  // namespace limber
