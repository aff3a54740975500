// SPDX-License-Identifier: Apache-2.0
// Medit .mesh and TetGen .node + .ele: nodes count from 1 and a tet has one number for its group.
#include <fmt/format.h>

#include <iterator>
#include <set>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/io/file.h"
#include "limber/io/formats.h"

namespace limber {

namespace {

using Out = std::back_insert_iterator<std::string>;

/// "ref_7" and "region_7" were read from such a file and keep their 7; other groups get the numbers
/// that are left.
std::vector<FileId> group_numbers(const TetMesh& mesh) {
    std::vector<FileId> numbers;
    std::set<FileId> taken;
    for (const auto& [name, tets] : mesh.tet_groups) {
        const std::size_t bar = name.rfind('_');
        const bool ours = name.starts_with("ref_") || name.starts_with("region_");
        const FileId number =
            ours ? parse_whole(std::string_view(name).substr(bar + 1)).value_or(0) : 0;
        const bool fits = number > 0 && number < 1'000'000'000 && taken.insert(number).second;
        numbers.push_back(fits ? number : 0);
    }
    FileId next = 1;
    for (FileId& number : numbers) {
        if (number) continue;
        while (!taken.insert(next).second) ++next;
        number = next;
    }
    return numbers;
}

/// The number of each tet's group, 0 for none.
std::vector<FileId> tet_numbers(const std::string& path, const TetMesh& mesh) {
    LIMBER_CHECK(mesh.n_nodes() > 0 && mesh.n_tets() > 0, "a mesh to write has tets");
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        if (!is_finite(mesh.nodes[i])) throw Bug("node " + std::to_string(i) + " is not finite");
    const std::vector<FileId> numbers = group_numbers(mesh);
    std::vector<FileId> of_tet(mesh.tets.size(), 0);
    std::size_t i = 0;
    for (const auto& [name, tets] : mesh.tet_groups) {
        for (Index tet : tets) {
            if (of_tet[tet])
                throw InputError({printable(path, 500)},
                                 fmt::format("element {} is in two groups; this format holds one: "
                                             "write Gmsh 4.1 or VTU",
                                             mesh.tet_ids[tet]));
            of_tet[tet] = numbers[i];
        }
        ++i;
    }
    return of_tet;
}

}  // namespace

void write_medit(const std::string& path, const TetMesh& mesh) {
    const std::vector<FileId> references = tet_numbers(path, mesh);
    std::string text;
    Out out(text);
    fmt::format_to(out, "MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", mesh.n_nodes());
    for (const Vec3d& p : mesh.nodes) fmt::format_to(out, "{} {} {} 0\n", p.x, p.y, p.z);
    fmt::format_to(out, "Tetrahedra\n{}\n", mesh.n_tets());
    for (Index i = 0; i < mesh.n_tets(); ++i) {
        const auto& [a, b, c, d] = mesh.tets[i];
        fmt::format_to(out, "{} {} {} {} {}\n", a + 1, b + 1, c + 1, d + 1, references[i]);
    }
    fmt::format_to(out, "End\n");
    write_file_atomic(path, text);
}

void write_tetgen(const std::string& path, const TetMesh& mesh) {
    const std::vector<FileId> regions = tet_numbers(path, mesh);
    const bool has_regions = !mesh.tet_groups.empty();
    std::string nodes, tets;
    Out node_out(nodes), tet_out(tets);
    fmt::format_to(node_out, "{} 3 0 0\n", mesh.n_nodes());
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        fmt::format_to(node_out, "{} {} {} {}\n", i + 1, mesh.nodes[i].x, mesh.nodes[i].y,
                       mesh.nodes[i].z);
    fmt::format_to(tet_out, "{} 4 {}\n", mesh.n_tets(), has_regions ? 1 : 0);
    for (Index i = 0; i < mesh.n_tets(); ++i) {
        const auto& [a, b, c, d] = mesh.tets[i];
        fmt::format_to(tet_out, "{} {} {} {} {}", i + 1, a + 1, b + 1, c + 1, d + 1);
        if (has_regions) fmt::format_to(tet_out, " {}", regions[i]);
        fmt::format_to(tet_out, "\n");
    }
    std::string stem = path;
    for (const char* suffix : {".node", ".ele"})
        if (path.ends_with(suffix)) stem = path.substr(0, path.size() - std::string(suffix).size());
    write_file_atomic(stem + ".node", nodes);
    write_file_atomic(stem + ".ele", tets);
}

}  // namespace limber
