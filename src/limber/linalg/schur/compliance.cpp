// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/schur/compliance.h"

#include <algorithm>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

void Compliance::apply_many(Index n, std::span<const Vec3d> f, std::span<Vec3d> v) {
    const auto size = static_cast<std::size_t>(n_nodes());
    for (Index k = 0; k < n; ++k) apply(f.subspan(k * size, size), v.subspan(k * size, size));
}

void Compliance::apply_between(std::span<const Index> nodes, std::span<const Vec3d> f,
                               std::span<Vec3d> v) {
    f_.assign(n_nodes(), {});
    v_.resize(n_nodes());
    for (std::size_t k = 0; k < nodes.size(); ++k) f_[nodes[k]] = f[k];
    apply(f_, v_);
    for (std::size_t k = 0; k < nodes.size(); ++k) v[k] = v_[nodes[k]];
}

template <class T>
Compliance::Inverted FactorCompliance<T>::inverted() const {
    if (!A_ || !rotations_.empty()) return {};
    return {A_, factor_.free(), factor_.structure().total_flops};
}

/// Rᵀ f where there are rotations; `nodes` are those of the entries of f, none: all, again and
/// again.
template <class T>
std::span<const Vec3d> FactorCompliance<T>::turned_back(std::span<const Vec3d> f,
                                                        std::span<const Index> nodes) {
    if (rotations_.empty()) return f;
    turned_.resize(f.size());
    const std::size_t n = rotations_.size();
    for (std::size_t k = 0; k < f.size(); ++k)
        turned_[k] = transpose(rotations_[nodes.empty() ? k % n : nodes[k]]) * f[k];
    return turned_;
}

template <class T>
void FactorCompliance<T>::apply_many(Index n, std::span<const Vec3d> f, std::span<Vec3d> v) {
    const auto turned = turned_back(f, {});
    if (n == 1)
        factor_.solve(turned, v);
    else
        factor_.solve_many(n, turned, v);
    for (std::size_t k = 0; k < v.size() && !rotations_.empty(); ++k)
        v[k] = rotations_[k % rotations_.size()] * v[k];
}

template <class T>
void FactorCompliance<T>::apply_between(std::span<const Index> nodes, std::span<const Vec3d> f,
                                        std::span<Vec3d> v) {
    factor_.solve_paths(1, nodes, turned_back(f, nodes), nodes, v);
    for (std::size_t k = 0; k < v.size() && !rotations_.empty(); ++k)
        v[k] = rotations_[nodes[k]] * v[k];
}

template <class T>
void FactorCompliance<T>::between(std::span<const Index> nodes, DenseMatrix& out) {
    LIMBER_CHECK(rotations_.empty() || std::ssize(rotations_) == n_nodes(), "one rotation a node");
    columns_.solve(factor_, nodes);
    columns_.gather(out, rotations_);
}

template class FactorCompliance<double>;
template class FactorCompliance<float>;

void PartialCompliance::factorize(std::span<const Index> last) {
    SupernodalOptions options;
    options.last.assign(last.begin(), last.end());
    factor_ = SupernodalCholesky<double>(options);
    const SolveStats stats = factor_.factorize(A_, free_);
    LIMBER_CHECK(stats.status == SolveStatus::direct, "A is positive definite");
}

void PartialCompliance::apply(std::span<const Vec3d> f, std::span<Vec3d> v) {
    if (!factor_.factorized()) factorize({});
    factor_.solve(f, v);
}

void PartialCompliance::between(std::span<const Index> nodes, DenseMatrix& out) {
    factorize(nodes);
    IsolatedColumns<double> columns;
    columns.solve(factor_, nodes);
    columns.gather(out);
}

}  // namespace limber
