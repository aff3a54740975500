// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace limber::app {

/// limber list support: which solver takes which law, contact, integrator and device. Found by
/// asking the checks of scenes, so that it says what they say.
std::string support_table();

}  // namespace limber::app
