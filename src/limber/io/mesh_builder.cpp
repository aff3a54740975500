// SPDX-License-Identifier: Apache-2.0
#include "limber/io/mesh_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "limber/io/polygon.h"

namespace limber {

namespace {

constexpr int volume_dimension = 3;
constexpr FileId no_cell = std::numeric_limits<FileId>::min();

void sort_unique(std::vector<Index>& values) {
    if (!std::is_sorted(values.begin(), values.end())) std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

bool fits(FileId id) {
    return id >= std::numeric_limits<Index>::min() && id <= std::numeric_limits<Index>::max();
}

}  // namespace

void Places::add(std::int64_t where) {
    if (!runs_.empty()) {
        Run& run = runs_.back();
        const auto n = static_cast<std::int64_t>(n_ - run.first);
        if (n == 1) run.step = where - run.where;
        if (run.where + run.step * n == where) {
            ++n_;
            return;
        }
    }
    runs_.push_back({n_++, where, 0});
}

std::int64_t Places::at(std::size_t i) const {
    const auto after = std::upper_bound(
        runs_.begin(), runs_.end(), i, [](std::size_t n, const Run& run) { return n < run.first; });
    const Run& run = *(after - 1);
    return run.where + run.step * static_cast<std::int64_t>(i - run.first);
}

void MeshBuilder::reserve_nodes(std::size_t n) {
    mesh_.nodes.reserve(mesh_.nodes.size() + n);
    mesh_.node_ids.reserve(mesh_.nodes.size() + n);
}

void MeshBuilder::reserve_tets(std::size_t n) {
    mesh_.tets.reserve(mesh_.tet_ids.size() + n);
    mesh_.tet_ids.reserve(mesh_.tet_ids.size() + n);
}

void MeshBuilder::add_tet(FileId id, const std::array<FileId, 4>& nodes,
                          std::span<const FileId> physical, std::int64_t where) {
    for (FileId p : physical) mark_tet(p, static_cast<Index>(n_tets()));
    const bool narrow = fits(nodes[0]) && fits(nodes[1]) && fits(nodes[2]) && fits(nodes[3]);
    if (narrow && wide_.empty()) {
        mesh_.tets.push_back({static_cast<Index>(nodes[0]), static_cast<Index>(nodes[1]),
                              static_cast<Index>(nodes[2]), static_cast<Index>(nodes[3])});
    } else {
        for (const auto& [a, b, c, d] : mesh_.tets) wide_.push_back({a, b, c, d});
        mesh_.tets.clear();
        wide_.push_back(nodes);
    }
    mesh_.tet_ids.push_back(id);
    tet_places_.add(where);
}

void MeshBuilder::add_other_cell(FileId id, int dimension, std::string_view kind,
                                 std::span<const FileId> nodes, std::span<const FileId> physical,
                                 std::int64_t where) {
    const auto found = other_cells_.find(kind);
    if (found == other_cells_.end())
        other_cells_.emplace(kind, 1);
    else
        ++found->second;
    for (FileId p : physical)
        for (FileId node : nodes) node_marks_[{dimension, p}].push_back({node, id, where});
    if (dimension == 2 && nodes.size() <= 4) add_face(id, nodes, where);
}

void MeshBuilder::add_face(FileId id, std::span<const FileId> nodes, std::int64_t where) {
    if (!faces_) return;
    face_list_.push_back({id, face_nodes_.size(), nodes.size(), where});
    face_nodes_.insert(face_nodes_.end(), nodes.begin(), nodes.end());
}

void MeshBuilder::mark_node(int dimension, FileId physical, FileId node, std::int64_t where) {
    node_marks_[{dimension, physical}].push_back({node, no_cell, where});
}

void MeshBuilder::mark_tet(FileId physical, Index tet) {
    tet_marks_[{volume_dimension, physical}].push_back(tet);
}

void MeshBuilder::mark_tet_id(FileId physical, FileId id, std::int64_t where) {
    tet_id_marks_[physical].push_back({0, id, where});
}

void MeshBuilder::resolve_tet_ids() {
    if (tet_id_marks_.empty()) return;
    std::vector<std::pair<FileId, Index>> by_id;
    for (std::size_t i = 0; i < n_tets(); ++i)
        by_id.emplace_back(mesh_.tet_ids[i], static_cast<Index>(i));
    std::sort(by_id.begin(), by_id.end());
    for (const auto& [physical, marks] : tet_id_marks_)
        for (const Mark& mark : marks) {
            auto found =
                std::lower_bound(by_id.begin(), by_id.end(), std::pair(mark.cell, Index{0}));
            if ((found == by_id.end() || found->first != mark.cell) && other_cells_.empty())
                throw InputError(
                    place(mark.where),
                    fmt::format("group '{}' uses element {}, which is not there",
                                printable(group_name({volume_dimension, physical})), mark.cell));
            for (; found != by_id.end() && found->first == mark.cell; ++found)
                mark_tet(physical, found->second);
        }
}

void MeshBuilder::name_group(int dimension, FileId physical, std::string name) {
    names_[{dimension, physical}] = std::move(name);
}

SourcePlace MeshBuilder::place(std::int64_t where) const {
    if (offsets_) return {file_, 0, 0, where};
    return {file_, static_cast<int>(where)};
}

std::string MeshBuilder::place_text(std::int64_t where) const {
    return fmt::format("{} {}", offsets_ ? "at byte" : "in line", where);
}

void MeshBuilder::sort_ids() {
    const std::vector<FileId>& ids = mesh_.node_ids;
    if (ids.empty()) return;
    lowest_ = ids.front();
    highest_ = ids.back();
    in_order_ = lowest_ >= 0;
    for (std::size_t i = 0; in_order_ && i < ids.size(); ++i)
        in_order_ = ids[i] - lowest_ == static_cast<FileId>(i);
    if (in_order_) return;
    sorted_.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
        sorted_.emplace_back(ids[i], static_cast<Index>(i));
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t i = 1; i < sorted_.size(); ++i)
        if (sorted_[i].first == sorted_[i - 1].first) {
            SourcePlace second = place(node_places_.at(sorted_[i].second));
            if (!node_file_.empty()) second.file = node_file_;
            throw InputError(second,
                             fmt::format("node {} given twice, first {}", sorted_[i].first,
                                         place_text(node_places_.at(sorted_[i - 1].second))));
        }
    lowest_ = sorted_.front().first;
    highest_ = sorted_.back().first;
    // Ids are distinct, so the width of their range tells; unsigned, as it may exceed 63 bits.
    consecutive_ = static_cast<std::uint64_t>(highest_) - static_cast<std::uint64_t>(lowest_) ==
                   sorted_.size() - 1;
}

Index MeshBuilder::find_node(FileId node) const {
    if (node < lowest_ || node > highest_) return -1;
    if (in_order_) return static_cast<Index>(node - lowest_);
    if (consecutive_) return sorted_[static_cast<std::size_t>(node - lowest_)].second;
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(node, Index{0}));
    return found->first == node ? found->second : -1;
}

void MeshBuilder::fail_no_node(FileId node, FileId cell, std::int64_t where) const {
    const std::string valid = mesh_.nodes.empty()
                                  ? "the file has no nodes"
                                  : fmt::format("valid: {} to {}{}{}{}", lowest_, highest_,
                                                in_order_ || consecutive_ ? "" : ", with gaps",
                                                node_file_.empty() ? "" : ", in ", node_file_);
    const std::string user = cell == no_cell ? "a group" : fmt::format("element {}", cell);
    throw InputError(place(where),
                     fmt::format("{} uses node {}, which is not there; {}", user, node, valid));
}

Index MeshBuilder::index_of(FileId node, FileId cell, std::int64_t where) const {
    const Index index = find_node(node);
    if (index < 0) fail_no_node(node, cell, where);
    return index;
}

void MeshBuilder::resolve_tets() {
    const std::size_t n = n_tets();
    if (!wide_.empty()) mesh_.tets.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        Tet& tet = mesh_.tets[i];
        for (int k = 0; k < 4; ++k) {
            const FileId node = wide_.empty() ? tet[k] : wide_[i][k];
            const Index index = find_node(node);
            if (index < 0) fail_no_node(node, mesh_.tet_ids[i], tet_places_.at(i));
            tet[k] = index;
        }
    }
    wide_ = {};
}

std::string MeshBuilder::group_name(const GroupKey& key) const {
    const auto found = names_.find(key);
    return found != names_.end() ? found->second : fmt::format("{}{}", prefix_, key.second);
}

void MeshBuilder::build_groups() {
    std::map<std::string, std::set<int>> dimensions;
    for (const auto& [key, marks] : node_marks_) {
        const std::string name = group_name(key);
        dimensions[name].insert(key.first);
        std::vector<Index>& group = mesh_.node_groups[name];
        for (const Mark& mark : marks) group.push_back(index_of(mark.node, mark.cell, mark.where));
    }
    for (const auto& [name, found] : dimensions)
        if (found.size() > 1)
            warn(fmt::format("group '{}' is used in {} dimensions: their nodes are joined",
                             printable(name), found.size()));
    for (const auto& [key, tets] : tet_marks_) {
        const std::string name = group_name(key);
        std::vector<Index>& group = mesh_.tet_groups[name];
        group.insert(group.end(), tets.begin(), tets.end());
    }
    for (const auto& [name, tets] : mesh_.tet_groups) {
        if (dimensions.count(name)) continue;  // a surface of that name says it more exactly
        std::vector<bool> used(mesh_.nodes.size(), false);
        for (Index tet : tets)
            for (Index node : mesh_.tets[tet]) used[node] = true;
        std::vector<Index>& group = mesh_.node_groups[name];
        for (Index i = 0; i < mesh_.n_nodes(); ++i)
            if (used[i]) group.push_back(i);
    }
    for (auto* groups : {&mesh_.node_groups, &mesh_.tet_groups})
        for (auto& [name, members] : *groups) sort_unique(members);
}

void MeshBuilder::build_faces() {
    surface_.nodes = mesh_.nodes;
    std::vector<Index> nodes;
    for (const Face& face : face_list_) {
        nodes.clear();
        for (std::size_t k = 0; k < face.n; ++k)
            nodes.push_back(index_of(face_nodes_[face.first + k], face.id, face.where));
        triangulate_polygon(surface_.nodes, nodes, surface_.triangles);
    }
}

void MeshBuilder::warn_of_repeated_tet_ids() {
    std::vector<FileId> ids;
    std::span<const FileId> sorted = mesh_.tet_ids;
    if (!std::is_sorted(sorted.begin(), sorted.end())) {
        ids = mesh_.tet_ids;
        std::sort(ids.begin(), ids.end());
        sorted = ids;
    }
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
        warn(fmt::format("element id {} is given to {} tetrahedra", *twice,
                         std::upper_bound(twice, sorted.end(), *twice) - twice));
}

void MeshBuilder::report_other_cells() {
    std::string text;
    for (const auto& [kind, n] : other_cells_)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, kind);
    if (n_tets() > 0) text += fmt::format("{}{} tetrahedra", text.empty() ? "" : ", ", n_tets());
    if (faces_ && face_list_.empty())
        throw InputError({file_},
                         "no triangles in mesh" + (text.empty() ? "" : "; it has " + text));
    if (faces_) return;
    if (n_tets() == 0)
        throw InputError({file_},
                         "no tetrahedra in mesh" + (text.empty() ? "" : "; it has " + text));
    text.resize(text.rfind(std::to_string(n_tets()) + " tetrahedra"));
    if (!text.empty())
        warn("cells that are not tetrahedra are not simulated: " + text.substr(0, text.size() - 2));
}

MeshAsRead MeshBuilder::build() {
    report_other_cells();
    if (n_tets() > static_cast<std::size_t>(max_tets))
        throw InputError({file_},
                         fmt::format("{} tetrahedra; allowed: at most {}", n_tets(), max_tets));
    if (n_nodes() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
        throw InputError({file_}, fmt::format("{} nodes; allowed: at most {}", n_nodes(),
                                              std::numeric_limits<Index>::max()));
    sort_ids();
    if (faces_) {
        build_faces();
    } else {
        warn_of_repeated_tet_ids();
        resolve_tets();
        resolve_tet_ids();
        build_groups();
    }
    return {std::move(mesh_), std::move(surface_), std::move(warnings_)};
}

}  // namespace limber
