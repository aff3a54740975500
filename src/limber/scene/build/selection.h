// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "limber/mesh/tet_mesh.h"
#include "limber/scene/scene_def.h"

namespace limber {

/// A body as selections see it: placed, with the ids of its file.
struct PlacedBody {
    std::string name;
    TetMesh mesh;
    Box3 box{};
    std::map<FileId, Index> index_of;  // node id of the file -> node
};
PlacedBody placed_body(std::string name, TetMesh mesh);

/// Nodes of the body, ascending. Never empty: that is an InputError, as is an unknown group or id.
std::vector<Index> select_nodes(const SelectDef& select, const PlacedBody& body);
/// Tets of the body with all four nodes among `nodes`.
std::vector<Index> tets_inside(const std::vector<Index>& nodes, const TetMesh& mesh);
/// A node of the body by the id of its file; InputError at `place` where there is none.
Index node_with_id(FileId id, const PlacedBody& body, const SourcePlace& place,
                   const std::string& path);
/// "x-, x+": the names of a group table, for messages.
std::vector<std::string> group_names(const std::map<std::string, std::vector<Index>>& groups);

}  // namespace limber
