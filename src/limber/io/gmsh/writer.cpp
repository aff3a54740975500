// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/io/formats.h"
#include "limber/io/gmsh/gmsh.h"

namespace limber {

namespace {

using Out = std::back_insert_iterator<std::string>;

/// A physical group of the file to be written. Node groups become points, tet groups volumes.
struct Group {
    int dimension;
    int number;
    std::string name;
};

/// 4.1 readers such as meshio 5.0 want a physical group for every element where any has one. Ours
/// forgets this group.
bool some_tets_need_a_group(const TetMesh& mesh) {
    if (mesh.node_groups.empty() && mesh.tet_groups.empty()) return false;
    std::vector<bool> grouped(mesh.tets.size(), false);
    for (const auto& [name, tets] : mesh.tet_groups)
        for (Index tet : tets) grouped[tet] = true;
    return std::find(grouped.begin(), grouped.end(), false) != grouped.end();
}

/// Both versions number physical groups per dimension.
std::vector<Group> groups_of(const TetMesh& mesh) {
    std::vector<Group> groups;
    int number = 0;
    for (const auto& [name, members] : mesh.node_groups) groups.push_back({0, ++number, name});
    number = 0;
    for (const auto& [name, members] : mesh.tet_groups) groups.push_back({3, ++number, name});
    return groups;
}

void require_writable(const TetMesh& mesh) {
    LIMBER_CHECK(mesh.n_nodes() > 0 && mesh.n_tets() > 0, "a mesh to write has tets");
    LIMBER_CHECK(mesh.node_ids.size() == mesh.nodes.size(), "one id a node");
    LIMBER_CHECK(mesh.tet_ids.size() == mesh.tets.size(), "one id a tet");
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        if (!is_finite(mesh.nodes[i])) throw Bug("node " + std::to_string(i) + " is not finite");
    for (const Group& group : groups_of(mesh))
        if (group.name.find_first_of("\"\n\r") != std::string::npos)
            throw InputError("group name '" + printable(group.name) +
                             "' has a quote or line end; Gmsh files cannot hold it");
}

void put_header(Out out, const TetMesh& mesh, const char* version, bool group_the_rest) {
    fmt::format_to(out, "$MeshFormat\n{} 0 8\n$EndMeshFormat\n", version);
    std::vector<Group> groups = groups_of(mesh);
    if (group_the_rest)
        groups.push_back(
            {3, static_cast<int>(mesh.tet_groups.size()) + 1, std::string(gmsh_rest_group)});
    if (groups.empty()) return;
    fmt::format_to(out, "$PhysicalNames\n{}\n", groups.size());
    for (const Group& group : groups)
        fmt::format_to(out, "{} {} \"{}\"\n", group.dimension, group.number, group.name);
    fmt::format_to(out, "$EndPhysicalNames\n");
}

/// Gmsh counts from 1: ids that start lower are moved up together.
std::vector<FileId> positive_ids(std::vector<FileId> ids) {
    const FileId lowest = *std::min_element(ids.begin(), ids.end());
    if (lowest < 1)
        for (FileId& id : ids) id += 1 - lowest;
    return ids;
}

FileId highest(const std::vector<FileId>& ids) {
    return *std::max_element(ids.begin(), ids.end());
}

/// Tets with the same groups belong to one entity: sets of tet group numbers -> tets.
std::map<std::vector<int>, std::vector<Index>> entities_of(const TetMesh& mesh,
                                                           bool group_the_rest) {
    std::vector<std::vector<int>> member_of(mesh.tets.size());
    int number = 0;
    for (const auto& [name, tets] : mesh.tet_groups) {
        ++number;
        for (Index tet : tets) member_of[tet].push_back(number);
    }
    for (std::vector<int>& groups : member_of)
        if (groups.empty() && group_the_rest) groups.push_back(number + 1);
    std::map<std::vector<int>, std::vector<Index>> entities;
    for (Index tet = 0; tet < mesh.n_tets(); ++tet) entities[member_of[tet]].push_back(tet);
    return entities;
}

}  // namespace

/// An element has one physical group in 2.2: a tet in two groups cannot be written.
void write_gmsh22(const std::string& path, const TetMesh& mesh) {
    require_writable(mesh);
    const std::vector<FileId> node_ids = positive_ids(mesh.node_ids);
    const std::vector<FileId> tet_ids = positive_ids(mesh.tet_ids);
    std::string text;
    Out out(text);
    put_header(out, mesh, "2.2", false);
    fmt::format_to(out, "$Nodes\n{}\n", mesh.n_nodes());
    for (Index i = 0; i < mesh.n_nodes(); ++i)  // {} is the shortest text with the same bits
        fmt::format_to(out, "{} {} {} {}\n", node_ids[i], mesh.nodes[i].x, mesh.nodes[i].y,
                       mesh.nodes[i].z);
    fmt::format_to(out, "$EndNodes\n");

    std::vector<int> physical(mesh.tets.size(), 0);
    int number = 0;
    std::size_t n_points = 0;
    for (const auto& [name, tets] : mesh.tet_groups) {
        ++number;
        for (Index tet : tets) {
            if (physical[tet])
                throw InputError({printable(path, 500)},
                                 fmt::format("element {} is in two groups; Gmsh 2.2 holds one: "
                                             "write Gmsh 4.1 or VTU",
                                             tet_ids[tet]));
            physical[tet] = number;
        }
    }
    for (const auto& [name, nodes] : mesh.node_groups) n_points += nodes.size();
    fmt::format_to(out, "$Elements\n{}\n", mesh.tets.size() + n_points);
    FileId id = highest(tet_ids) + 1;
    number = 0;
    for (const auto& [name, nodes] : mesh.node_groups) {
        ++number;
        for (Index node : nodes)
            fmt::format_to(out, "{} 15 2 {} {} {}\n", id++, number, number, node_ids[node]);
    }
    for (Index i = 0; i < mesh.n_tets(); ++i) {
        const auto& [a, b, c, d] = mesh.tets[i];
        fmt::format_to(out, "{} 4 2 {} {} {} {} {} {}\n", tet_ids[i], physical[i],
                       std::max(physical[i], 1), node_ids[a], node_ids[b], node_ids[c],
                       node_ids[d]);
    }
    fmt::format_to(out, "$EndElements\n");
    write_file_atomic(path, text);
}

/// One volume for each set of groups; the nodes of a node group are the points of one entity.
void write_gmsh41(const std::string& path, const TetMesh& mesh) {
    require_writable(mesh);
    const std::vector<FileId> node_ids = positive_ids(mesh.node_ids);
    const std::vector<FileId> tet_ids = positive_ids(mesh.tet_ids);
    std::string text;
    Out out(text);
    const bool group_the_rest = some_tets_need_a_group(mesh);
    put_header(out, mesh, "4.1", group_the_rest);
    const auto entities = entities_of(mesh, group_the_rest);
    const Box3 box = bounding_box(mesh.nodes);
    fmt::format_to(out, "$Entities\n{} 0 0 {}\n", mesh.node_groups.size(), entities.size());
    for (std::size_t i = 1; i <= mesh.node_groups.size(); ++i)
        fmt::format_to(out, "{} 0 0 0 1 {}\n", i, i);
    std::size_t tag = 0;
    for (const auto& [groups, tets] : entities) {
        fmt::format_to(out, "{} {} {} {} {} {} {} {}", ++tag, box.lo.x, box.lo.y, box.lo.z,
                       box.hi.x, box.hi.y, box.hi.z, groups.size());
        for (int group : groups) fmt::format_to(out, " {}", group);
        fmt::format_to(out, " 0\n");
    }
    fmt::format_to(out, "$EndEntities\n");

    fmt::format_to(out, "$Nodes\n1 {} {} {}\n3 1 0 {}\n", mesh.n_nodes(),
                   *std::min_element(node_ids.begin(), node_ids.end()), highest(node_ids),
                   mesh.n_nodes());
    for (FileId id : node_ids) fmt::format_to(out, "{}\n", id);
    for (const Vec3d& p : mesh.nodes) fmt::format_to(out, "{} {} {}\n", p.x, p.y, p.z);
    fmt::format_to(out, "$EndNodes\n");

    std::size_t n_points = 0;
    for (const auto& [name, nodes] : mesh.node_groups) n_points += nodes.size();
    FileId id = highest(tet_ids) + 1;
    fmt::format_to(out, "$Elements\n{} {} {} {}\n", entities.size() + mesh.node_groups.size(),
                   mesh.tets.size() + n_points, *std::min_element(tet_ids.begin(), tet_ids.end()),
                   id + static_cast<FileId>(n_points) - 1);
    tag = 0;
    for (const auto& [name, nodes] : mesh.node_groups) {
        fmt::format_to(out, "0 {} 15 {}\n", ++tag, nodes.size());
        for (Index node : nodes) fmt::format_to(out, "{} {}\n", id++, node_ids[node]);
    }
    tag = 0;
    for (const auto& [groups, tets] : entities) {
        fmt::format_to(out, "3 {} 4 {}\n", ++tag, tets.size());
        for (Index tet : tets) {
            const auto& [a, b, c, d] = mesh.tets[tet];
            fmt::format_to(out, "{} {} {} {} {}\n", tet_ids[tet], node_ids[a], node_ids[b],
                           node_ids[c], node_ids[d]);
        }
    }
    fmt::format_to(out, "$EndElements\n");
    write_file_atomic(path, text);
}

}  // namespace limber
