// SPDX-License-Identifier: Apache-2.0
#include "limber/io/mesh_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "limber/core/errors.h"

namespace limber {

namespace {

constexpr int volume_dimension = 3;

void sort_unique(std::vector<Index>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

void MeshBuilder::add_node(FileId id, const Vec3d& position, int line) {
    nodes_.push_back({id, position, line});
}

void MeshBuilder::add_tet(FileId id, const std::array<FileId, 4>& nodes,
                          std::span<const FileId> physical, int line) {
    for (FileId p : physical)
        tet_marks_[{volume_dimension, p}].push_back(static_cast<Index>(tets_.size()));
    tets_.push_back({id, nodes, line});
}

void MeshBuilder::add_other_cell(FileId id, int dimension, std::string_view kind,
                                 std::span<const FileId> nodes, std::span<const FileId> physical,
                                 int line) {
    const auto found = other_cells_.find(kind);
    if (found == other_cells_.end())
        other_cells_.emplace(kind, 1);
    else
        ++found->second;
    for (FileId p : physical)
        for (FileId node : nodes) node_marks_[{dimension, p}].push_back({node, id, line});
}

void MeshBuilder::name_group(int dimension, FileId physical, std::string name) {
    names_[{dimension, physical}] = std::move(name);
}

void MeshBuilder::sort_ids() {
    sorted_.reserve(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        sorted_.emplace_back(nodes_[i].id, static_cast<Index>(i));
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t i = 1; i < sorted_.size(); ++i)
        if (sorted_[i].first == sorted_[i - 1].first) {
            const Node &a = nodes_[sorted_[i - 1].second], &b = nodes_[sorted_[i].second];
            throw InputError({file_, b.line},
                             fmt::format("node {} given twice, first in line {}", b.id, a.line));
        }
    // Ids are distinct, so the width of their range tells; unsigned, as it may exceed 63 bits.
    consecutive_ = !sorted_.empty() && static_cast<std::uint64_t>(sorted_.back().first) -
                                               static_cast<std::uint64_t>(sorted_.front().first) ==
                                           sorted_.size() - 1;
}

Index MeshBuilder::index_of(FileId node, FileId cell, int line) const {
    const bool in_range =
        !sorted_.empty() && node >= sorted_.front().first && node <= sorted_.back().first;
    if (in_range && consecutive_)
        return sorted_[static_cast<std::size_t>(node - sorted_.front().first)].second;
    if (in_range) {
        const auto found =
            std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(node, Index{0}));
        if (found->first == node) return found->second;
    }
    const std::string valid =
        sorted_.empty() ? "the file has no nodes"
                        : fmt::format("valid: {} to {}{}", sorted_.front().first,
                                      sorted_.back().first, consecutive_ ? "" : ", with gaps");
    throw InputError({file_, line}, fmt::format("element {} uses node {}, which is not there; {}",
                                                cell, node, valid));
}

std::string MeshBuilder::group_name(const GroupKey& key) const {
    const auto found = names_.find(key);
    return found != names_.end() ? found->second : fmt::format("physical_{}", key.second);
}

void MeshBuilder::build_groups(TetMesh& mesh) {
    std::map<std::string, std::set<int>> dimensions;
    for (const auto& [key, marks] : node_marks_) {
        const std::string name = group_name(key);
        dimensions[name].insert(key.first);
        std::vector<Index>& group = mesh.node_groups[name];
        for (const Mark& mark : marks) group.push_back(index_of(mark.node, mark.cell, mark.line));
    }
    for (const auto& [name, found] : dimensions)
        if (found.size() > 1)
            warn(fmt::format("group '{}' is used in {} dimensions: their nodes are joined",
                             printable(name), found.size()));
    for (const auto& [key, tets] : tet_marks_) {
        const std::string name = group_name(key);
        std::vector<Index>& group = mesh.tet_groups[name];
        group.insert(group.end(), tets.begin(), tets.end());
        if (dimensions.count(name)) continue;  // a surface of that name says it more exactly
        for (Index tet : tets)
            mesh.node_groups[name].insert(mesh.node_groups[name].end(), mesh.tets[tet].begin(),
                                          mesh.tets[tet].end());
    }
    for (auto* groups : {&mesh.node_groups, &mesh.tet_groups})
        for (auto& [name, members] : *groups) sort_unique(members);
}

void MeshBuilder::warn_of_repeated_tet_ids() {
    std::vector<FileId> ids;
    ids.reserve(tets_.size());
    for (const Cell& cell : tets_) ids.push_back(cell.id);
    if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
    const auto twice = std::adjacent_find(ids.begin(), ids.end());
    if (twice != ids.end())
        warn(fmt::format("element id {} is given to {} tetrahedra", *twice,
                         std::upper_bound(twice, ids.end(), *twice) - twice));
}

void MeshBuilder::report_other_cells() {
    std::string text;
    for (const auto& [kind, n] : other_cells_)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, kind);
    if (tets_.empty())
        throw InputError({file_},
                         "no tetrahedra in mesh" + (text.empty() ? "" : "; it has " + text));
    if (!text.empty()) warn("cells that are not tetrahedra are not simulated: " + text);
}

MeshAsRead MeshBuilder::build() {
    report_other_cells();
    if (tets_.size() > static_cast<std::size_t>(max_tets))
        throw InputError({file_},
                         fmt::format("{} tetrahedra; allowed: at most {}", tets_.size(), max_tets));
    if (nodes_.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
        throw InputError({file_}, fmt::format("{} nodes; allowed: at most {}", nodes_.size(),
                                              std::numeric_limits<Index>::max()));
    sort_ids();
    warn_of_repeated_tet_ids();
    TetMesh mesh;
    mesh.nodes.reserve(nodes_.size());
    mesh.node_ids.reserve(nodes_.size());
    for (const Node& node : nodes_) {
        mesh.nodes.push_back(node.position);
        mesh.node_ids.push_back(node.id);
    }
    mesh.tets.reserve(tets_.size());
    mesh.tet_ids.reserve(tets_.size());
    for (const Cell& cell : tets_) {
        Tet tet;
        for (int k = 0; k < 4; ++k) tet[k] = index_of(cell.nodes[k], cell.id, cell.line);
        mesh.tets.push_back(tet);
        mesh.tet_ids.push_back(cell.id);
    }
    build_groups(mesh);
    return {std::move(mesh), std::move(warnings_)};
}

}  // namespace limber
