// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starts the bodies of gpu/element_bodies.h on the device, a thread an element. All pointers are
// the device's, but for the material. Defined in element_kernels.cu, for float and double.

#include "limber/gpu/element_bodies.h"

namespace limber::gpu {

template <class Real>
void launch_tets(const Material& material, const TetPlanes<Real>& tets, const Vec3<Real>* x,
                 const Real* interpolant, const TetDerivatives<Real>& out);
template <class Real>
void launch_interpolants(const Material& material, const TetPlanes<Real>& tets, const Vec3<Real>* x,
                         const Real* kept, Real* interpolant);
template <class Real>
void launch_hooke(const TetPlanes<Real>& tets, const HookePlanes<Real>& law, const Vec3<Real>* x,
                  int iterations, Real* rotation, const TetDerivatives<Real>& out);
template <class Real, class Element>
void launch_elements(const Element* elements, Index n, const Vec3<Real>* x,
                     const ElementDerivatives<Real, Element>& out);

}  // namespace limber::gpu
