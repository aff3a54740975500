// SPDX-License-Identifier: Apache-2.0
// Gmsh 1. Gmsh reference manual, "MSH file format version 1 (Legacy)".
#include <fmt/format.h>

#include "limber/io/gmsh/gmsh.h"

namespace limber {

namespace {

/// "id type physical entity n_nodes nodes..."
void read_element(GmshInput& in) {
    const TextScanner& scan = in.scan;
    if (scan.n_fields() < 5)
        scan.require_fields(6, "element id, type, physical group, entity, node count and nodes");
    const FileId id = scan.whole(0, "element id");
    const GmshCellType& type = in.cell_type(1);
    const FileId physical = scan.whole(2, "physical number");
    const std::int64_t announced = scan.whole(4, "node count");
    const auto n_nodes = static_cast<std::int64_t>(scan.n_fields()) - 5;
    if (n_nodes != type.n_nodes || announced != n_nodes)
        scan.fail(fmt::format("element {} has {} node ids and announces {}; expected {} for {}", id,
                              n_nodes, announced, type.n_nodes, type.name));
    in.add_cell(type, id, std::span(&physical, physical != 0 ? 1 : 0));
}

void read_elements(GmshInput& in) {
    in.next_entry("elements", 0, 1);
    in.scan.require_fields(1, "number of elements");
    const std::size_t n = in.scan.count(0, "elements", gmsh_shortest_entry);
    in.builder.reserve_tets(in.scan.capacity(n, gmsh_shortest_entry));
    for (std::size_t i = 0; i < n; ++i) {
        in.next_entry("elements", i, n);
        read_element(in);
    }
    in.end_section("elements", n);
}

constexpr GmshSection sections[] = {{"$NOD", read_gmsh_numbered_nodes}, {"$ELM", read_elements}};

}  // namespace

std::span<const GmshSection> gmsh1_sections() {
    return sections;
}

}  // namespace limber
