// SPDX-License-Identifier: Apache-2.0
// OFF: vertices, then faces. Geomview manual, "OFF files"; what follows the coordinates (normals,
// colours, texture) is passed over.
#include <fmt/format.h>

#include "limber/io/formats.h"
#include "limber/io/surface_faces.h"
#include "limber/io/text_scanner.h"

namespace limber {

namespace {

TextScanner off_scanner(std::string_view bytes, const std::string& file) {
    TextScanner scan(bytes, file);
    scan.set_comment('#');
    return scan;
}

void next_entry(TextScanner& scan, std::size_t i) {
    scan.set_entry(i);
    if (!scan.next_line()) scan.fail_cut();
}

}  // namespace

bool is_off(std::string_view bytes) {
    TextScanner scan = off_scanner(bytes.substr(0, TextScanner::max_line), "");
    return scan.next_line() && scan.field(0).ends_with("OFF") && scan.field(0).size() <= 7;
}

MeshAsRead read_off(const MeshSource& source, const ReadMeshOptions&) {
    TextScanner scan = off_scanner(source.bytes, source.file);
    scan.set_context("the header", "");
    scan.next_word();
    const std::string keyword(scan.word());
    for (const char* allowed :
         {"OFF", "COFF", "NOFF", "CNOFF", "STOFF", "STCOFF", "STNOFF", "STCNOFF", ""}) {
        if (keyword == allowed) break;
        if (!*allowed)
            scan.fail(
                fmt::format("'{}'; supported: OFF with ST, C or N before it", printable(keyword)));
    }
    if (scan.n_fields() > 1 && scan.field(1) == "BINARY") scan.fail("binary OFF; supported: ASCII");
    const std::size_t n_nodes = scan.take_count("vertices", 6);
    const std::size_t n_faces = scan.take_count("faces", 2);
    scan.drop_line();  // the number of edges, which nobody needs

    MeshBuilder builder(source);
    builder.reserve_nodes(scan.capacity(n_nodes, 6));
    scan.set_context(fmt::format("the {} vertices", n_nodes), "");
    for (std::size_t i = 0; i < n_nodes; ++i) {
        next_entry(scan, i);
        if (scan.n_fields() < 3) scan.require_fields(3, "x, y, z");
        builder.add_node(static_cast<FileId>(i), {scan.number(0), scan.number(1), scan.number(2)},
                         scan.where());
    }
    scan.set_context(fmt::format("the {} faces", n_faces), "");
    SurfaceFaces faces(builder);
    std::vector<FileId> nodes;
    for (std::size_t i = 0; i < n_faces; ++i) {
        next_entry(scan, i);
        const std::int64_t n = scan.whole(0, "number of corners");
        if (n < 3 || n > static_cast<std::int64_t>(scan.n_fields()) - 1)
            scan.fail(0, fmt::format("face {} of {} corners with {} numbers; expected at least 3 "
                                     "corners and as many numbers",
                                     i, n, scan.n_fields() - 1));
        nodes.clear();
        for (std::size_t k = 1; k <= static_cast<std::size_t>(n); ++k)
            nodes.push_back(scan.whole(k, "vertex"));
        faces.add(nodes, scan.where());
    }
    if (scan.next_line())
        builder.warn(fmt::format("line {}: text after the last face", scan.line_number()));
    return builder.build();
}

}  // namespace limber
