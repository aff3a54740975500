// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/temp_folder.h"

namespace limber::test {

/// A small bar held at one end, without gravity: whatever moves it came from the page.
inline std::string bar_scene(const TempFolder& folder, const std::string& more = "",
                             const std::string& name = "bar.toml") {
    return folder.file(name, R"(# A bar for tests.
limber = 1
gravity = [0, 0, 0]
[time]
step = 0.01
end = 1
[solver]
kind = "corotational"
[material.soft]
kind = "corotated"
young = "100 kPa"
poisson = 0.3
density = 1000
damping = { mass = 5, stiffness = 0.01 }
[[body]]
name = "bar"
shape = "beam"
size = [1.0, 0.2, 0.2]
cells = [10, 2, 2]
material = "soft"
[[pin]]
body = "bar"
select = { side = "x-" }
)" + more);
}

}  // namespace limber::test
