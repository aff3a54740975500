// SPDX-License-Identifier: Apache-2.0
// ASCII USD: UsdGeomMesh with points.timeSamples.
#include <charconv>
#include <set>

#include "limber/core/check.h"
#include "limber/io/file.h"
#include "limber/io/surface_animation.h"

namespace limber {

namespace {

constexpr double codes_per_second = 60;

template <class T>
void put_number(std::string& out, T value) {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    out.append(buffer, end.ptr);
}

/// A prim's name: letters, digits and _, not a digit first, each once.
std::string prim_name(const std::string& name, std::set<std::string>& taken) {
    std::string out;
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool digit = c >= '0' && c <= '9';
        if (digit && out.empty()) out += '_';
        out += letter || digit ? c : '_';
    }
    if (out.empty()) out = "body";
    while (!taken.insert(out).second) out += '_';
    return out;
}

void put_points(std::string& out, const std::vector<float>& p) {
    out += '[';
    for (std::size_t i = 0; i < p.size(); i += 3) {
        out += i ? ", (" : "(";
        for (std::size_t k = 0; k < 3; ++k) {
            if (k) out += ", ";
            put_number(out, p[i + k]);
        }
        out += ')';
    }
    out += ']';
}

void put_mesh(std::string& out, const AnimatedSurface& body, const std::string& name,
              const std::vector<double>& times) {
    out += "    def Mesh \"" + name +
           "\"\n    {\n        uniform token subdivisionScheme = \"none\"\n";
    out += "        int[] faceVertexCounts = [";
    for (std::size_t t = 0; t < body.triangles.size(); ++t) out += t ? ", 3" : "3";
    out += "]\n        int[] faceVertexIndices = [";
    for (std::size_t t = 0; t < body.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            if (t + k > 0) out += ", ";
            put_number(out, body.triangles[t][k]);
        }
    out += "]\n        point3f[] points.timeSamples = {\n";
    for (std::size_t f = 0; f < times.size(); ++f) {
        out += "            ";
        put_number(out, times[f] * codes_per_second);
        out += ": ";
        put_points(out, body.frames[f]);
        out += ",\n";
    }
    out += "        }\n    }\n";
}

}  // namespace

void write_usda(const std::string& path, const SurfaceAnimation& a) {
    LIMBER_CHECK(!a.times.empty(), "an animation has frames");
    std::string out =
        "#usda 1.0\n(\n    defaultPrim = \"limber\"\n    metersPerUnit = 1\n    upAxis = \"";
    out += a.z_up ? 'Z' : 'Y';
    out += "\"\n    startTimeCode = ";
    put_number(out, a.times.front() * codes_per_second);
    out += "\n    endTimeCode = ";
    put_number(out, a.times.back() * codes_per_second);
    out += "\n    timeCodesPerSecond = ";
    put_number(out, codes_per_second);
    out += "\n)\n\ndef Xform \"limber\"\n{\n";
    std::set<std::string> taken;
    for (const AnimatedSurface& body : a.bodies)
        put_mesh(out, body, prim_name(body.name, taken), a.times);
    out += "}\n";
    write_file_atomic(path, out, Flush::to_system);
}

}  // namespace limber
