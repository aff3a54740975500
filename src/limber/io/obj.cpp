// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: v and f; normals, texture coordinates, groups and materials are passed over.
#include <fmt/format.h>

#include <algorithm>

#include "limber/io/formats.h"
#include "limber/io/surface_faces.h"
#include "limber/io/text_scanner.h"

namespace limber {

namespace {

/// "7", "7/1", "7//3" or "7/1/3"; negative numbers count back from the last vertex.
FileId corner(const TextScanner& scan, std::size_t field, std::size_t n_nodes) {
    const std::string_view text = scan.field(field);
    const std::optional<std::int64_t> number = parse_whole(text.substr(0, text.find('/')));
    if (!number || *number == 0)
        scan.fail(field, fmt::format("corner '{}'; expected a vertex number, from 1 or negative",
                                     printable(text)));
    return *number > 0 ? *number : static_cast<FileId>(n_nodes) + 1 + *number;
}

}  // namespace

bool is_obj(std::string_view bytes) {
    TextScanner scan(bytes.substr(0, TextScanner::max_line), "");
    scan.set_comment('#');
    if (!scan.next_line()) return false;
    constexpr std::string_view words[] = {"v", "vn", "vt", "vp",     "f",      "o",
                                          "g", "s",  "l",  "mtllib", "usemtl", "p"};
    return std::find(std::begin(words), std::end(words), scan.field(0)) != std::end(words);
}

MeshAsRead read_obj(const MeshSource& source, const ReadMeshOptions&) {
    TextScanner scan(source.bytes, source.file);
    scan.set_comment('#');
    MeshBuilder builder(source);
    SurfaceFaces faces(builder);
    std::vector<FileId> nodes;
    while (scan.next_line()) {
        const std::string_view word = scan.field(0);
        if (word == "v") {
            if (scan.n_fields() < 4) scan.require_fields(4, "v x y z");
            builder.add_node(static_cast<FileId>(builder.n_nodes()) + 1,
                             {scan.number(1), scan.number(2), scan.number(3)}, scan.where());
        } else if (word == "f") {
            if (scan.n_fields() < 4)
                scan.fail(
                    fmt::format("face of {} corners; expected at least 3", scan.n_fields() - 1));
            nodes.clear();
            for (std::size_t i = 1; i < scan.n_fields(); ++i)
                nodes.push_back(corner(scan, i, builder.n_nodes()));
            faces.add(nodes, scan.where());
        }
    }
    return builder.build();
}

}  // namespace limber
