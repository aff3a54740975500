// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/scene/scene.h"
#include "limber/solve/descent/tuner.h"
#include "limber/solve/model.h"

namespace limber {

/// Whether the scene's solver has tune = true.
bool wants_tuning(const SceneDef& scene);

/// A scene whose solver has been tuned.
struct TunedScene {
    SceneDef scene;    // with rho and phases in place, its own where none are better; tune = false
    std::string text;  // of tuned.toml
    std::string note;  // one line for the user
    bool improved = true;
};

/// The phases of Chebyshev's method for this scene by pre-simulation, Wang & Yang 2016, section
/// 4.3: the first tune_steps steps are run by Newton's method, each trial goes through the same
/// states with what it remembers of its own steps, and what it leaves of the energy above their
/// minima is made small. Phases are taken only where they leave less than the scene's own settings,
/// in the steps they were chosen by and in as many after those. Nothing is random and no clock is
/// read: the same scene gives the same phases. `cached`: text of an earlier call; it is used where
/// it belongs to this scene.
TunedScene tuned(const SceneDef& scene, const Model& model, const std::string& cached = {});

}  // namespace limber
