// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies of one element of cloth each: springs, hinges, membranes.

#include "limber/gpu/descent/elements.h"

namespace limber::gpu {

template <class Real, class Element>
LIMBER_HD std::array<Vec3<Real>, Element::n_nodes> corners_of(const Element& element,
                                                              const Vec3<Real>* x) {
    std::array<Vec3<Real>, Element::n_nodes> corner;
    for (int c = 0; c < Element::n_nodes; ++c) corner[c] = x[element.nodes[c]];
    return corner;
}
template <class Real, class Element>
struct ElementGradient {
    const Element* elements;
    Index n;
    const Index* slot;
    const Vec3<Real>* x;
    Vec3<Real>* out;
    const DescentControl* control;

    LIMBER_HD void operator()(Index e) const {
        if (!control->live) return;
        const Element& element = elements[e];
        const auto g = element.gradient(corners_of<Real>(element, x));
        for (int c = 0; c < Element::n_nodes; ++c) out[slot[c * n + e]] = g[c];
    }
};
template <class Real, class Element>
struct ElementEnergy {
    const Element* elements;
    const Vec3<Real>* x;
    const DescentControl* control;

    LIMBER_HD ElasticSum operator()(Index e) const {
        if (!control->live) return {};
        return {static_cast<double>(elements[e].energy(corners_of<Real>(elements[e], x))), 0};
    }
};
/// The projected blocks of its corners, or their diagonals.
template <class Real, class Element, class Block>
struct ElementDiagonal {
    const Element* elements;
    Index n;
    const Index* slot;
    const Vec3<Real>* x;
    Block* out;
    const DescentControl* control;

    LIMBER_HD void operator()(Index e) const {
        if (!control->live) return;
        const Element& element = elements[e];
        const auto corner = corners_of<Real>(element, x);
        const auto K = [&] {
            if constexpr (requires { element.projected_hessian(corner); })
                return element.projected_hessian(corner);
            else
                return element.hessian(corner, HessianKind::projected);
        }();
        for (int c = 0; c < Element::n_nodes; ++c)
            put_block(K[BlockScatter<Element::n_nodes>::pair(c, c)], out[slot[c * n + e]]);
    }
};

}  // namespace limber::gpu
