// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace limber {

struct SceneDef;

/// The solver as scenes and --solver call it. Stepper::name() is that of the code behind it, which
/// several names may share.
std::string solver_name(const SceneDef& scene);

}  // namespace limber
