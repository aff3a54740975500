// SPDX-License-Identifier: Apache-2.0
// OBJ frames and Lightwave's MDD cache: what Blender's Mesh Cache modifier and most others read.
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "limber/core/check.h"
#include "limber/io/file.h"
#include "limber/io/surface_animation.h"

namespace limber {

namespace {

void put_big_endian(std::string& out, std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift);
}
void put_big_endian(std::string& out, float value) {
    put_big_endian(out, std::bit_cast<std::uint32_t>(value));
}
template <class T>
void put_text(std::string& out, T value) {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    out.append(buffer, end.ptr);
}

}  // namespace

void write_obj_frame(const std::string& path, const AnimatedSurface& body, std::size_t frame) {
    LIMBER_CHECK(frame < body.frames.size(), "a frame that is there");
    const std::vector<float>& p = body.frames[frame];
    std::string out = "# limber\no " + body.name + '\n';
    for (std::size_t i = 0; i < p.size(); i += 3) {
        out += 'v';
        for (int k = 0; k < 3; ++k) {
            out += ' ';
            put_text(out, p[i + static_cast<std::size_t>(k)]);
        }
        out += '\n';
    }
    for (const Triangle& t : body.triangles) {
        out += 'f';
        for (const Index i : t) {
            out += ' ';
            put_text(out, i + 1);
        }
        out += '\n';
    }
    write_file_atomic(path, out, Flush::to_system);
}

void write_mdd(const std::string& path, const AnimatedSurface& body,
               const std::vector<double>& times) {
    LIMBER_CHECK(times.size() == body.frames.size(), "a time a frame");
    std::string out;
    put_big_endian(out, static_cast<std::uint32_t>(times.size()));
    put_big_endian(out, static_cast<std::uint32_t>(body.n_vertices()));
    for (const double t : times) put_big_endian(out, static_cast<float>(t));
    for (const std::vector<float>& frame : body.frames)
        for (const float x : frame) put_big_endian(out, x);
    write_file_atomic(path, out, Flush::to_system);
}

}  // namespace limber
