// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is looked at between building a model and its first step: bodies that begin inside each
// other, and bodies that are too fast for their step.

#include <functional>
#include <string>

#include "limber/scene/scene_def.h"
#include "limber/solve/model.h"

namespace limber {

using Warn = std::function<void(const SourcePlace& place, const std::string& text)>;

/// Pairs of bodies that share space: a warning each, with how many nodes, how deep and where.
void warn_about_overlaps(const SceneDef& scene, const Model& model, const Warn& warn);

/// `[contact] separate = true`: moves whole bodies apart and out of obstacles, by as little as
/// possible, the heavier of two less; bodies with pins stay. Throws InputError naming the pairs
/// that could not be separated.
void separate_bodies(const SceneDef& scene, Model& model, const Warn& warn);

/// How fast a body may meet obstacles: at its initial speed, or at the end of a free fall.
struct ImpactSpeed {
    double value = 0;  // [m/s]
    std::string why;   // for messages
};
ImpactSpeed impact_speed(const SceneDef& scene, const Model& model, const Body& body);

/// Cloth under `self = true` and springs: nothing looks at whether it passed through itself.
void warn_about_self(const SceneDef& scene, const Model& model, const Warn& warn);

/// Bodies that go farther in a step than half their thickness plus the contact's, at their initial
/// speed or at the end of a free fall onto an obstacle; where their paths are followed (implicit
/// form), farther than their whole thickness.
void warn_about_speed(const SceneDef& scene, const Model& model, const Warn& warn);

}  // namespace limber
