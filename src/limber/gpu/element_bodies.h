// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one thread does for one element, by the functions that the loops of the CPU call: plain
// functions of (views, index), which a kernel runs on the device and for_each_index() on the host.
// Real is float or double. Nothing here allocates, and no thread writes what another reads.

#include <array>

#include "limber/fem/elements/hinge.h"
#include "limber/fem/elements/membrane.h"
#include "limber/fem/elements/spring.h"
#include "limber/fem/hooke.h"
#include "limber/fem/point_law.h"
#include "limber/fem/rotation/rounding.h"

namespace limber::gpu {

/// Tets as planes: entry i of tet t lies at [i * n + t], so that neighbouring threads read
/// neighbouring numbers.
template <class Real>
struct TetPlanes {
    Index n = 0;
    const Index* node = nullptr;   // 4 planes
    const Real* Dm_inv = nullptr;  // 9 planes, column-major entries [1/m]
    const Real* volume = nullptr;  // [m³]
    const Real* data = nullptr;    // n_tet_data planes of the law; null: the material's

    LIMBER_HD Vec3<Real> corner(const Vec3<Real>* x, int c, Index t) const {
        return x[node[c * n + t]];
    }
    LIMBER_HD Mat3<Real> rest(Index t) const {
        Mat3<Real> out;
        for (int i = 0; i < 9; ++i) out.a[i] = Dm_inv[i * n + t];
        return out;
    }
    /// F = Ds Dm⁻¹
    LIMBER_HD Mat3<Real> gradient(const Vec3<Real>* x, Index t) const {
        const Vec3<Real> o = corner(x, 0, t);
        return Mat3<Real>::from_columns(corner(x, 1, t) - o, corner(x, 2, t) - o,
                                        corner(x, 3, t) - o) *
               rest(t);
    }
};

/// Where bodies put what they find, a number of an element in a plane each; null: not wanted.
template <class Real>
struct TetDerivatives {
    Real* energy = nullptr;          // V ψ [J]
    Vec3<Real>* force = nullptr;     // −∂E/∂x of corners 0 to 3, planes [N]
    Vec3<Real>* diagonal = nullptr;  // of the Hessian, at corners 0 to 3, planes [N/m]
    Mat3<Real>* blocks = nullptr;    // projected, pairs 11 12 13 22 23 33, planes [N/m]
};

template <class Real>
LIMBER_HD void put_forces(const Mat3<Real>& f, Index n, Index t, Vec3<Real>* out) {
    out[t] = -(f.col(0) + f.col(1) + f.col(2));
    for (int c = 0; c < 3; ++c) out[(c + 1) * n + t] = f.col(c);
}

/// The law as tet t has it.
template <class Law, class Real>
LIMBER_HD decltype(auto) law_of_tet(const PointLaw<Law>& law, const TetPlanes<Real>& tets,
                                    Index t) {
    if constexpr (n_tet_data<Law> == 0) {
        return (law);
    } else {
        PointLaw<Law> own = law;
        if (tets.data) {
            Real numbers[n_tet_data<Law>];
            for (int i = 0; i < n_tet_data<Law>; ++i) numbers[i] = tets.data[i * tets.n + t];
            own = law.with(numbers);
        }
        return own;
    }
}

/// A tet of any law. `interpolant`, one a tet, is read where the law's conversion is on; null
/// elsewhere.
template <class Law, class Real>
LIMBER_HD void tet_body(const PointLaw<Law>& law_of_all, const TetPlanes<Real>& tets,
                        const Vec3<Real>* x, const Real* interpolant,
                        const TetDerivatives<Real>& out, Index t) {
    const auto& law = law_of_tet(law_of_all, tets, t);
    const Mat3<Real> F = tets.gradient(x, t), Dm_inv = tets.rest(t);
    const Real V = tets.volume[t], l = interpolant ? interpolant[t] : Real(0);
    if (out.energy) out.energy[t] = V * law.energy(F, l);
    if (out.force) put_forces((-V * law.stress(F, l)) * transpose(Dm_inv), tets.n, t, out.force);
    const Vec3<Real> g[3] = {Dm_inv.row(0), Dm_inv.row(1), Dm_inv.row(2)};
    if (out.diagonal) {
        out.diagonal[t] = V * law.block_diagonal(F, l, -(g[0] + g[1] + g[2]));
        for (int c = 0; c < 3; ++c)
            out.diagonal[(c + 1) * tets.n + t] = V * law.block_diagonal(F, l, g[c]);
    }
    if constexpr (StretchProjectedLaw<Law>) {
        if (out.blocks) {
            Mat3<Real> K[6];
            law.projected_blocks(F, l, g, K);
            for (int pair = 0; pair < 6; ++pair) out.blocks[pair * tets.n + t] = V * K[pair];
        }
    }
}

/// The conversion's memory from one iteration to the next, Wang & Yang 2016 (17); `kept` tets stay
/// handed over.
template <class Law, class Real>
LIMBER_HD void interpolant_body(const PointLaw<Law>& law, const TetPlanes<Real>& tets,
                                const Vec3<Real>* x, const Real* kept, Real* interpolant, Index t) {
    const Real l = law.interpolant(tets.gradient(x, t), interpolant[t]);
    interpolant[t] = kept[t] > l ? kept[t] : l;
}

/// Corotated and linear tets of the linearly implicit solvers: R_e from that of the step before,
/// the forces, and the blocks K_ab of the frozen tangent, by fem/hooke.h.
template <class Real>
struct HookePlanes {
    const Real* mu = nullptr;      // [Pa]
    const Real* lambda = nullptr;  // [Pa]
    const bool* turns = nullptr;   // the law turns with the element; else R = I
};
template <class Real>
LIMBER_HD void hooke_body(const TetPlanes<Real>& tets, const HookePlanes<Real>& law,
                          const Vec3<Real>* x, int iterations, Real* rotation,
                          const TetDerivatives<Real>& out, Index t) {
    const Mat3<Real> F = tets.gradient(x, t), Dm_inv = tets.rest(t);
    Mat3<Real> R = Mat3<Real>::identity();
    if (law.turns[t]) {
        for (int i = 0; i < 9; ++i) R.a[i] = rotation[i * tets.n + t];
        Mat3<Real> S = transpose(R) * F;
        find_polar_quaternion(F, iterations, R, S);
        for (int i = 0; i < 9; ++i) rotation[i * tets.n + t] = R.a[i];
    }
    const Mat3<Real> S = transpose(R) * F;
    const Real V = tets.volume[t], mu = V * law.mu[t], lambda = V * law.lambda[t];
    if (out.energy) out.energy[t] = hooke_energy(mu, lambda, S);
    if (out.force)
        put_forces((R * hooke_stress(-mu, -lambda, S)) * transpose(Dm_inv), tets.n, t, out.force);
    if (!out.blocks) return;
    const Mat3<Real> gamma = R * transpose(Dm_inv);
    int pair = 0;
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++pair)
            out.blocks[pair * tets.n + t] = hooke_block(mu, lambda, gamma.col(a), gamma.col(b));
}

/// Springs, hinges, membranes: an element of N corners; blocks are those of BlockScatter<N>.
template <class Real, class Element>
struct ElementDerivatives {
    static constexpr int N = Element::n_nodes;
    Real* energy = nullptr;          // [J]
    Vec3<Real>* gradient = nullptr;  // of corner c, plane c [N]
    Mat3<Real>* blocks = nullptr;    // projected [N/m]
};
template <class Real, class Element>
LIMBER_HD void element_body(const Element* elements, Index n, const Vec3<Real>* x,
                            const ElementDerivatives<Real, Element>& out, Index e) {
    constexpr int N = Element::n_nodes;
    const Element& element = elements[e];
    std::array<Vec3<Real>, N> corner;
    for (int c = 0; c < N; ++c) corner[c] = x[element.nodes[c]];
    if (out.energy) out.energy[e] = element.energy(corner);
    if (out.gradient) {
        const auto g = element.gradient(corner);
        for (int c = 0; c < N; ++c) out.gradient[c * n + e] = g[c];
    }
    if (!out.blocks) return;
    const auto K = [&] {
        if constexpr (requires { element.projected_hessian(corner); })
            return element.projected_hessian(corner);
        else
            return element.hessian(corner, HessianKind::projected);
    }();
    for (std::size_t k = 0; k < K.size(); ++k) out.blocks[static_cast<Index>(k) * n + e] = K[k];
}

/// The host's kernel: the same bodies, one after the other.
template <class Body>
void for_each_index(Index n, Body&& body) {
    for (Index i = 0; i < n; ++i) body(i);
}

}  // namespace limber::gpu
