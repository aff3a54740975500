// SPDX-License-Identifier: Apache-2.0
// TetGen .node and .ele, one file for the nodes and one for the tets. TetGen manual, "File
// formats".
#include <fmt/format.h>

#include <algorithm>

#include "limber/io/file.h"
#include "limber/io/formats.h"
#include "limber/io/text_scanner.h"

namespace limber {

namespace {

constexpr std::size_t tetgen_shortest_entry = 8;  // "0 0 0 0\n"

TextScanner tetgen_scanner(std::string_view bytes, const std::string& file) {
    TextScanner scan(bytes, file);
    scan.set_comment('#');
    return scan;
}

/// Column numbers of a header, as far as they are whole numbers.
std::vector<std::int64_t> header_of(TextScanner& scan) {
    std::vector<std::int64_t> header;
    for (std::size_t i = 0; i < scan.n_fields(); ++i) {
        const std::optional<std::int64_t> value = parse_whole(scan.field(i));
        if (!value) return {};
        header.push_back(*value);
    }
    return header;
}

/// "number of points, dimension 3, attributes, 0 or 1 boundary marker".
bool is_node_header(const std::vector<std::int64_t>& header) {
    return header.size() >= 2 && header.size() <= 4 && header[1] == 3;
}
/// "number of tetrahedra, nodes of each, 0 or 1 region attribute".
bool is_ele_header(const std::vector<std::int64_t>& header) {
    return (header.size() == 2 || header.size() == 3) && (header[1] == 4 || header[1] == 10);
}

std::size_t column_count(const TextScanner& scan, std::size_t field, std::string_view what) {
    constexpr std::int64_t most = 1000;
    if (field >= scan.n_fields()) return 0;
    const std::int64_t n = scan.whole(field, what);
    if (n < 0 || n > most) scan.fail(field, fmt::format("{} {}; allowed: 0 to {}", what, n, most));
    return static_cast<std::size_t>(n);
}

void next_entry(TextScanner& scan, std::string_view what, std::size_t i, std::size_t n,
                const std::string& other) {
    scan.set_entry(i);
    if (!scan.next_line())
        throw InputError(scan.place(), fmt::format("file ends inside {} after entry {}: it "
                                                   "announces {}; its other half is {}",
                                                   what, i, n, other));
}

void read_nodes(std::string_view bytes, const std::string& file, const std::string& other,
                MeshBuilder& builder) {
    TextScanner scan = tetgen_scanner(bytes, file);
    if (!scan.next_line() || !is_node_header(header_of(scan)))
        scan.fail(
            fmt::format("expected: number of points, 3, attributes, boundary markers (the "
                        "nodes of {})",
                        other));
    const std::size_t n = scan.count(0, "nodes", tetgen_shortest_entry);
    const std::size_t attributes = column_count(scan, 2, "number of attributes");
    const bool marked = column_count(scan, 3, "number of boundary markers") > 0;
    scan.set_context("the nodes", "");
    builder.reserve_nodes(scan.capacity(n, tetgen_shortest_entry));
    for (std::size_t i = 0; i < n; ++i) {
        next_entry(scan, "the nodes", i, n, other);
        const std::size_t columns = 4 + attributes + (marked ? 1 : 0);
        if (scan.n_fields() != columns)
            scan.require_fields(columns, "node id, x, y, z, attributes and boundary marker");
        const FileId id = scan.whole(0, "node id");
        builder.add_node(id, {scan.number(1), scan.number(2), scan.number(3)}, scan.where());
        if (!marked) continue;
        const FileId marker = scan.whole(4 + attributes, "boundary marker");
        if (marker != 0) builder.mark_node(0, marker, id, scan.where());
        if (marker != 0) builder.name_group(0, marker, fmt::format("marker_{}", marker));
    }
    if (scan.next_line())
        scan.fail(fmt::format("{} nodes announced; more follow (the nodes of {})", n, other));
}

/// The last attribute of a tet is its region.
void add_region(const TextScanner& scan, std::size_t field, MeshBuilder& builder) {
    const double value = scan.number(field);
    constexpr double largest = 1e9;
    const auto region = static_cast<FileId>(std::clamp(value, -largest, largest));
    if (region == 0 || static_cast<double>(region) != value) return;
    builder.name_group(3, region, fmt::format("region_{}", region));
    builder.mark_tet(region, static_cast<Index>(builder.n_tets()));
}

void read_tets(std::string_view bytes, const std::string& file, const std::string& other,
               const ReadMeshOptions& options, MeshBuilder& builder) {
    TextScanner scan = tetgen_scanner(bytes, file);
    if (!scan.next_line() || !is_ele_header(header_of(scan)))
        scan.fail(fmt::format(
            "expected: number of tetrahedra, 4, attributes (the tetrahedra of {})", other));
    const std::size_t n = scan.count(0, "tetrahedra", tetgen_shortest_entry);
    const auto corners = static_cast<std::size_t>(scan.whole(1, "nodes of a tetrahedron"));
    if (corners == 10 && !options.linearise)
        scan.fail(1, "10-node tetrahedra: use --linearise to read their corners");
    const std::size_t attributes = column_count(scan, 2, "number of attributes");
    scan.set_context("the tetrahedra", "");
    builder.reserve_tets(scan.capacity(n, tetgen_shortest_entry));
    for (std::size_t i = 0; i < n; ++i) {
        next_entry(scan, "the tetrahedra", i, n, other);
        const std::size_t columns = 1 + corners + attributes;
        if (scan.n_fields() != columns)
            scan.require_fields(columns, "tetrahedron id, its nodes and attributes");
        if (attributes) add_region(scan, columns - 1, builder);
        std::array<FileId, 4> nodes;
        for (std::size_t k = 0; k < 4; ++k) nodes[k] = scan.whole(1 + k, "node id");
        builder.add_tet(scan.whole(0, "tetrahedron id"), nodes, {}, scan.where());
    }
    if (scan.next_line())
        scan.fail(
            fmt::format("{} tetrahedra announced; more follow (the tetrahedra of {})", n, other));
}

std::string with_suffix(const std::string& path, std::string_view suffix) {
    const std::size_t slash = path.rfind('/'), dot = path.rfind('.');
    const bool has = dot != path.npos && (slash == path.npos || dot > slash);
    return (has ? path.substr(0, dot) : path) + std::string(suffix);
}

}  // namespace

bool is_tetgen(std::string_view bytes) {
    TextScanner scan = tetgen_scanner(bytes.substr(0, 4096), "");
    if (!scan.next_line()) return false;
    const std::vector<std::int64_t> header = header_of(scan);
    return is_node_header(header) || is_ele_header(header);
}

MeshAsRead read_tetgen(const MeshSource& source, const ReadMeshOptions& options) {
    TextScanner head = tetgen_scanner(source.bytes, source.file);
    head.next_line();
    const bool nodes_given = is_node_header(header_of(head));
    const std::string suffix = nodes_given ? ".ele" : ".node";
    const std::string other_file = with_suffix(source.file, suffix);
    const std::string missing =
        fmt::format("TetGen {} need {} beside them: {}", nodes_given ? "nodes" : "tetrahedra",
                    nodes_given ? "their tetrahedra" : "their nodes", other_file);
    if (source.path.empty()) throw InputError({source.file}, missing);
    std::string other;
    try {
        other = read_file(with_suffix(source.path, suffix));
    } catch (const SystemError& e) {
        throw InputError({source.file}, fmt::format("{} ({})", missing, e.what()));
    }
    MeshSource tets = source;
    if (nodes_given) tets.file = other_file;
    const std::string node_file = nodes_given ? source.file : other_file;
    MeshBuilder builder(tets);
    builder.set_node_file(node_file);
    read_nodes(nodes_given ? source.bytes : std::string_view(other), node_file, tets.file, builder);
    read_tets(nodes_given ? std::string_view(other) : source.bytes, tets.file, node_file, options,
              builder);
    return builder.build();
}

}  // namespace limber
