// SPDX-License-Identifier: Apache-2.0
#include "limber/render/image.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <png.h>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/io/file.h"

namespace limber {

namespace {

float linear_from_srgb(float s) {
    return s <= 0.04045f ? s / 12.92f : std::pow((s + 0.055f) / 1.055f, 2.4f);
}

}  // namespace

Rgb rgb_from_hex(std::uint32_t hex) {
    const auto channel = [&](int shift) {
        return linear_from_srgb(static_cast<float>((hex >> shift) & 255u) / 255.0f);
    };
    return {channel(16), channel(8), channel(0)};
}

std::uint8_t srgb_byte(float linear) {
    if (!(linear > 0)) return 0;
    if (linear >= 1) return 255;
    const float s =
        linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
    return static_cast<std::uint8_t>(std::lround(255 * s));
}

Image side_by_side(std::span<const Image> images) {
    LIMBER_CHECK(!images.empty(), "a strip has at least one picture");
    Image out{0, images[0].height, {}};
    for (const Image& image : images) {
        LIMBER_CHECK(image.height == out.height, "pictures of a strip have one height");
        out.width += image.width;
    }
    out.rgb.resize(std::size_t(3) * out.width * out.height);
    int x = 0;
    for (const Image& image : images) {
        for (int y = 0; y < out.height; ++y)
            std::copy_n(image.pixel(0, y), std::size_t(3) * image.width, out.pixel(x, y));
        x += image.width;
    }
    return out;
}

void keep_bits(Image& image, int bits) {
    LIMBER_CHECK(bits >= 1 && bits <= 8, "bits a channel");
    const double steps = (1 << bits) - 1;
    for (std::uint8_t& c : image.rgb)
        c = static_cast<std::uint8_t>(std::lround(std::round(c * steps / 255) * 255 / steps));
}

// libpng's simplified interface: no setjmp in our code, errors come back as text.

std::vector<std::byte> encode_png(const Image& image) {
    LIMBER_CHECK(image.width > 0 && image.height > 0, "an empty image has no PNG");
    LIMBER_CHECK(image.rgb.size() == std::size_t(3) * image.width * image.height, "image size");
    png_image header;
    std::memset(&header, 0, sizeof header);
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(image.width);
    header.height = static_cast<png_uint_32>(image.height);
    header.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
    std::vector<std::byte> out(size);
    if (!png_image_write_to_memory(&header, out.data(), &size, 0, image.rgb.data(), 0, nullptr))
        throw SystemError(std::string("cannot encode a PNG: ") + header.message);
    out.resize(size);
    return out;
}

Image decode_png(const std::vector<std::byte>& file, const std::string& name) {
    png_image header;
    std::memset(&header, 0, sizeof header);
    header.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&header, file.data(), file.size()))
        throw InputError({name, 0, 0, -1}, std::string("not a PNG: ") + header.message);
    header.format = PNG_FORMAT_RGB;
    constexpr png_uint_32 largest = 1u << 15;
    if (header.width > largest || header.height > largest) {
        png_image_free(&header);
        throw InputError({name, 0, 0, -1}, "PNG larger than 32768 pixels a side");
    }
    Image image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
    image.rgb.resize(PNG_IMAGE_SIZE(header));
    if (!png_image_finish_read(&header, nullptr, image.rgb.data(), 0, nullptr))
        throw InputError({name, 0, 0, -1}, std::string("damaged PNG: ") + header.message);
    return image;
}

void write_png(const std::string& path, const Image& image) {
    const std::vector<std::byte> file = encode_png(image);
    write_file_atomic(path, std::span<const std::byte>(file));
}

}  // namespace limber
