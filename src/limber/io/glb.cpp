// SPDX-License-Identifier: Apache-2.0
// glTF 2.0 specification, sections 3 (concepts), 4 (GLB) and 5 (properties).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "limber/core/check.h"
#include "limber/core/version.h"
#include "limber/io/file.h"
#include "limber/io/surface_animation.h"

namespace limber {

namespace {

using Json = nlohmann::json;

enum Target { array_buffer = 34962, element_array_buffer = 34963, none = 0 };
enum Component { unsigned_int = 5125, float32 = 5126 };

/// The binary chunk and the views and accessors into it.
class Buffer {
  public:
    int add(const void* data, std::size_t size, int target) {
        Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", size}};
        if (target != none) view["target"] = target;
        views_.push_back(std::move(view));
        bytes_.append(static_cast<const char*>(data), size);
        bytes_.resize((bytes_.size() + 3) / 4 * 4);
        return static_cast<int>(views_.size()) - 1;
    }
    int accessor(int view, int component, std::size_t count, const char* type, Json more = {}) {
        Json out = {
            {"bufferView", view}, {"componentType", component}, {"count", count}, {"type", type}};
        if (more.is_object()) out.update(more);
        accessors_.push_back(std::move(out));
        return static_cast<int>(accessors_.size()) - 1;
    }
    int positions(const std::vector<float>& xyz) {
        Json lo = Json::array(), hi = Json::array();
        for (int k = 0; k < 3; ++k) {
            float least = std::numeric_limits<float>::max(), most = -least;
            for (std::size_t i = static_cast<std::size_t>(k); i < xyz.size(); i += 3) {
                least = std::min(least, xyz[i]);
                most = std::max(most, xyz[i]);
            }
            lo.push_back(least);
            hi.push_back(most);
        }
        return accessor(add(xyz.data(), 4 * xyz.size(), array_buffer), float32, xyz.size() / 3,
                        "VEC3", {{"min", lo}, {"max", hi}});
    }
    const std::string& bytes() const { return bytes_; }
    const Json& views() const { return views_; }
    const Json& accessors() const { return accessors_; }

  private:
    std::string bytes_;
    Json views_ = Json::array(), accessors_ = Json::array();
};

/// Area-weighted, unit; what a viewer lights the body by.
std::vector<float> normals_of(const AnimatedSurface& body) {
    const std::vector<float>& p = body.frames[0];
    std::vector<float> out(p.size(), 0);
    for (const Triangle& t : body.triangles) {
        float e[2][3], n[3];
        for (int k = 0; k < 3; ++k) {
            e[0][k] = p[3 * t[1] + k] - p[3 * t[0] + k];
            e[1][k] = p[3 * t[2] + k] - p[3 * t[0] + k];
        }
        for (int k = 0; k < 3; ++k)
            n[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
        for (const Index i : t)
            for (int k = 0; k < 3; ++k) out[3 * i + k] += n[k];
    }
    for (std::size_t i = 0; i < out.size(); i += 3) {
        const float size = std::hypot(out[i], out[i + 1], out[i + 2]);
        for (int k = 0; k < 3; ++k) out[i + k] = size > 0 ? out[i + k] / size : (k == 1 ? 1 : 0);
    }
    return out;
}

Json mesh_json(const AnimatedSurface& body, int material, Buffer& buffer) {
    Json primitive = {{"mode", 4}, {"material", material}};
    primitive["attributes"]["POSITION"] = buffer.positions(body.frames[0]);
    const std::vector<float> normals = normals_of(body);
    primitive["attributes"]["NORMAL"] =
        buffer.accessor(buffer.add(normals.data(), 4 * normals.size(), array_buffer), float32,
                        normals.size() / 3, "VEC3");
    const int indices =
        buffer.add(body.triangles.data(), 12 * body.triangles.size(), element_array_buffer);
    primitive["indices"] =
        buffer.accessor(indices, unsigned_int, 3 * body.triangles.size(), "SCALAR");
    for (std::size_t f = 1; f < body.frames.size(); ++f) {
        std::vector<float> change = body.frames[f];
        for (std::size_t i = 0; i < change.size(); ++i) change[i] -= body.frames[0][i];
        primitive["targets"].push_back({{"POSITION", buffer.positions(change)}});
    }
    return {{"name", body.name}, {"primitives", Json::array({primitive})}};
}

/// At the time of frame k target k - 1 has weight 1, all others 0.
Json animation_json(const SurfaceAnimation& a, Buffer& buffer) {
    const std::size_t n = a.times.size();
    std::vector<float> times(a.times.begin(), a.times.end());
    std::vector<float> weights(n * (n - 1), 0);
    for (std::size_t k = 1; k < n; ++k) weights[k * (n - 1) + k - 1] = 1;
    const int input = buffer.accessor(buffer.add(times.data(), 4 * n, none), float32, n, "SCALAR",
                                      {{"min", {times.front()}}, {"max", {times.back()}}});
    const int output = buffer.accessor(buffer.add(weights.data(), 4 * weights.size(), none),
                                       float32, weights.size(), "SCALAR");
    Json out = {{"name", "run"}, {"channels", Json::array()}, {"samplers", Json::array()}};
    out["samplers"].push_back({{"input", input}, {"output", output}, {"interpolation", "LINEAR"}});
    for (std::size_t b = 0; b < a.bodies.size(); ++b)
        out["channels"].push_back(
            {{"sampler", 0}, {"target", {{"node", b + 1}, {"path", "weights"}}}});
    return out;
}

std::string chunk(const char* type, std::string bytes, char padding) {
    bytes.resize((bytes.size() + 3) / 4 * 4, padding);
    const auto size = static_cast<std::uint32_t>(bytes.size());
    std::string out(reinterpret_cast<const char*>(&size), 4);
    return out.append(type, 4).append(bytes);
}

}  // namespace

void write_glb(const std::string& path, const SurfaceAnimation& a) {
    LIMBER_CHECK(!a.times.empty() && !a.bodies.empty(), "an animation has frames and bodies");
    static constexpr double colours[][3] = {
        {0.04, 0.21, 0.60}, {0.73, 0.21, 0.03}, {0.05, 0.34, 0.12}, {0.45, 0.09, 0.32}};
    Buffer buffer;
    Json root = {{"name", "limber"}, {"children", Json::array()}};
    if (a.z_up) root["rotation"] = {-std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
    Json nodes = Json::array(), meshes = Json::array(), materials = Json::array();
    for (std::size_t b = 0; b < a.bodies.size(); ++b) {
        const double* c = colours[b % 4];
        materials.push_back({{"name", a.bodies[b].name},
                             {"doubleSided", true},
                             {"pbrMetallicRoughness",
                              {{"baseColorFactor", {c[0], c[1], c[2], 1}},
                               {"metallicFactor", 0},
                               {"roughnessFactor", 0.6}}}});
        meshes.push_back(mesh_json(a.bodies[b], static_cast<int>(b), buffer));
        nodes.push_back({{"name", a.bodies[b].name}, {"mesh", b}});
        root["children"].push_back(b + 1);
    }
    nodes.insert(nodes.begin(), std::move(root));
    Json all = {
        {"asset",
         {{"version", "2.0"}, {"generator", "limber " + std::string(build_info().version)}}},
        {"scene", 0},
        {"scenes", Json::array({{{"nodes", {0}}}})},
        {"nodes", nodes},
        {"meshes", meshes},
        {"materials", materials}};
    if (a.times.size() > 1) all["animations"] = Json::array({animation_json(a, buffer)});
    all["bufferViews"] = buffer.views();
    all["accessors"] = buffer.accessors();
    all["buffers"] = Json::array({{{"byteLength", buffer.bytes().size()}}});
    const std::string body = chunk("JSON", all.dump(), ' ') +
                             chunk(std::string("BIN\0", 4).c_str(), buffer.bytes(), '\0');
    const std::uint32_t head[2] = {2, static_cast<std::uint32_t>(12 + body.size())};
    write_file_atomic(
        path, std::string("glTF").append(reinterpret_cast<const char*>(head), 8).append(body));
}

}  // namespace limber
