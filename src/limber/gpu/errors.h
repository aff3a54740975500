// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "limber/core/errors.h"

namespace limber::gpu {

/// The device stopped answering, or refused to go on: what was computed there is lost. Steppers
/// turn it into a step that failed, so that the last good state is kept.
class DeviceLost : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace limber::gpu
