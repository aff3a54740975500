// SPDX-License-Identifier: Apache-2.0
// Gmsh 2.2 ASCII. Gmsh reference manual, "MSH file format version 2 (Legacy)".
#include <fmt/format.h>

#include "limber/io/gmsh/gmsh.h"

namespace limber {

namespace {

constexpr std::int64_t max_tags = 1024;  // two tags, and one for each partition of the mesh

/// "id type n_tags tags... nodes..."; the first tag is the physical group, 0 for none.
void read_element(GmshInput& in) {
    const TextScanner& scan = in.scan;
    if (scan.n_fields() < 3) scan.require_fields(4, "element id, type, tag count, tags and nodes");
    const FileId id = scan.whole(0, "element id");
    const GmshCellType& type = in.cell_type(1);
    const std::int64_t n_tags = scan.whole(2, "tag count");
    if (n_tags < 0 || n_tags > max_tags)
        scan.fail(2, fmt::format("tag count {}; allowed: 0 to {}", n_tags, max_tags));
    const std::int64_t n_nodes = static_cast<std::int64_t>(scan.n_fields()) - 3 - n_tags;
    if (n_nodes != type.n_nodes)
        scan.fail(fmt::format("element {} has {} node ids after {} tags; expected {} for {}", id,
                              n_nodes, n_tags, type.n_nodes, type.name));
    const FileId physical = n_tags > 0 ? scan.whole(3, "physical number") : 0;
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

constexpr GmshSection sections[] = {{"$PhysicalNames", read_physical_names},
                                    {"$Nodes", read_gmsh_numbered_nodes},
                                    {"$Elements", read_elements}};

}  // namespace

std::span<const GmshSection> gmsh22_sections() {
    return sections;
}

}  // namespace limber
