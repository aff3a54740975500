// SPDX-License-Identifier: Apache-2.0
// Medit .mesh: keywords and numbers in text, lines of no meaning.
#include "limber/io/medit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "limber/io/formats.h"
#include "limber/io/text_scanner.h"

namespace limber {

namespace {

constexpr MeditCell cells[] = {
    {"Edges", 5, 1, 2, "lines"},
    {"Triangles", 6, 2, 3, "triangles"},
    {"Quadrilaterals", 7, 2, 4, "quadrangles"},
    {"Tetrahedra", 8, 3, 4, "tetrahedra", true},
    {"Tetrahedrons", 8, 3, 4, "tetrahedra", true},  // as some programs write it
    {"Prisms", 9, 3, 6, "prisms"},
    {"Hexahedra", 10, 3, 8, "hexahedra"},
    {"Hexaedra", 10, 3, 8, "hexahedra"},
    {"TrianglesP2", 24, 2, 6, "6-node triangles"},
    {"EdgesP2", 25, 1, 3, "3-node lines"},
    {"TetrahedraP2", 30, 3, 10, "10-node tetrahedra", true},
    {"Pyramids", 49, 3, 5, "pyramids"},
};

class MeditReader {
  public:
    MeditReader(const MeshSource& source, const ReadMeshOptions& options)
        : scan_(source.bytes, source.file), builder_(source), options_(options) {
        scan_.set_comment('#');
        builder_.set_group_prefix("ref_");
    }
    MeshAsRead read();

  private:
    void read_version();
    void read_vertices();
    void read_cells(const MeditCell& cell);
    void require_new(const std::string& keyword);

    TextScanner scan_;
    MeshBuilder builder_;
    const ReadMeshOptions& options_;
    std::map<std::string, std::int64_t> seen_;  // keyword -> line
    bool have_dimension_ = false;
};

void MeditReader::read_version() {
    if (!scan_.next_word() || scan_.word() != "MeshVersionFormatted")
        scan_.fail("no MeshVersionFormatted found before this line");
    scan_.set_context("the header", "");
    const std::int64_t version = scan_.take_whole("version");
    if (version < 0 || version > 4)
        scan_.fail(scan_.word_field(), fmt::format("Medit version {}; supported: 1 to 4", version));
}

void MeditReader::require_new(const std::string& keyword) {
    const auto [first, is_new] = seen_.emplace(keyword, scan_.line_number());
    if (!is_new)
        scan_.fail(scan_.word_field(),
                   fmt::format("{} given twice, first in line {}", keyword, first->second));
}

void MeditReader::read_vertices() {
    if (!have_dimension_) scan_.fail("Vertices before Dimension");
    const std::size_t n = scan_.take_count("vertices", 8);
    builder_.reserve_nodes(scan_.capacity(n, 8));
    for (std::size_t i = 0; i < n; ++i) {
        scan_.set_entry(i);
        Vec3d p;
        p.x = scan_.take_number();
        p.y = scan_.take_number();
        p.z = scan_.take_number();
        add_medit_vertex(builder_, p, scan_.take_whole("reference"), scan_.where());
    }
}

void MeditReader::read_cells(const MeditCell& cell) {
    const std::size_t n = scan_.take_count(cell.name, 4);
    if (cell.tet && cell.n_nodes > 4 && n > 0 && !options_.linearise)
        scan_.fail(scan_.word_field(),
                   fmt::format("{}: use --linearise to read their corners", cell.name));
    if (cell.tet) builder_.reserve_tets(scan_.capacity(n, 10));
    std::vector<FileId> nodes(static_cast<std::size_t>(cell.n_nodes));
    for (std::size_t i = 0; i < n; ++i) {
        scan_.set_entry(i);
        for (FileId& node : nodes) node = scan_.take_whole("node id");
        const std::int64_t where = scan_.where();
        add_medit_cell(builder_, cell, static_cast<FileId>(i) + 1, nodes,
                       scan_.take_whole("reference"), where);
    }
}

MeshAsRead MeditReader::read() {
    read_version();
    bool ended = false;
    while (!ended && scan_.next_word()) {
        const std::string keyword(scan_.word());
        const auto* cell = std::find_if(std::begin(cells), std::end(cells),
                                        [&](const MeditCell& c) { return c.keyword == keyword; });
        const bool known = cell != std::end(cells) || keyword == "Vertices" ||
                           keyword == "Dimension" || keyword == "End";
        if (!known) {  // a keyword we do not need, or one of its numbers
            const bool letter = (keyword[0] | 32) >= 'a' && (keyword[0] | 32) <= 'z';
            if (!letter && seen_.empty() && have_dimension_)
                scan_.fail(scan_.word_field(),
                           fmt::format("'{}'; expected a keyword", printable(keyword)));
            if (!letter && !seen_.empty() && seen_.count("skipping") == 0)
                scan_.fail(scan_.word_field(), fmt::format("'{}'; expected a keyword: more numbers "
                                                           "than announced",
                                                           printable(keyword)));
            if (letter) seen_["skipping"] = scan_.line_number();
            continue;
        }
        seen_.erase("skipping");
        require_new(keyword);
        scan_.set_context(fmt::format("{} (begun in line {})", keyword, scan_.line_number()), "");
        scan_.set_entry(0);
        if (keyword == "Dimension") {
            const std::int64_t dimension = scan_.take_whole("dimension");
            if (dimension != 3)
                scan_.fail(scan_.word_field(),
                           fmt::format("dimension {}; supported: 3", dimension));
            have_dimension_ = true;
        } else if (keyword == "Vertices") {
            read_vertices();
        } else if (keyword == "End") {
            ended = true;
        } else {
            read_cells(*cell);
        }
    }
    if (!seen_.count("Vertices")) throw InputError({scan_.file()}, "no Vertices");
    return builder_.build();
}

}  // namespace

std::span<const MeditCell> medit_cells() {
    return cells;
}

void add_medit_vertex(MeshBuilder& builder, const Vec3d& position, FileId reference,
                      std::int64_t where) {
    const auto id = static_cast<FileId>(builder.n_nodes()) + 1;
    builder.add_node(id, position, where);
    if (reference != 0) builder.mark_node(0, reference, id, where);
}

void add_medit_cell(MeshBuilder& builder, const MeditCell& cell, FileId id,
                    std::span<const FileId> nodes, FileId reference, std::int64_t where) {
    const std::span<const FileId> groups(&reference, reference != 0 ? 1 : 0);
    if (cell.tet)
        builder.add_tet(id, {nodes[0], nodes[1], nodes[2], nodes[3]}, groups, where);
    else
        builder.add_other_cell(id, cell.dimension, cell.name, nodes, groups, where);
}

MeshAsRead read_medit(const MeshSource& source, const ReadMeshOptions& options) {
    return MeditReader(source, options).read();
}

}  // namespace limber
