// SPDX-License-Identifier: Apache-2.0
#include "limber/io/gmsh.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "limber/io/formats.h"

namespace limber {

namespace {

constexpr GmshCellType cell_types[] = {
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
    std::span<const GmshSection> (*sections)();
};
constexpr GmshVersion versions[] = {{2.2, gmsh22_sections}, {4.1, gmsh41_sections}};
constexpr const char* supported = "supported: 2.2 and 4.1, ASCII";

/// "$MeshFormat / version binary data_size / $EndMeshFormat".
const GmshVersion& read_header(GmshInput& in) {
    TextScanner& scan = in.scan;
    if (!scan.next_line() || scan.field(0) != "$MeshFormat")
        scan.fail("no $MeshFormat found before this line");
    in.section = "$MeshFormat";
    in.section_line = scan.line_number();
    scan.set_context("section $MeshFormat", "$EndMeshFormat");
    if (!scan.next_line()) scan.fail_cut();
    if (scan.field(0).starts_with('$'))
        scan.fail(fmt::format("$MeshFormat has no version; {}", supported));
    const double number = parse_finite(scan.field(0)).value_or(0);
    const auto version = std::find_if(std::begin(versions), std::end(versions),
                                      [&](const GmshVersion& v) { return v.number == number; });
    if (version == std::end(versions))
        scan.fail(0, fmt::format("Gmsh version {} is not supported yet; {}",
                                 printable(scan.field(0)), supported));
    scan.require_fields(3, "version, file type, data size");
    if (scan.field(2) != "8" && scan.field(2) != "4")
        scan.fail(2, fmt::format("data size {}; allowed: 8", printable(scan.field(2))));
    if (scan.field(1) == "1")
        scan.fail(1, fmt::format("binary Gmsh files are not supported yet; {}", supported));
    if (scan.field(1) != "0")
        scan.fail(1, fmt::format("file type {}; allowed: 0 (ASCII)", printable(scan.field(1))));
    in.end_section("lines", 1);
    return *version;
}

/// Passes over a section nobody reads, up to its end marker.
void skip_section(GmshInput& in) {
    const std::string end = "$End" + in.section.substr(1);
    const SourcePlace begin = in.scan.place();
    while (in.scan.next_line())
        if (in.scan.field(0) == end) return;
    throw InputError(begin, fmt::format("section {} is never closed; expected {}",
                                        printable(in.section), printable(end)));
}

void read_section(GmshInput& in, std::span<const GmshSection> sections,
                  std::map<std::string, int, std::less<>>& seen) {
    TextScanner& scan = in.scan;
    in.section = std::string(scan.field(0));
    in.section_line = scan.line_number();
    const auto known = std::find_if(sections.begin(), sections.end(),
                                    [&](const GmshSection& s) { return s.name == in.section; });
    if (known == sections.end()) {
        if (in.section.starts_with("$End"))
            scan.fail(fmt::format("{} without its beginning", printable(in.section)));
        skip_section(in);
        return;
    }
    const auto [first, is_new] = seen.emplace(in.section, in.section_line);
    if (!is_new)
        scan.fail(
            fmt::format("section {} given twice, first in line {}", in.section, first->second));
    scan.set_context(fmt::format("section {} (begun in line {})", in.section, in.section_line),
                     "$End" + in.section.substr(1));
    scan.set_entry(0);
    known->read(in);
    scan.clear_context();
}

}  // namespace

void GmshInput::next_entry(std::string_view what, std::size_t i, std::size_t n) {
    scan.set_entry(i);
    if (!scan.next_line()) scan.fail_cut();
    if (scan.field(0).starts_with('$'))
        scan.fail(fmt::format("section {} (begun in line {}) announces {} {}; it ends after {}",
                              section, section_line, n, what, i));
}

void GmshInput::end_section(std::string_view what, std::size_t n) {
    scan.set_entry(n);
    const std::string end = "$End" + section.substr(1);
    if (!scan.next_line()) scan.fail_cut();
    if (scan.field(0) == end) return;
    if (scan.field(0).starts_with('$'))
        scan.fail(fmt::format("section {} (begun in line {}) is not closed; expected {}, found {}",
                              section, section_line, end, printable(scan.field(0))));
    const SourcePlace place = scan.place();
    std::size_t found = n;
    do {
        ++found;
    } while (scan.next_line() && !scan.field(0).starts_with('$'));
    if (scan.n_fields() == 0) scan.fail_cut();
    throw InputError(place, fmt::format("section {} (begun in line {}) announces {} {}; it has {}",
                                        section, section_line, n, what, found));
}

const GmshCellType& GmshInput::cell_type(std::size_t i) {
    const std::int64_t number = scan.whole(i, "element type");
    const auto* type = std::find_if(std::begin(cell_types), std::end(cell_types),
                                    [&](const GmshCellType& t) { return t.type == number; });
    if (type == std::end(cell_types))
        scan.fail(i, fmt::format("element type {}; supported: 4 (tetrahedron), and 1 to 31, 92, 93 "
                                 "are passed over",
                                 number));
    if (type->tet && type->n_nodes > 4 && !options.linearise)
        scan.fail(i, fmt::format("{}: use --linearise to read their corners", type->name));
    return *type;
}

void GmshInput::add_cell(const GmshCellType& type, FileId id, std::span<const FileId> physical) {
    const auto n = static_cast<std::size_t>(type.n_nodes);
    cell_nodes.clear();
    for (std::size_t i = scan.n_fields() - n; i < scan.n_fields(); ++i)
        cell_nodes.push_back(scan.whole(i, "node id"));
    if (type.tet)
        builder.add_tet(id, {cell_nodes[0], cell_nodes[1], cell_nodes[2], cell_nodes[3]}, physical,
                        scan.line_number());
    else
        builder.add_other_cell(id, type.dimension, type.name, cell_nodes, physical,
                               scan.line_number());
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

MeshAsRead read_gmsh(std::string_view bytes, const std::string& file,
                     const ReadMeshOptions& options) {
    GmshInput in{TextScanner(bytes, file), MeshBuilder(file), options};
    const std::span<const GmshSection> sections = read_header(in).sections();
    std::map<std::string, int, std::less<>> seen{{"$MeshFormat", in.section_line}};
    in.scan.clear_context();
    int first_outside = 0;
    while (in.scan.next_line()) {
        if (in.scan.field(0) == "$MeshFormat")
            in.scan.fail(fmt::format("section $MeshFormat given twice, first in line {}",
                                     seen["$MeshFormat"]));
        if (in.scan.field(0).starts_with('$'))
            read_section(in, sections, seen);
        else if (!first_outside)
            first_outside = in.scan.line_number();
    }
    if (first_outside)
        in.builder.warn(fmt::format("line {}: text outside any section", first_outside));
    for (const char* needed : {"$Nodes", "$Elements"})
        if (!seen.count(needed)) throw InputError({file}, fmt::format("no {} section", needed));
    return in.builder.build();
}

}  // namespace limber
