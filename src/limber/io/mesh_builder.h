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

#include "limber/core/errors.h"
#include "limber/mesh/tet_mesh.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {

/// A file to be read: its bytes, how messages call it, and what is wanted of it.
struct MeshSource {
    std::string_view bytes;
    std::string file;    // printable
    std::string path;    // as the system knows it; "" for bytes that come from no file
    bool faces = false;  // the triangles and quadrangles are wanted, not the tets
};

/// A mesh as a reader found it, with what it has to say.
struct MeshAsRead {
    TetMesh mesh;
    TriMesh surface;  // where MeshSource::faces asks for it
    std::vector<std::string> warnings;
};

/// Lines or byte offsets of many entries, kept as runs of equal steps: a file with one entry a
/// line costs nothing.
class Places {
  public:
    void add(std::int64_t where);
    std::int64_t at(std::size_t i) const;

  private:
    struct Run {
        std::size_t first;
        std::int64_t where, step;
    };
    std::vector<Run> runs_;
    std::size_t n_ = 0;
};

/// Collects nodes and cells in any order under the ids of the file, remembers their places, and
/// resolves the ids at the end: sparse ids cost no table, and a wrong id is reported with its cell.
class MeshBuilder {
  public:
    explicit MeshBuilder(const MeshSource& source) : file_(source.file), faces_(source.faces) {}

    /// From now on places are byte offsets, not lines.
    void use_offsets() { offsets_ = true; }
    /// The nodes come from another file than the cells.
    void set_node_file(std::string file) { node_file_ = std::move(file); }
    /// Groups without a name are called by this and their number.
    void set_group_prefix(std::string prefix) { prefix_ = std::move(prefix); }

    void reserve_nodes(std::size_t n);
    void reserve_tets(std::size_t n);
    void add_node(FileId id, const Vec3d& position, std::int64_t where) {
        mesh_.nodes.push_back(position);
        mesh_.node_ids.push_back(id);
        node_places_.add(where);
    }
    void add_tet(FileId id, const std::array<FileId, 4>& nodes, std::span<const FileId> physical,
                 std::int64_t where);
    /// A point, line or face: it is not simulated but marks the nodes of its physical groups.
    void add_other_cell(FileId id, int dimension, std::string_view kind,
                        std::span<const FileId> nodes, std::span<const FileId> physical,
                        std::int64_t where);
    /// A triangle, quadrangle or polygon that is wanted as such; others are passed over.
    void add_face(FileId id, std::span<const FileId> nodes, std::int64_t where);
    /// Nodes by their ids, and tets by the order in which they were added.
    void mark_node(int dimension, FileId physical, FileId node, std::int64_t where);
    void mark_tet(FileId physical, Index tet);
    /// The same by the tet's id; ids of cells that are passed over are allowed.
    void mark_tet_id(FileId physical, FileId id, std::int64_t where);
    void name_group(int dimension, FileId physical, std::string name);
    void warn(std::string text) { warnings_.push_back(std::move(text)); }

    std::size_t n_nodes() const { return mesh_.nodes.size(); }
    std::size_t n_tets() const { return mesh_.tet_ids.size(); }
    std::span<const FileId> tet_ids() const { return mesh_.tet_ids; }

    MeshAsRead build();

  private:
    struct Mark {
        FileId node, cell;  // cell no_cell: a set of nodes
        std::int64_t where;
    };
    struct Face {
        FileId id;
        std::size_t first, n;  // in face_nodes_
        std::int64_t where;
    };
    using GroupKey = std::pair<int, FileId>;  // dimension, physical number

    SourcePlace place(std::int64_t where) const;
    std::string place_text(std::int64_t where) const;
    void sort_ids();
    Index index_of(FileId node, FileId cell, std::int64_t where) const;
    Index find_node(FileId node) const;  // -1: not there
    [[noreturn]] void fail_no_node(FileId node, FileId cell, std::int64_t where) const;
    std::string group_name(const GroupKey& key) const;
    void resolve_tets();
    void resolve_tet_ids();
    void build_groups();
    void build_faces();
    void report_other_cells();
    void warn_of_repeated_tet_ids();

    std::string file_, node_file_;
    bool faces_ = false, offsets_ = false;
    std::string prefix_ = "physical_";
    TetMesh mesh_;  // tets: file ids until resolve_tets(), where they fit
    std::vector<std::array<FileId, 4>> wide_;  // tets instead, from the first id that does not fit
    Places node_places_, tet_places_;
    std::vector<Face> face_list_;
    std::vector<FileId> face_nodes_;
    TriMesh surface_;
    std::map<GroupKey, std::vector<Index>> tet_marks_;
    std::map<GroupKey, std::vector<Mark>> node_marks_;
    std::map<FileId, std::vector<Mark>> tet_id_marks_;  // physical -> marks with cell ids
    std::map<GroupKey, std::string> names_;
    std::map<std::string, std::size_t, std::less<>> other_cells_;  // kind -> count
    std::vector<std::pair<FileId, Index>> sorted_;                 // (id, index)
    FileId lowest_ = 0, highest_ = -1;
    bool in_order_ = false;     // node i has id lowest_ + i: no table is needed
    bool consecutive_ = false;  // sorted_ has no gaps
    std::vector<std::string> warnings_;
};

}  // namespace limber
