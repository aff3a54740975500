// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/core/math.h"

namespace limber {

/// Piecewise linear in time, constant before the first and after the last key. No keys: `value(t)`
/// is T{}.
template <class T>
struct Track {
    std::vector<double> times;  // strictly increasing [s]
    std::vector<T> values;      // one per time

    bool empty() const { return times.empty(); }
    T value(double t) const {
        if (times.empty()) return T{};
        if (t <= times.front()) return values.front();
        if (t >= times.back()) return values.back();
        std::size_t k = 1;
        while (times[k] < t) ++k;
        const double s = (t - times[k - 1]) / (times[k] - times[k - 1]);
        return values[k - 1] * (1 - s) + values[k] * s;
    }
};

/// A rigid motion along key frames: turn by angle(t) about `axis` through `center`, then move by
/// translate(t). Both tracks start from the placed body, so that empty tracks leave it where it is.
struct Motion {
    Track<Vec3d> translate;  // [m]
    Track<double> angle;     // [rad]
    Vec3d axis{0, 1, 0};     // unit vector
    Vec3d center{0, 0, 0};   // [m], at t = 0

    bool still() const { return translate.empty() && angle.empty(); }
    Mat3d rotation(double t) const {
        return angle.empty() ? Mat3d::identity() : rotation_about(axis, angle.value(t));
    }
    /// Where the point that was at p before any motion is at time t.
    Vec3d apply(const Vec3d& p, double t) const {
        if (still()) return p;
        return center + rotation(t) * (p - center) + translate.value(t);
    }
};

}  // namespace limber
