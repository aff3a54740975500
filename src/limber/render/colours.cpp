// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "limber/render/picture.h"

namespace limber {

namespace {

/// Oklab to linear sRGB: Ottosson 2020, "A perceptual color space for image processing".
Rgb rgb_from_oklab(float L, float a, float b) {
    const float l = L + 0.3963377774f * a + 0.2158037573f * b;
    const float m = L - 0.1055613458f * a - 0.0638541728f * b;
    const float s = L - 0.0894841775f * a - 1.2914855480f * b;
    const float l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
    const auto in_gamut = [](float c) { return std::clamp(c, 0.0f, 1.0f); };
    return {in_gamut(4.0767416621f * l3 - 3.3077115913f * m3 + 0.2309699292f * s3),
            in_gamut(-1.2684380046f * l3 + 2.6097574011f * m3 - 0.3413193965f * s3),
            in_gamut(-0.0041960863f * l3 - 0.7034186147f * m3 + 1.7076147010f * s3)};
}

}  // namespace

Rgb colour_map(float t) {
    t = t > 0 ? std::min(t, 1.0f) : 0.0f;
    // From deep blue through teal and green to pale yellow: lightness rises by equal steps, hue
    // turns by equal steps, chroma bulges where sRGB has room.
    const float L = 0.30f + 0.60f * t;
    const float hue = (285.0f - 180.0f * t) * 3.14159265f / 180.0f;
    const float chroma = 0.105f + 0.06f * t * t;
    return rgb_from_oklab(L, chroma * std::cos(hue), chroma * std::sin(hue));
}

Rgb body_colour(std::size_t index) {
    static const std::array<Rgb, 8> palette = {rgb_from_hex(0x2f7fc1), rgb_from_hex(0xe4703f),
                                               rgb_from_hex(0x2fa37c), rgb_from_hex(0xc9504f),
                                               rgb_from_hex(0x8a63b8), rgb_from_hex(0xdba23a),
                                               rgb_from_hex(0x3fa4b8), rgb_from_hex(0xb8658f)};
    return palette[index % palette.size()];
}

}  // namespace limber
