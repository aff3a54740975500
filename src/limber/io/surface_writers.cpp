// SPDX-License-Identifier: Apache-2.0
// OBJ, OFF (text), STL and PLY (binary) from a surface.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/io/formats.h"

namespace limber {

namespace {

using Out = std::back_insert_iterator<std::string>;

void require_writable(const TriMesh& mesh) {
    LIMBER_CHECK(!mesh.triangles.empty(), "a surface to write has triangles");
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        if (!is_finite(mesh.nodes[i])) throw Bug("node " + std::to_string(i) + " is not finite");
    for (const Triangle& t : mesh.triangles)
        for (Index node : t)
            LIMBER_CHECK(node >= 0 && node < mesh.n_nodes(), "triangles use nodes of the surface");
}

template <class T>
void put_bytes(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof raw);
    bytes.append(raw, sizeof raw);
}

void put_floats(std::string& bytes, const Vec3d& v) {
    for (int k = 0; k < 3; ++k) put_bytes(bytes, static_cast<float>(v[k]));
}

}  // namespace

void write_obj(const std::string& path, const TriMesh& mesh) {
    require_writable(mesh);
    std::string text;
    Out out(text);
    for (const Vec3d& p : mesh.nodes) fmt::format_to(out, "v {} {} {}\n", p.x, p.y, p.z);
    for (const auto& [a, b, c] : mesh.triangles)
        fmt::format_to(out, "f {} {} {}\n", a + 1, b + 1, c + 1);
    write_file_atomic(path, text);
}

void write_off(const std::string& path, const TriMesh& mesh) {
    require_writable(mesh);
    std::string text;
    Out out(text);
    fmt::format_to(out, "OFF\n{} {} 0\n", mesh.n_nodes(), mesh.n_triangles());
    for (const Vec3d& p : mesh.nodes) fmt::format_to(out, "{} {} {}\n", p.x, p.y, p.z);
    for (const auto& [a, b, c] : mesh.triangles) fmt::format_to(out, "3 {} {} {}\n", a, b, c);
    write_file_atomic(path, text);
}

void write_stl(const std::string& path, const TriMesh& mesh) {
    require_writable(mesh);
    for (const Vec3d& p : mesh.nodes)
        for (int k = 0; k < 3; ++k)
            if (!std::isfinite(static_cast<float>(p[k])))
                throw InputError({printable(path, 500)},
                                 fmt::format("coordinate {} does not fit the floats of STL", p[k]));
    std::string bytes = "binary STL by limber";  // must not begin with "solid"
    bytes.resize(80, ' ');
    put_bytes(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
    for (const auto& [a, b, c] : mesh.triangles) {
        const Vec3d n = cross(mesh.nodes[b] - mesh.nodes[a], mesh.nodes[c] - mesh.nodes[a]);
        const double length = norm(n);
        put_floats(bytes, length > 0 && std::isfinite(length) ? n * (1 / length) : Vec3d{});
        for (Index node : {a, b, c}) put_floats(bytes, mesh.nodes[node]);
        put_bytes(bytes, std::uint16_t{0});
    }
    write_file_atomic(path, bytes);
}

void write_ply(const std::string& path, const TriMesh& mesh) {
    require_writable(mesh);
    std::string bytes = fmt::format(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\n"
        "property double y\nproperty double z\nelement face {}\n"
        "property list uchar int vertex_indices\nend_header\n",
        mesh.n_nodes(), mesh.n_triangles());
    for (const Vec3d& p : mesh.nodes)
        for (int k = 0; k < 3; ++k) put_bytes(bytes, p[k]);
    for (const Triangle& t : mesh.triangles) {
        put_bytes(bytes, std::uint8_t{3});
        for (Index node : t) put_bytes(bytes, node);
    }
    write_file_atomic(path, bytes);
}

}  // namespace limber
