// SPDX-License-Identifier: Apache-2.0
// STL, text and binary (3D Systems, "SLC file specification", appendix STL). Every triangle repeats
// its corners: equal ones are made one.
#include <fmt/format.h>

#include "limber/io/binary_scanner.h"
#include "limber/io/formats.h"
#include "limber/io/text_scanner.h"

namespace limber {

namespace {

constexpr std::size_t header_size = 80, triangle_size = 50;

bool is_binary(std::string_view bytes) {
    return is_binary_stl(bytes, bytes.size());
}

void add_triangle(TriMesh& mesh) {
    const Index n = mesh.n_nodes();
    mesh.triangles.push_back({n - 3, n - 2, n - 1});
}

TriMesh read_binary(const MeshSource& source) {
    BinaryScanner data(source.bytes, source.file);
    data.take_bytes(header_size);
    const std::size_t n = data.count(data.take<std::uint32_t>(), "triangles", triangle_size);
    TriMesh mesh;
    mesh.nodes.reserve(3 * n);
    mesh.triangles.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const char* p = data.take_bytes(triangle_size) + 12;  // behind the normal
        for (int k = 0; k < 3; ++k, p += 12) {
            const Vec3d corner{value_at<float>(p, false), value_at<float>(p + 4, false),
                               value_at<float>(p + 8, false)};
            if (!is_finite(corner))
                data.fail(
                    fmt::format("triangle {} has a corner at ({}, {}, {}); expected finite "
                                "numbers",
                                i, corner.x, corner.y, corner.z));
            mesh.nodes.push_back(corner);
        }
        add_triangle(mesh);
    }
    return mesh;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

/// "facet normal", "outer loop", three times "vertex x y z", "endloop", "endfacet".
TriMesh read_ascii(const MeshSource& source) {
    TextScanner scan(source.bytes, source.file);
    TriMesh mesh;
    int corners = -1;  // of the facet being read; -1: outside
    bool ended = false;
    while (scan.next_line()) {
        std::string word = lower(scan.field(0));
        if (word == "end" && scan.n_fields() > 1) word += lower(scan.field(1));  // "end solid"
        if (word == "vertex") {
            if (corners < 0) scan.fail("vertex outside a facet");
            if (++corners > 3) scan.fail("facet of more than 3 corners");
            scan.require_fields(4, "vertex x y z");
            mesh.nodes.push_back({scan.number(1), scan.number(2), scan.number(3)});
        } else if (word == "facet") {
            if (corners >= 0) scan.fail("facet inside a facet; expected endfacet");
            corners = 0;
        } else if (word == "endfacet") {
            if (corners != 3)
                scan.fail(fmt::format("facet of {} corners; expected 3", std::max(corners, 0)));
            add_triangle(mesh);
            corners = -1;
        } else if (word == "solid" || word == "endsolid") {
            if (corners >= 0) scan.fail(fmt::format("{} inside a facet", word));
            ended = word == "endsolid";
        } else if (word != "outer" && word != "endloop") {
            scan.fail(0, fmt::format("'{}'; expected facet, outer loop, vertex, endloop, endfacet "
                                     "or endsolid",
                                     printable(scan.field(0))));
        }
    }
    if (!ended || corners >= 0)
        throw InputError(scan.place(),
                         fmt::format("file ends inside a solid after {} facets; expected endsolid",
                                     mesh.triangles.size()));
    return mesh;
}

}  // namespace

bool is_binary_stl(std::string_view head, std::size_t file_size) {
    if (head.size() < header_size + 4) return false;
    const auto n = value_at<std::uint32_t>(head.data() + header_size, false);
    return file_size == header_size + 4 + std::size_t{n} * triangle_size;
}

bool is_stl(std::string_view bytes) {
    if (is_binary(bytes)) return true;
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    return first != bytes.npos && lower(bytes.substr(first, 5)) == "solid";
}

MeshAsRead read_stl(const MeshSource& source, const ReadMeshOptions&) {
    const TriMesh soup = is_binary(source.bytes) ? read_binary(source) : read_ascii(source);
    if (!source.faces)
        throw InputError({source.file}, fmt::format("no tetrahedra in mesh; it has {} triangles",
                                                    soup.triangles.size()));
    if (soup.triangles.empty()) throw InputError({source.file}, "no triangles in mesh");
    MeshAsRead read{{}, welded(soup), {}};
    const Index lost = soup.n_triangles() - read.surface.n_triangles();
    if (lost > 0)
        read.warnings.push_back(fmt::format("{} triangles with two equal corners left out", lost));
    return read;
}

}  // namespace limber
