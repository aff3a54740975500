// SPDX-License-Identifier: Apache-2.0
// Gmsh 4.0 ASCII: blocks name their entity before its dimension, nodes stand on one line with their
// tags, and points have a box. Gmsh 4.0 reference manual, "MSH ASCII file format".
#include <fmt/format.h>

#include "limber/io/gmsh/gmsh.h"

namespace limber {

namespace {

constexpr std::size_t shortest_block = 8;    // "1 0 0 0\n"
constexpr std::size_t shortest_node = 8;     // "1 0 0 0\n"
constexpr std::size_t shortest_element = 4;  // "1 2\n"

void read_entities(GmshInput& in) {
    in.next_entry("entities", 0, 1);
    in.scan.require_fields(4, "numbers of points, curves, surfaces and volumes");
    std::size_t n[4], total = 0;
    for (std::size_t d = 0; d < 4; ++d)
        total += n[d] = in.scan.count(d, "entities", shortest_block);
    std::size_t done = 0;
    for (int d = 0; d < 4; ++d)
        for (std::size_t i = 0; i < n[d]; ++i) {
            in.next_entry("entities", done++, total);
            read_gmsh_entity(in, d, 7);
        }
    in.end_section("entities", total);
}

struct Announced {
    std::size_t blocks = 0, entries = 0;
};
Announced read_announced(GmshInput& in, std::string_view what, std::size_t bytes_each) {
    in.next_entry(what, 0, 1);
    in.scan.require_fields(2, "number of blocks and number of entries");
    return {in.scan.count(0, "blocks", shortest_block), in.scan.count(1, what, bytes_each)};
}

/// A block may not hold more than is left of the announced total.
std::size_t block_size(GmshInput& in, std::string_view what, std::size_t bytes_each,
                       std::size_t done, std::size_t total) {
    const std::size_t n = in.scan.count(3, what, bytes_each);
    if (n > total - done)
        in.scan.fail(3, fmt::format("section {} ({}) announces {} {}; its blocks hold at least {}",
                                    in.section, in.begun(), total, what, done + n));
    return n;
}

void require_total(GmshInput& in, std::string_view what, std::size_t done, std::size_t total) {
    if (done != total)
        in.scan.fail(fmt::format("section {} ({}) announces {} {}; its blocks hold {}", in.section,
                                 in.begun(), total, what, done));
}

void read_nodes(GmshInput& in) {
    TextScanner& scan = in.scan;
    const auto [n_blocks, total] = read_announced(in, "nodes", shortest_node);
    in.builder.reserve_nodes(scan.capacity(total, shortest_node));
    std::size_t done = 0;
    for (std::size_t block = 0; block < n_blocks; ++block) {
        in.next_entry("node blocks", block, n_blocks);
        scan.require_fields(4, "entity tag, entity dimension, parametric, number of nodes");
        const int dimension = gmsh_dimension(scan, 1);
        const bool parametric = scan.whole(2, "parametric flag") != 0;
        const auto extra = static_cast<std::size_t>(parametric ? dimension : 0);
        const std::size_t n = block_size(in, "nodes", shortest_node, done, total);
        for (std::size_t i = 0; i < n; ++i) {
            in.next_entry("nodes", done + i, total);
            scan.require_fields(4 + extra, "node tag, x, y, z and the parameters on the entity");
            const FileId tag = scan.whole(0, "node tag");
            in.builder.add_node(tag, {scan.number(1), scan.number(2), scan.number(3)},
                                scan.where());
        }
        done += n;
    }
    require_total(in, "nodes", done, total);
    in.end_section("nodes", total);
}

void read_elements(GmshInput& in) {
    TextScanner& scan = in.scan;
    const auto [n_blocks, total] = read_announced(in, "elements", shortest_element);
    in.builder.reserve_tets(scan.capacity(total, shortest_element));
    std::size_t done = 0;
    for (std::size_t block = 0; block < n_blocks; ++block) {
        in.next_entry("element blocks", block, n_blocks);
        scan.require_fields(4, "entity tag, entity dimension, element type, number of elements");
        const std::pair entity(gmsh_dimension(scan, 1), scan.whole(0, "entity tag"));
        const GmshCellType& type = in.cell_type(2);
        const std::size_t n = block_size(in, "elements", shortest_element, done, total);
        const std::vector<FileId> groups = in.entity_groups[entity];
        for (std::size_t i = 0; i < n; ++i) {
            in.next_entry("elements", done + i, total);
            if (scan.n_fields() != 1 + static_cast<std::size_t>(type.n_nodes))
                scan.require_fields(
                    1 + static_cast<std::size_t>(type.n_nodes),
                    fmt::format("element tag and the {} nodes of {}", type.n_nodes, type.name));
            in.add_cell(type, scan.whole(0, "element tag"), groups);
        }
        done += n;
    }
    require_total(in, "elements", done, total);
    in.end_section("elements", total);
}

constexpr GmshSection sections[] = {{"$PhysicalNames", read_physical_names},
                                    {"$Entities", read_entities},
                                    {"$Nodes", read_nodes},
                                    {"$Elements", read_elements}};

}  // namespace

std::span<const GmshSection> gmsh40_sections() {
    return sections;
}

}  // namespace limber
