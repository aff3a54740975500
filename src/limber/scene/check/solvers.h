// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/scene/registry.h"

namespace limber {

// Which scenes a solver does not take: each throws InputError with the reason and what is allowed.

/// Linearly implicit and position based solvers take one kind of step; modes need no solver.
void check_integrator(const SceneDef& scene, const StepperEntry& entry);
void check_laws_taken(const SceneDef& scene, const StepperEntry& entry);
/// Constraints need a factor, energies a solver that minimises.
void check_contact_goes_with(const SceneDef& scene, const StepperEntry& solver);
void check_corotational(const SceneDef& scene);
void check_cholesky(const SceneDef& scene);
void check_descent(const SceneDef& scene);
/// The constant matrix bounds the Hessian, and a step length of 1 is sure to go down, only where an
/// element's energy is a squared distance.
void check_projective_dynamics(const SceneDef& scene);
/// Contact forces that are made of masses and velocities have no equilibrium to be part of.
void check_static_contact(const SceneDef& scene);
/// What computes on the device: dynamic steps, solvers with a form for it, options that it takes.
void check_device_form(const SceneDef& scene, const StepperEntry& entry);
/// What a device does not take, with the CPU among what is allowed.
std::string or_on_the_cpu(const std::string& conflict);
/// Tets alone; for the split scheme a volume term that resists.
void check_fast_corotated(const SceneDef& scene);
/// Springs and flat hinges, lumped masses.
void check_xpbd(const SceneDef& scene);

}  // namespace limber
