// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "limber/fem/block_scatter.h"
#include "limber/fem/elements/hinge.h"
#include "limber/fem/elements/membrane.h"
#include "limber/fem/elements/spring.h"
#include "limber/fem/potential.h"

namespace limber {

/// E(x) = Σ energies of elements of one kind: Spring, Membrane, FlatHinge or Hinge. An element
/// knows its nodes, and energy, gradient and Hessian over their positions (spring.h is the shortest
/// example). Every node gathers from its elements in their order: the same bits for any number of
/// threads.
template <class Real, class Element>
class ElementPotential final : public Potential<Real> {
  public:
    static constexpr int N = Element::n_nodes;
    using typename Potential<Real>::Positions;

    ElementPotential(Index n_nodes, std::vector<Element> elements);

    double energy(Positions x) override;
    void add_gradient(Positions x, std::span<Vec3<Real>> g) override;
    void add_diagonal(Positions x, std::span<Vec3<Real>> d) override;
    void add_diagonal_blocks(Positions x, HessianKind kind, std::span<Mat3<Real>> D) override;
    void add_pairs(std::vector<std::array<Index, 2>>& pairs) const override;
    void add_hessian(Positions x, HessianKind kind, double scale, BlockCsr& A) override;
    bool add_projective_matrix(BlockCsr& A) override;

  private:
    using Blocks = typename BlockScatter<N>::Blocks;
    void scatter(double scale, BlockCsr& A);
    void find_blocks(Positions x, HessianKind kind);
    /// Calls f(node, element, corner) for each element of each node that has one; a node's calls
    /// come in the order of its elements, from one thread.
    template <class F>
    void gather(F&& f) const;

    std::vector<Element> elements_;
    std::vector<Index> nodes_;          // that some element uses, ascending
    std::vector<Index> begin_, entry_;  // per entry of nodes_: element * N + corner, ascending
    std::vector<std::array<Vec3<Real>, N>> corner_;
    std::vector<Blocks> blocks_;
    std::vector<double> partial_;
    BlockScatter<N> scatter_;
    bool has_scatter_ = false;
};

}  // namespace limber
