// SPDX-License-Identifier: Apache-2.0
#include "limber/io/gmsh/gmsh.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>

#include "limber/io/formats.h"

namespace limber {

namespace {

constexpr GmshCellType gmsh_cell_types[] = {
    {1, 1, 2, "lines"},
    {2, 2, 3, "triangles"},
    {3, 2, 4, "quadrangles"},
    {4, 3, 4, "tetrahedra", true},
    {5, 3, 8, "hexahedra"},
    {6, 3, 6, "prisms"},
    {7, 3, 5, "pyramids"},
    {8, 1, 3, "3-node lines"},
    {9, 2, 6, "6-node triangles"},
    {10, 2, 9, "9-node quadrangles"},
    {11, 3, 10, "10-node tetrahedra", true},
    {12, 3, 27, "27-node hexahedra"},
    {13, 3, 18, "18-node prisms"},
    {14, 3, 14, "14-node pyramids"},
    {15, 0, 1, "points"},
    {16, 2, 8, "8-node quadrangles"},
    {17, 3, 20, "20-node hexahedra"},
    {18, 3, 15, "15-node prisms"},
    {19, 3, 13, "13-node pyramids"},
    {20, 2, 9, "9-node triangles"},
    {21, 2, 10, "10-node triangles"},
    {22, 2, 12, "12-node triangles"},
    {23, 2, 15, "15-node triangles"},
    {24, 2, 15, "15-node incomplete triangles"},
    {25, 2, 21, "21-node triangles"},
    {26, 1, 4, "4-node lines"},
    {27, 1, 5, "5-node lines"},
    {28, 1, 6, "6-node lines"},
    {29, 3, 20, "20-node tetrahedra", true},
    {30, 3, 35, "35-node tetrahedra", true},
    {31, 3, 56, "56-node tetrahedra", true},
    {92, 3, 64, "64-node hexahedra"},
    {93, 3, 125, "125-node hexahedra"},
};

struct GmshVersion {
    double number;
    std::span<const GmshSection> (*ascii)();
    std::span<const GmshSection> (*binary)();
};
constexpr GmshVersion versions[] = {{2.2, gmsh22_sections, gmsh22_binary_sections},
                                    {2.1, gmsh22_sections, gmsh22_binary_sections},
                                    {2.0, gmsh22_sections, gmsh22_binary_sections},
                                    {4.0, gmsh40_sections, gmsh40_binary_sections},
                                    {4.1, gmsh41_sections, gmsh41_binary_sections}};
constexpr const char* supported = "supported: 1, 2.0 to 2.2, 4.0 and 4.1";

/// Behind the version line of a binary file stands a 1 that tells the byte order.
void read_byte_order(GmshInput& in) {
    in.binary = true;
    in.scan.use_offsets();
    in.builder.use_offsets();
    BinaryScanner data = in.begin_binary();
    const char* bytes = data.take_bytes(4);
    in.swap = value_at<std::int32_t>(bytes, true) == 1;
    if (!in.swap && value_at<std::int32_t>(bytes, false) != 1)
        data.fail("no byte order mark: expected a 1 of 4 bytes after the version of a binary file");
    in.scan.seek(data.position());
}

/// "$MeshFormat / version binary data_size / $EndMeshFormat".
std::span<const GmshSection> read_header(GmshInput& in) {
    TextScanner& scan = in.scan;
    if (!scan.next_line() || scan.field(0) != "$MeshFormat")
        scan.fail("no $MeshFormat found before this line");
    in.section = "$MeshFormat";
    in.section_begin = scan.where();
    scan.set_context("section $MeshFormat", "$EndMeshFormat");
    if (!scan.next_line()) scan.fail_cut();
    if (scan.field(0).starts_with('$'))
        scan.fail(fmt::format("$MeshFormat has no version; {}", supported));
    const double number = parse_finite(scan.field(0)).value_or(0);
    const auto version = std::find_if(std::begin(versions), std::end(versions),
                                      [&](const GmshVersion& v) { return v.number == number; });
    if (version == std::end(versions))
        scan.fail(0, fmt::format("Gmsh version {} is not supported; {}", printable(scan.field(0)),
                                 supported));
    scan.require_fields(3, "version, file type, data size");
    if (scan.field(2) != "8" && scan.field(2) != "4")
        scan.fail(2, fmt::format("data size {}; allowed: 8", printable(scan.field(2))));
    if (scan.field(1) != "0" && scan.field(1) != "1")
        scan.fail(1, fmt::format("file type {}; allowed: 0 (ASCII) and 1 (binary)",
                                 printable(scan.field(1))));
    if (scan.field(1) == "1" && scan.field(2) != "8")
        scan.fail(
            2, fmt::format("data size {}; allowed in a binary file: 8", printable(scan.field(2))));
    if (scan.field(1) == "1") read_byte_order(in);
    in.end_section("lines", 1);
    return in.binary ? version->binary() : version->ascii();
}

/// Passes over a section nobody reads, up to its end marker.
void skip_section(GmshInput& in) {
    const std::string end = in.end_marker();
    const SourcePlace begin = in.scan.place();
    if (in.binary) {  // lines mean nothing in there
        const std::size_t at = in.scan.whole_text().find(end, in.scan.position());
        if (at != std::string_view::npos) in.scan.seek(at);
    }
    while (in.scan.next_line())
        if (in.scan.field(0) == end) return;
    throw InputError(begin, fmt::format("section {} is never closed; expected {}",
                                        printable(in.section), printable(end)));
}

void read_section(GmshInput& in, std::span<const GmshSection> sections,
                  std::map<std::string, std::string, std::less<>>& seen) {
    TextScanner& scan = in.scan;
    in.section = std::string(scan.field(0));
    in.section_begin = scan.where();
    const auto known = std::find_if(sections.begin(), sections.end(),
                                    [&](const GmshSection& s) { return s.name == in.section; });
    if (known == sections.end()) {
        if (in.section.starts_with("$End") || in.section.starts_with("$END"))
            scan.fail(fmt::format("{} without its beginning", printable(in.section)));
        skip_section(in);
        return;
    }
    const auto [first, is_new] = seen.emplace(in.section, in.begun());
    if (!is_new)
        scan.fail(fmt::format("section {} given twice, first {}", in.section, first->second));
    scan.set_context(fmt::format("section {} ({})", in.section, in.begun()), in.end_marker());
    scan.set_entry(0);
    known->read(in);
    scan.clear_context();
}

MeshAsRead read_all_sections(GmshInput& in, std::span<const GmshSection> sections,
                             std::initializer_list<const char*> needed) {
    std::map<std::string, std::string, std::less<>> seen;
    if (!in.section.empty()) seen.emplace(in.section, in.begun());
    in.scan.clear_context();
    std::int64_t first_outside = -1;
    while (in.scan.next_line()) {
        const bool header = in.scan.field(0) == "$MeshFormat";
        if (header && seen.count("$MeshFormat"))
            in.scan.fail(
                fmt::format("section $MeshFormat given twice, first {}", seen["$MeshFormat"]));
        if (in.scan.field(0).starts_with('$'))
            read_section(in, sections, seen);
        else if (first_outside < 0)
            first_outside = in.scan.where();
    }
    if (first_outside >= 0)
        in.builder.warn(fmt::format("{} {}: text outside any section", in.binary ? "byte" : "line",
                                    first_outside));
    for (const char* name : needed)
        if (!seen.count(name))
            throw InputError({in.scan.file()}, fmt::format("no {} section", name));
    MeshAsRead read = in.builder.build();
    read.mesh.tet_groups.erase(std::string(gmsh_rest_group));
    read.mesh.node_groups.erase(std::string(gmsh_rest_group));
    return read;
}

}  // namespace

void GmshInput::next_entry(std::string_view what, std::size_t i, std::size_t n) {
    scan.set_entry(i);
    if (!scan.next_line()) scan.fail_cut();
    if (scan.field(0).starts_with('$'))
        scan.fail(fmt::format("section {} ({}) announces {} {}; it ends after {}", section, begun(),
                              n, what, i));
}

void GmshInput::end_section(std::string_view what, std::size_t n) {
    scan.set_entry(n);
    const std::string end = end_marker();
    if (!scan.next_line()) scan.fail_cut();
    if (scan.field(0) == end) return;
    if (scan.field(0).starts_with('$'))
        scan.fail(fmt::format("section {} ({}) is not closed; expected {}, found {}", section,
                              begun(), end, printable(scan.field(0))));
    if (binary)
        scan.fail(fmt::format("section {} ({}) announces {} {}; {} is not behind them", section,
                              begun(), n, what, end));
    const SourcePlace place = scan.place();
    std::size_t found = n;
    do {
        ++found;
    } while (scan.next_line() && !scan.field(0).starts_with('$'));
    if (scan.n_fields() == 0) scan.fail_cut();
    throw InputError(place, fmt::format("section {} ({}) announces {} {}; it has {}", section,
                                        begun(), n, what, found));
}

std::string GmshInput::begun() const {
    return fmt::format("begun {} {}", binary ? "at byte" : "in line", section_begin);
}

BinaryScanner GmshInput::begin_binary() const {
    BinaryScanner data(scan.whole_text(), scan.file(), scan.position());
    data.swap = swap;
    data.set_context(fmt::format("section {} ({})", section, begun()));
    return data;
}

void GmshInput::end_binary(const BinaryScanner& data, std::string_view what, std::size_t n) {
    scan.seek(data.position());
    end_section(what, n);
}

const GmshCellType* find_gmsh_cell(std::int64_t number) {
    const auto* type = std::find_if(std::begin(gmsh_cell_types), std::end(gmsh_cell_types),
                                    [&](const GmshCellType& t) { return t.type == number; });
    return type == std::end(gmsh_cell_types) ? nullptr : type;
}

std::string gmsh_cell_refusal(const GmshCellType* type, std::int64_t number, bool linearise) {
    if (!type)
        return fmt::format(
            "element type {}; supported: 4 (tetrahedron), and 1 to 31, 92, 93 "
            "are passed over",
            number);
    if (type->tet && type->n_nodes > 4 && !linearise)
        return fmt::format("{}: use --linearise to read their corners", type->name);
    return "";
}

const GmshCellType& GmshInput::cell_type(std::size_t i) {
    const std::int64_t number = scan.whole(i, "element type");
    const GmshCellType* type = find_gmsh_cell(number);
    const std::string refusal = gmsh_cell_refusal(type, number, options.linearise);
    if (!refusal.empty()) scan.fail(i, refusal);
    return *type;
}

int gmsh_dimension(const TextScanner& scan, std::size_t i) {
    const std::int64_t dimension = scan.whole(i, "entity dimension");
    if (dimension < 0 || dimension > 3)
        scan.fail(i, fmt::format("entity dimension {}; allowed: 0 to 3", dimension));
    return static_cast<int>(dimension);
}

void GmshInput::add_cell(const GmshCellType& type, FileId id, std::span<const FileId> physical) {
    const auto n = static_cast<std::size_t>(type.n_nodes);
    if (type.tet) {
        const std::size_t first = scan.n_fields() - n;
        std::array<FileId, 4> nodes;
        for (std::size_t k = 0; k < 4; ++k) nodes[k] = scan.whole(first + k, "node id");
        for (std::size_t k = 4; k < n; ++k) scan.whole(first + k, "node id");
        builder.add_tet(id, nodes, physical, scan.where());
        return;
    }
    cell_nodes.clear();
    for (std::size_t i = scan.n_fields() - n; i < scan.n_fields(); ++i)
        cell_nodes.push_back(scan.whole(i, "node id"));
    builder.add_other_cell(id, type.dimension, type.name, cell_nodes, physical, scan.where());
}

void read_gmsh_numbered_nodes(GmshInput& in) {
    in.next_entry("nodes", 0, 1);
    in.scan.require_fields(1, "number of nodes");
    const std::size_t n = in.scan.count(0, "nodes", gmsh_shortest_entry);
    in.builder.reserve_nodes(in.scan.capacity(n, gmsh_shortest_entry));
    for (std::size_t i = 0; i < n; ++i) {
        in.next_entry("nodes", i, n);
        in.scan.require_fields(4, "node id, x, y, z");
        const FileId id = in.scan.whole(0, "node id");
        in.builder.add_node(id, {in.scan.number(1), in.scan.number(2), in.scan.number(3)},
                            in.scan.where());
    }
    in.end_section("nodes", n);
}

void read_physical_names(GmshInput& in) {
    in.next_entry("names", 0, 1);
    in.scan.require_fields(1, "number of names");
    const std::size_t n = in.scan.count(0, "physical names", 6);
    for (std::size_t i = 0; i < n; ++i) {
        in.next_entry("names", i, n);
        const std::string_view line = in.scan.line();
        const std::size_t open = line.find('"'), close = line.rfind('"');
        if (in.scan.n_fields() < 3 || open == line.npos || close == open)
            in.scan.fail("expected: dimension, number, \"name\"");
        const std::int64_t dimension = in.scan.whole(0, "dimension");
        if (dimension < 0 || dimension > 3)
            in.scan.fail(0, fmt::format("dimension {}; allowed: 0 to 3", dimension));
        std::string name(line.substr(open + 1, close - open - 1));
        const FileId number = in.scan.whole(1, "physical number");
        if (!name.empty())
            in.builder.name_group(static_cast<int>(dimension), number, std::move(name));
    }
    in.end_section("names", n);
}

MeshAsRead read_gmsh(const MeshSource& source, const ReadMeshOptions& options) {
    GmshInput in{TextScanner(source.bytes, source.file), MeshBuilder(source), options};
    return read_all_sections(in, read_header(in), {"$Nodes", "$Elements"});
}

MeshAsRead read_gmsh1(const MeshSource& source, const ReadMeshOptions& options) {
    GmshInput in{TextScanner(source.bytes, source.file), MeshBuilder(source), options};
    in.end_prefix = "$END";
    return read_all_sections(in, gmsh1_sections(), {"$NOD", "$ELM"});
}

}  // namespace limber
