// SPDX-License-Identifier: Apache-2.0
// Every element function for the device, in float and double: what does not compile here cannot run
// there. A law of AnyMaterial is found by itself.

#include "limber/gpu/element_bodies.h"
#include "limber/gpu/element_kernels.h"

namespace limber::gpu {

namespace {

constexpr int block_threads = 128;

template <class Body>
__global__ void run(Index n, Body body) {
    const Index i =
        static_cast<Index>(blockIdx.x) * block_threads + static_cast<Index>(threadIdx.x);
    if (i < n) body(i);
}

template <class Body>
void launch(Index n, const Body& body) {
    if (n > 0) run<<<(n + block_threads - 1) / block_threads, block_threads>>>(n, body);
}

// Functors, not lambdas: their names say in a profile what runs.

template <class Law, class Real>
struct TetBody {
    PointLaw<Law> law;
    TetPlanes<Real> tets;
    const Vec3<Real>* x;
    const Real* interpolant;
    TetDerivatives<Real> out;
    __device__ void operator()(Index t) const { tet_body(law, tets, x, interpolant, out, t); }
};
template <class Law, class Real>
struct InterpolantBody {
    PointLaw<Law> law;
    TetPlanes<Real> tets;
    const Vec3<Real>* x;
    const Real* kept;
    Real* interpolant;
    __device__ void operator()(Index t) const {
        interpolant_body(law, tets, x, kept, interpolant, t);
    }
};
template <class Real>
struct HookeBody {
    TetPlanes<Real> tets;
    HookePlanes<Real> law;
    const Vec3<Real>* x;
    int iterations;
    Real* rotation;
    TetDerivatives<Real> out;
    __device__ void operator()(Index t) const {
        hooke_body(tets, law, x, iterations, rotation, out, t);
    }
};
template <class Real, class Element>
struct ElementBody {
    const Element* elements;
    Index n;
    const Vec3<Real>* x;
    ElementDerivatives<Real, Element> out;
    __device__ void operator()(Index e) const { element_body(elements, n, x, out, e); }
};

}  // namespace

template <class Real>
void launch_tets(const Material& material, const TetPlanes<Real>& tets, const Vec3<Real>* x,
                 const Real* interpolant, const TetDerivatives<Real>& out) {
    visit_law(material, [&](const auto& law) {
        const auto rounded = law.template in<Real>();
        launch(tets.n, TetBody<decltype(rounded.law), Real>{rounded, tets, x, interpolant, out});
    });
}
template <class Real>
void launch_interpolants(const Material& material, const TetPlanes<Real>& tets, const Vec3<Real>* x,
                         const Real* kept, Real* interpolant) {
    visit_law(material, [&](const auto& law) {
        const auto rounded = law.template in<Real>();
        launch(tets.n,
               InterpolantBody<decltype(rounded.law), Real>{rounded, tets, x, kept, interpolant});
    });
}
template <class Real>
void launch_hooke(const TetPlanes<Real>& tets, const HookePlanes<Real>& law, const Vec3<Real>* x,
                  int iterations, Real* rotation, const TetDerivatives<Real>& out) {
    launch(tets.n, HookeBody<Real>{tets, law, x, iterations, rotation, out});
}
template <class Real, class Element>
void launch_elements(const Element* elements, Index n, const Vec3<Real>* x,
                     const ElementDerivatives<Real, Element>& out) {
    launch(n, ElementBody<Real, Element>{elements, n, x, out});
}

#define LIMBER_FOR(Real)                                                                          \
    template void launch_tets<Real>(const Material&, const TetPlanes<Real>&, const Vec3<Real>*,   \
                                    const Real*, const TetDerivatives<Real>&);                    \
    template void launch_interpolants<Real>(const Material&, const TetPlanes<Real>&,              \
                                            const Vec3<Real>*, const Real*, Real*);               \
    template void launch_hooke<Real>(const TetPlanes<Real>&, const HookePlanes<Real>&,            \
                                     const Vec3<Real>*, int, Real*, const TetDerivatives<Real>&); \
    template void launch_elements<Real, Spring>(const Spring*, Index, const Vec3<Real>*,          \
                                                const ElementDerivatives<Real, Spring>&);         \
    template void launch_elements<Real, FlatHinge>(const FlatHinge*, Index, const Vec3<Real>*,    \
                                                   const ElementDerivatives<Real, FlatHinge>&);   \
    template void launch_elements<Real, Hinge>(const Hinge*, Index, const Vec3<Real>*,            \
                                               const ElementDerivatives<Real, Hinge>&);           \
    template void launch_elements<Real, Membrane>(const Membrane*, Index, const Vec3<Real>*,      \
                                                  const ElementDerivatives<Real, Membrane>&);
LIMBER_FOR(float)
LIMBER_FOR(double)
#undef LIMBER_FOR

}  // namespace limber::gpu
