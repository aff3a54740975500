// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/element_potential.h"

#include <algorithm>

#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index grain = 512;  // elements or nodes a chunk

template <class To, class From, std::size_t N>
std::array<Vec3<To>, N> corners(const std::array<Index, N>& nodes, std::span<const Vec3<From>> x) {
    std::array<Vec3<To>, N> out;
    for (std::size_t c = 0; c < N; ++c) {
        const Vec3<From>& p = x[nodes[c]];
        out[c] = {static_cast<To>(p.x), static_cast<To>(p.y), static_cast<To>(p.z)};
    }
    return out;
}

}  // namespace

template <class Real, class Element>
ElementPotential<Real, Element>::ElementPotential(Index n_nodes, std::vector<Element> elements)
    : elements_(std::move(elements)) {
    const Index n = static_cast<Index>(elements_.size());
    std::vector<Index> count(n_nodes, 0);
    for (const Element& element : elements_)
        for (Index node : element.nodes) ++count[node];
    std::vector<Index> next(n_nodes, 0);
    begin_.push_back(0);
    for (Index i = 0; i < n_nodes; ++i) {
        if (count[i] == 0) continue;
        nodes_.push_back(i);
        next[i] = begin_.back();
        begin_.push_back(begin_.back() + count[i]);
    }
    entry_.resize(begin_.back());
    for (Index e = 0; e < n; ++e)
        for (int c = 0; c < N; ++c) entry_[next[elements_[e].nodes[c]]++] = e * N + c;
    corner_.resize(n);
    partial_.resize(n / grain + 1);
}

template <class Real, class Element>
template <class F>
void ElementPotential<Real, Element>::gather(F&& f) const {
    parallel_for(static_cast<Index>(nodes_.size()), grain, [&](Index k) {
        for (Index at = begin_[k]; at < begin_[k + 1]; ++at)
            f(nodes_[k], entry_[at] / N, entry_[at] % N);
    });
}

template <class Real, class Element>
double ElementPotential<Real, Element>::energy(Positions x) {
    return parallel_sum<double>(
        static_cast<Index>(elements_.size()), grain, partial_, [&](Index begin, Index end) {
            double sum = 0;
            for (Index e = begin; e < end; ++e)
                sum +=
                    static_cast<double>(elements_[e].energy(corners<Real>(elements_[e].nodes, x)));
            return sum;
        });
}

template <class Real, class Element>
void ElementPotential<Real, Element>::add_gradient(Positions x, std::span<Vec3<Real>> g) {
    parallel_for(static_cast<Index>(elements_.size()), grain, [&](Index e) {
        corner_[e] = elements_[e].gradient(corners<Real>(elements_[e].nodes, x));
    });
    gather([&](Index node, Index e, int c) { g[node] += corner_[e][c]; });
}

template <class Real, class Element>
void ElementPotential<Real, Element>::find_blocks(Positions x, HessianKind kind) {
    blocks_.resize(elements_.size());
    parallel_for(static_cast<Index>(elements_.size()), grain, [&](Index e) {
        blocks_[e] = elements_[e].hessian(corners<double>(elements_[e].nodes, x), kind);
    });
}

template <class Real, class Element>
void ElementPotential<Real, Element>::add_diagonal(Positions x, std::span<Vec3<Real>> d) {
    find_blocks(x, HessianKind::projected);
    gather([&](Index node, Index e, int c) {
        const Mat3d& block = blocks_[e][BlockScatter<N>::pair(c, c)];
        for (int axis = 0; axis < 3; ++axis) d[node][axis] += static_cast<Real>(block(axis, axis));
    });
}

template <class Real, class Element>
void ElementPotential<Real, Element>::add_diagonal_blocks(Positions x, HessianKind kind,
                                                          std::span<Mat3<Real>> D) {
    find_blocks(x, kind);
    gather([&](Index node, Index e, int c) {
        const Mat3d& block = blocks_[e][BlockScatter<N>::pair(c, c)];
        for (int k = 0; k < 9; ++k) D[node].a[k] += static_cast<Real>(block.a[k]);
    });
}

template <class Real, class Element>
void ElementPotential<Real, Element>::add_pairs(std::vector<std::array<Index, 2>>& pairs) const {
    for (const Element& element : elements_)
        for (int a = 0; a < N; ++a)
            for (int b = a + 1; b < N; ++b)
                pairs.push_back({std::min(element.nodes[a], element.nodes[b]),
                                 std::max(element.nodes[a], element.nodes[b])});
}

template <class Real, class Element>
void ElementPotential<Real, Element>::scatter(double scale, BlockCsr& A) {
    if (!has_scatter_) {
        std::vector<std::array<Index, N>> nodes;
        for (const Element& element : elements_) nodes.push_back(element.nodes);
        scatter_ = BlockScatter<N>(A, nodes);
        has_scatter_ = true;
    }
    scatter_.add(blocks_, scale, A);
}

template <class Real, class Element>
void ElementPotential<Real, Element>::add_hessian(Positions x, HessianKind kind, double scale,
                                                  BlockCsr& A) {
    find_blocks(x, kind);
    scatter(scale, A);
}

template <class Real, class Element>
bool ElementPotential<Real, Element>::add_projective_matrix([[maybe_unused]] BlockCsr& A) {
    if constexpr (requires(const Element& element) { element.upper_hessian(); }) {
        blocks_.resize(elements_.size());
        for (std::size_t e = 0; e < elements_.size(); ++e)
            blocks_[e] = elements_[e].upper_hessian();
        scatter(1, A);
        return true;
    }
    return false;
}

template class ElementPotential<double, Spring>;
template class ElementPotential<float, Spring>;
template class ElementPotential<double, Membrane>;
template class ElementPotential<float, Membrane>;
template class ElementPotential<double, FlatHinge>;
template class ElementPotential<float, FlatHinge>;
template class ElementPotential<double, Hinge>;
template class ElementPotential<float, Hinge>;

}  // namespace limber
