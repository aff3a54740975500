// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "limber/fem/block_scatter.h"
#include "limber/fem/elements/hinge.h"
#include "limber/fem/elements/membrane.h"
#include "limber/fem/elements/spring.h"
#include "limber/fem/node_potential.h"

namespace limber {

namespace {

template <class Element>
class ElementNodes final : public NodePotential {
  public:
    static constexpr int N = Element::n_nodes;

    ElementNodes(Index n_nodes, std::vector<Element> elements)
        : elements_(std::move(elements)), begin_(n_nodes + 1, 0) {
        for (const Element& element : elements_)
            for (Index node : element.nodes) ++begin_[node + 1];
        for (Index i = 0; i < n_nodes; ++i) begin_[i + 1] += begin_[i];
        std::vector<Index> next(begin_.begin(), begin_.end() - 1);
        entry_.resize(begin_.back());
        for (Index e = 0; e < static_cast<Index>(elements_.size()); ++e)
            for (int c = 0; c < N; ++c) entry_[next[elements_[e].nodes[c]]++] = e * N + c;
    }

    void add(Index node, Positions x, NodeDerivatives& out) const override {
        for (Index k = begin_[node]; k < begin_[node + 1]; ++k) {
            const Element& element = elements_[entry_[k] / N];
            const int corner = entry_[k] % N;
            const std::array<Vec3d, N> at = corners(element, x);
            const double energy = element.energy(at);
            out.energy += energy;
            out.scale += std::abs(energy);
            out.gradient += element.gradient(at)[corner];
            out.block +=
                element.hessian(at, HessianKind::exact)[BlockScatter<N>::pair(corner, corner)];
        }
    }
    double energy(Index node, const Vec3d& at, Positions x) const override {
        double sum = 0;
        for (Index k = begin_[node]; k < begin_[node + 1]; ++k) {
            const Element& element = elements_[entry_[k] / N];
            std::array<Vec3d, N> moved = corners(element, x);
            moved[entry_[k] % N] = at;
            sum += element.energy(moved);
        }
        return sum;
    }

  private:
    static std::array<Vec3d, N> corners(const Element& element, Positions x) {
        std::array<Vec3d, N> out;
        for (int c = 0; c < N; ++c) out[c] = x[element.nodes[c]];
        return out;
    }

    std::vector<Element> elements_;
    std::vector<Index> begin_, entry_;  // per node: element * N + corner, ascending
};

}  // namespace

template <class Element>
std::unique_ptr<NodePotential> make_element_nodes(Index n_nodes, std::vector<Element> elements) {
    return std::make_unique<ElementNodes<Element>>(n_nodes, std::move(elements));
}

template std::unique_ptr<NodePotential> make_element_nodes(Index, std::vector<Spring>);
template std::unique_ptr<NodePotential> make_element_nodes(Index, std::vector<Membrane>);
template std::unique_ptr<NodePotential> make_element_nodes(Index, std::vector<FlatHinge>);
template std::unique_ptr<NodePotential> make_element_nodes(Index, std::vector<Hinge>);

}  // namespace limber
