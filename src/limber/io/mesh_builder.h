// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/mesh/tet_mesh.h"

namespace limber {

/// A mesh as a reader found it, with what it has to say.
struct MeshAsRead {
    TetMesh mesh;
    std::vector<std::string> warnings;
};

/// Collects nodes and cells in any order under the ids of the file, remembers their lines, and
/// resolves the ids at the end: sparse ids cost no table, and a wrong id is reported with its cell.
class MeshBuilder {
  public:
    explicit MeshBuilder(std::string file) : file_(std::move(file)) {}

    void reserve_nodes(std::size_t n) { nodes_.reserve(n); }
    void reserve_tets(std::size_t n) { tets_.reserve(n); }
    void add_node(FileId id, const Vec3d& position, int line);
    void add_tet(FileId id, const std::array<FileId, 4>& nodes, std::span<const FileId> physical,
                 int line);
    /// A point, line or face: it is not simulated but marks the nodes of its physical groups.
    void add_other_cell(FileId id, int dimension, std::string_view kind,
                        std::span<const FileId> nodes, std::span<const FileId> physical, int line);
    void name_group(int dimension, FileId physical, std::string name);
    void warn(std::string text) { warnings_.push_back(std::move(text)); }

    MeshAsRead build();

  private:
    struct Node {
        FileId id;
        Vec3d position;
        int line;
    };
    struct Cell {
        FileId id;
        std::array<FileId, 4> nodes;
        int line;
    };
    struct Mark {
        FileId node, cell;
        int line;
    };
    using GroupKey = std::pair<int, FileId>;  // dimension, physical number

    void sort_ids();
    Index index_of(FileId node, FileId cell, int line) const;
    std::string group_name(const GroupKey& key) const;
    void build_groups(TetMesh& mesh);
    void report_other_cells();
    void warn_of_repeated_tet_ids();

    std::string file_;
    std::vector<Node> nodes_;
    std::vector<Cell> tets_;
    std::map<GroupKey, std::vector<Index>> tet_marks_;
    std::map<GroupKey, std::vector<Mark>> node_marks_;
    std::map<GroupKey, std::string> names_;
    std::map<std::string, std::size_t, std::less<>> other_cells_;  // kind -> count
    std::vector<std::pair<FileId, Index>> sorted_;                 // (id, index)
    bool consecutive_ = false;
    std::vector<std::string> warnings_;
};

}  // namespace limber
