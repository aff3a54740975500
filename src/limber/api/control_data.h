// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/api/control.h"
#include "limber/sim/world.h"

namespace limber::api {

struct Control::Data {
    limber::World& world;
};

}  // namespace limber::api
