// SPDX-License-Identifier: Apache-2.0
#pragma once

// What makes the first steps of a model wrong whatever the solver does later: bodies that begin
// inside obstacles, that cannot carry their own weight, steps that are too long, tets that lock,
// places that floats cannot tell apart.

#include "limber/scene/check/overlaps.h"

namespace limber {

/// Bodies that begin inside an obstacle: contact would throw them out with energy out of nothing. A
/// warning each; an InputError where more than half of the surface is inside, which no contact
/// method puts right.
void check_obstacles(const SceneDef& scene, const Model& model, const Warn& warn);

/// Bodies with density * gravity * height > young, which collapse under themselves: their tets
/// turn inside out, and what is inside passes the floor that holds the surface.
void warn_about_weight(const SceneDef& scene, const Model& model, const Warn& warn);

/// Linear tets of materials with a Poisson's ratio above 0.45.
void warn_about_locking(const SceneDef& scene, const Model& model, const Warn& warn);

/// Steps in which gravity alone moves a body by more than its thickness, and steps longer than the
/// run.
void warn_about_step(const SceneDef& scene, const Model& model, const Warn& warn);

/// Solvers that hold positions in single precision, far from the origin.
void warn_about_precision(const SceneDef& scene, const Model& model, const Warn& warn);

}  // namespace limber
