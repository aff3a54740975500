// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

struct SceneDef;

/// solver.kind = "auto" and contact.method = "auto": puts what is right for the scene in their
/// place, and the reasons into SceneDef::chosen. A function of the scene alone: never of the clock,
/// the load or the number of threads.
void choose_automatically(SceneDef& scene);

}  // namespace limber
