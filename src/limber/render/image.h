// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace limber {

/// 8-bit sRGB, rows from the top.
struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;  // 3 per pixel

    const std::uint8_t* pixel(int x, int y) const {
        return rgb.data() + 3 * (static_cast<std::size_t>(y) * width + x);
    }
    std::uint8_t* pixel(int x, int y) {
        return rgb.data() + 3 * (static_cast<std::size_t>(y) * width + x);
    }
};

/// Linear light, 1 is white.
struct Rgb {
    float r = 0, g = 0, b = 0;

    friend Rgb operator+(Rgb p, Rgb q) { return {p.r + q.r, p.g + q.g, p.b + q.b}; }
    friend Rgb operator*(Rgb p, Rgb q) { return {p.r * q.r, p.g * q.g, p.b * q.b}; }
    friend Rgb operator*(float s, Rgb p) { return {s * p.r, s * p.g, s * p.b}; }
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

inline Rgb mix(Rgb p, Rgb q, float t) {
    return (1 - t) * p + t * q;
}

/// 0xRRGGBB in sRGB to linear light (IEC 61966-2-1).
Rgb rgb_from_hex(std::uint32_t hex);
/// Linear light to an sRGB byte, clamped.
std::uint8_t srgb_byte(float linear);

/// Pictures of the same height side by side.
Image side_by_side(std::span<const Image> images);
/// Rounds every channel to `bits` bits, 1 to 8: a smaller PNG that looks nearly the same at 6.
void keep_bits(Image& image, int bits);

/// The file of a PNG, compressed.
std::vector<std::byte> encode_png(const Image& image);
/// A damaged or foreign file is an InputError; `name` is what the message calls it.
Image decode_png(const std::vector<std::byte>& file, const std::string& name);
void write_png(const std::string& path, const Image& image);

}  // namespace limber
