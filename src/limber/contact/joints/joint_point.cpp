// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/joints/joint_point.h"

#include <cmath>

namespace limber {

bool between_sides(const Contact& c, const JointPoint& a, const JointPoint& b) {
    if (c.obstacle >= 0)
        return (c.obstacle == b.obstacle && c.body == a.body) ||
               (c.obstacle == a.obstacle && c.body == b.body);
    if (a.body < 0 || b.body < 0 || a.body == b.body) return false;
    return (c.body == a.body && c.other == b.body) || (c.body == b.body && c.other == a.body);
}

}  // namespace limber
