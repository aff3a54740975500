// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/compliance.h"

#include <algorithm>

#include "limber/core/parallel.h"

namespace limber {

template <class T>
void FactorCompliance<T>::between(std::span<const Index> nodes, DenseMatrix& out) {
    const Index k = static_cast<Index>(nodes.size());
    const std::size_t n_rhs = 3 * nodes.size();
    unit_.assign(nodes.size() * n_rhs, {});
    answer_.resize(unit_.size());
    for (Index i = 0; i < k; ++i)
        for (int axis = 0; axis < 3; ++axis)
            unit_[static_cast<std::size_t>(3 * i + axis) * nodes.size() + i][axis] = 1;
    factor_.solve_paths(static_cast<Index>(n_rhs), nodes, unit_, nodes, answer_);
    out.resize(3 * k);
    for (Index r = 0; r < 3 * k; ++r)
        for (Index j = 0; j < k; ++j)
            for (int axis = 0; axis < 3; ++axis)
                out(r, 3 * j + axis) =
                    answer_[static_cast<std::size_t>(r) * nodes.size() + j][axis];
}

template class FactorCompliance<double>;
template class FactorCompliance<float>;

void Delassus::build(const ConstraintRows& H, Compliance& A, DenseMatrix& W) {
    slot_.resize(A.n_nodes(), -1);
    nodes_.clear();
    for (const auto& e : H.entries()) nodes_.push_back(e.node);
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    for (std::size_t k = 0; k < nodes_.size(); ++k) slot_[nodes_[k]] = static_cast<Index>(k);
    A.between(nodes_, isolated_);
    const Index n = H.n_rows();
    W.resize(n);
    parallel_for(n, 8, [&](Index r) {
        for (Index s = 0; s < n; ++s) {
            double sum = 0;
            for (const auto& e : H.row(r))
                for (const auto& f : H.row(s))
                    for (int a = 0; a < 3; ++a)
                        for (int b = 0; b < 3; ++b)
                            sum += e.gradient[a] * f.gradient[b] *
                                   isolated_(3 * slot_[e.node] + a, 3 * slot_[f.node] + b);
            W(r, s) = sum;
        }
    });
}

}  // namespace limber
