// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/render/picture.h"

namespace limber {

/// One direction light comes from, with what it reaches: an orthographic depth map.
struct LightRay {
    Vec3d towards;  // unit, to the light
    Rgb radiance;   // already divided by the number of rays of its light
    Vec3d axis_u, axis_v;
    Vec3d origin;              // corner of the map
    double texel = 1;          // [m]
    int size = 0;              // texels a side
    std::vector<float> depth;  // along `towards`, the highest surface; -inf where nothing is

    /// The part of the light that reaches p, 0 to 1: a 2 x 2 comparison filter.
    float visibility(const Vec3d& p) const;
};

/// An area light is many rays: summing their hard shadows gives a soft one without noise.
struct Lighting {
    std::vector<LightRay> key;  // a small disk, warm
    std::vector<LightRay> sky;  // the upper hemisphere, cool
    Vec3d key_towards;
    // How far along its normal a point is lifted before it looks for light [m]: a texel or two, or
    // the map's steps would shade the surface they were drawn from.
    double key_offset = 0, sky_offset = 0;
};

Lighting make_lighting(const Picture& picture, const Box3& bounds, const Vec3d& up,
                       const Vec3d& view_right, const Vec3d& view_back);

}  // namespace limber
