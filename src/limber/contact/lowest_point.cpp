// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/lowest_point.h"

#include <algorithm>
#include <cmath>

namespace limber {

double longest_edge(const Corners& p) {
    return std::sqrt(std::max(
        {squared_norm(p[1] - p[0]), squared_norm(p[2] - p[1]), squared_norm(p[0] - p[2])}));
}

LowestPoint lowest_point(const ObstacleShape& shape, const Corners& p) {
    constexpr int max_trials = 24;
    LowestPoint best{{blend(p, {1. / 3, 1. / 3, 1. / 3}), {1. / 3, 1. / 3, 1. / 3}}, {}};
    best.surface = sample(shape, best.at.point);
    for (int k = 0; k < 3; ++k) {
        const SurfaceSample corner = sample(shape, p[k]);
        if (!(corner.distance < best.surface.distance)) continue;
        best = {{p[k], {}}, corner};
        best.at.weight[k] = 1;
    }
    const double length = longest_edge(p);
    double step = std::max(length, best.surface.distance);
    for (int i = 0; i < max_trials && step > 1e-4 * length; ++i) {
        const TrianglePoint trial =
            nearest_on_triangle(best.at.point - step * best.surface.normal, p[0], p[1], p[2]);
        const SurfaceSample there = sample(shape, trial.point);
        if (there.distance < best.surface.distance)
            best = {trial, there};
        else
            step *= 0.5;
    }
    return best;
}

}  // namespace limber
