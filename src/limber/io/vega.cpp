// SPDX-License-Identifier: Apache-2.0
// Vega .veg: *VERTICES and *ELEMENTS with TetGen's columns, *SET, *MATERIAL and *REGION. Vega FEM
// user's manual, ".veg file format". Sets and the materials of regions become tet groups.
#include <fmt/format.h>

#include <map>

#include "limber/io/formats.h"
#include "limber/io/text_scanner.h"

namespace limber {

namespace {

constexpr std::size_t vega_shortest_entry = 8;  // "1 0 0 0\n"
constexpr std::string_view all_elements = "allElements";

class VegaReader {
  public:
    explicit VegaReader(const MeshSource& source)
        : scan_(source.bytes, source.file), builder_(source) {
        scan_.set_comment('#');
        scan_.set_separator(',');
    }
    MeshAsRead read();

  private:
    void next_entry(std::string_view what, std::size_t i, std::size_t n);
    void read_vertices();
    void read_elements();
    void read_set_line();
    void read_region();
    FileId group(const std::string& name);
    void begin_section();
    void mark_regions();

    TextScanner scan_;
    MeshBuilder builder_;
    std::string section_, name_;
    std::map<std::string, int> seen_;                                  // sections -> line
    std::map<std::string, std::vector<std::pair<FileId, int>>> sets_;  // ids with their lines
    std::vector<std::tuple<std::string, std::string, int>> regions_;   // set, material, line
    std::map<std::string, FileId> groups_;
};

void VegaReader::next_entry(std::string_view what, std::size_t i, std::size_t n) {
    scan_.set_entry(i);
    if (!scan_.next_line()) scan_.fail_cut();
    if (scan_.field(0).starts_with('*'))
        scan_.fail(fmt::format("section {} (begun in line {}) announces {} {}; it ends after {}",
                               section_, seen_[section_], n, what, i));
}

void VegaReader::begin_section() {
    section_ = std::string(scan_.field(0));
    name_ = scan_.n_fields() > 1 ? std::string(scan_.field(1)) : "";
    if (section_ == "*INCLUDE")
        scan_.fail("*INCLUDE: included files are not read; put their text in its place");
    scan_.set_context(fmt::format("section {} (begun in line {})", section_, scan_.line_number()),
                      "");
    if (section_ == "*VERTICES" || section_ == "*ELEMENTS") {
        const auto [first, is_new] = seen_.emplace(section_, scan_.line_number());
        if (!is_new)
            scan_.fail(
                fmt::format("section {} given twice, first in line {}", section_, first->second));
    }
    if (section_ == "*VERTICES") read_vertices();
    if (section_ == "*ELEMENTS") read_elements();
    if (section_ == "*SET" && name_.empty()) scan_.fail("*SET without a name");
}

/// "n 3 attributes markers", then "id x y z".
void VegaReader::read_vertices() {
    next_entry("header lines", 0, 1);
    const std::size_t n = scan_.count(0, "vertices", vega_shortest_entry);
    if (scan_.n_fields() > 1 && scan_.field(1) != "3")
        scan_.fail(1, fmt::format("dimension {}; supported: 3", printable(scan_.field(1))));
    builder_.reserve_nodes(scan_.capacity(n, vega_shortest_entry));
    for (std::size_t i = 0; i < n; ++i) {
        next_entry("vertices", i, n);
        if (scan_.n_fields() != 4) scan_.require_fields(4, "vertex id, x, y, z");
        const FileId id = scan_.whole(0, "vertex id");
        builder_.add_node(id, {scan_.number(1), scan_.number(2), scan_.number(3)}, scan_.where());
    }
}

/// The kind, then "n nodes attributes", then "id nodes".
void VegaReader::read_elements() {
    next_entry("header lines", 0, 2);
    const std::string kind(scan_.field(0));
    const bool tets = kind == "TET" || kind == "TETS";
    if (!tets && kind != "CUBIC")
        scan_.fail(0, fmt::format("elements of kind '{}'; supported: TET, TETS; CUBIC is passed "
                                  "over",
                                  printable(kind)));
    next_entry("header lines", 1, 2);
    const std::size_t n = scan_.count(0, "elements", vega_shortest_entry);
    const std::size_t n_nodes = tets ? 4 : 8;
    if (tets) builder_.reserve_tets(scan_.capacity(n, vega_shortest_entry));
    for (std::size_t i = 0; i < n; ++i) {
        next_entry("elements", i, n);
        if (scan_.n_fields() != 1 + n_nodes)
            scan_.require_fields(1 + n_nodes, "element id and its nodes");
        const FileId id = scan_.whole(0, "element id");
        std::array<FileId, 8> nodes{};
        for (std::size_t k = 0; k < n_nodes; ++k) nodes[k] = scan_.whole(1 + k, "node id");
        if (tets)
            builder_.add_tet(id, {nodes[0], nodes[1], nodes[2], nodes[3]}, {}, scan_.where());
        else
            builder_.add_other_cell(id, 3, "hexahedra", nodes, {}, scan_.where());
    }
}

void VegaReader::read_set_line() {
    for (std::size_t i = 0; i < scan_.n_fields(); ++i)
        sets_[name_].emplace_back(scan_.whole(i, "element id"), scan_.line_number());
}

/// "set, material".
void VegaReader::read_region() {
    scan_.require_fields(2, "set, material");
    regions_.emplace_back(scan_.field(0), scan_.field(1), scan_.line_number());
}

FileId VegaReader::group(const std::string& name) {
    const auto [found, is_new] = groups_.emplace(name, static_cast<FileId>(groups_.size()) + 1);
    if (is_new) builder_.name_group(3, found->second, name);
    return found->second;
}

void VegaReader::mark_regions() {
    for (const auto& [name, ids] : sets_)
        for (const auto& [id, line] : ids) builder_.mark_tet_id(group(name), id, line);
    for (const auto& [set, material, line] : regions_) {
        const auto found = sets_.find(set);
        if (found == sets_.end() && set != all_elements)
            throw InputError({scan_.file(), line},
                             fmt::format("region of set '{}', which is not there", printable(set)));
        const FileId number = group(material);
        if (set == all_elements)
            for (std::size_t i = 0; i < builder_.n_tets(); ++i)
                builder_.mark_tet(number, static_cast<Index>(i));
        else
            for (const auto& [id, at] : found->second) builder_.mark_tet_id(number, id, at);
    }
}

MeshAsRead VegaReader::read() {
    while (scan_.next_line()) {
        if (scan_.field(0).starts_with('*'))
            begin_section();
        else if (section_ == "*SET")
            read_set_line();
        else if (section_ == "*REGION")
            read_region();
        else if (section_ == "*VERTICES" || section_ == "*ELEMENTS")
            scan_.fail(fmt::format("more lines than section {} announces", section_));
    }
    for (const char* needed : {"*VERTICES", "*ELEMENTS"})
        if (!seen_.count(needed))
            throw InputError({scan_.file()}, fmt::format("no {} section", needed));
    mark_regions();
    return builder_.build();
}

}  // namespace

MeshAsRead read_vega(const MeshSource& source, const ReadMeshOptions&) {
    return VegaReader(source).read();
}

}  // namespace limber
