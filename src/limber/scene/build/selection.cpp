// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/selection.h"

#include <algorithm>
#include <functional>

#include "limber/core/check.h"
#include "limber/scene/build/placement.h"

namespace limber {

namespace {

using Inside = std::function<bool(const Vec3d&)>;

Inside inside_box(const SelectDef& select, const Box3& body, double tolerance) {
    Vec3d lo = (*select.box)[0], hi = (*select.box)[1];
    if (select.relative.value_or(false))
        for (int i = 0; i < 3; ++i) {
            lo[i] = body.lo[i] + lo[i] * body.size()[i];
            hi[i] = body.lo[i] + hi[i] * body.size()[i];
        }
    return [=](const Vec3d& p) {
        for (int i = 0; i < 3; ++i)
            if (p[i] < lo[i] - tolerance || p[i] > hi[i] + tolerance) return false;
        return true;
    };
}

Inside on_side(BoxSide side, const Box3& body, double tolerance) {
    const int axis = static_cast<int>(side) / 2;
    if (static_cast<int>(side) % 2 == 0)
        return [=, lo = body.lo[axis]](const Vec3d& p) { return p[axis] <= lo + tolerance; };
    return [=, hi = body.hi[axis]](const Vec3d& p) { return p[axis] >= hi - tolerance; };
}

Inside region_of(const SelectDef& select, const Box3& body) {
    const double tolerance = select.tolerance.value_or(1e-6 * norm(body.size()));
    if (select.box) return inside_box(select, body, tolerance);
    if (select.side) return on_side(*select.side, body, tolerance);
    if (select.sphere)
        return [=, s = *select.sphere](const Vec3d& p) {
            return norm(p - s.center) <= s.radius + tolerance;
        };
    LIMBER_CHECK(select.plane, "a selection has one form");
    const Vec3d n = (1 / norm(select.plane->normal)) * select.plane->normal;
    return [=, point = select.plane->point](const Vec3d& p) {
        return dot(p - point, n) >= -tolerance;
    };
}

std::vector<Index> nodes_of_group(const SelectDef& select, const PlacedBody& body) {
    const auto group = body.mesh.node_groups.find(*select.group);
    if (group != body.mesh.node_groups.end()) return group->second;
    const auto names = group_names(body.mesh.node_groups);
    throw InputError(select.origin.at("group"),
                     select.origin.path + ".group = \"" + printable(*select.group) + "\": body '" +
                         body.name + "' has no such node group; allowed: " +
                         (names.empty() ? "none, the mesh has no groups" : joined(names)) +
                         did_you_mean(*select.group, names));
}

}  // namespace

std::vector<std::string> group_names(const std::map<std::string, std::vector<Index>>& groups) {
    std::vector<std::string> names;
    for (const auto& [name, nodes] : groups) names.push_back(printable(name));
    return names;
}

PlacedBody placed_body(std::string name, TetMesh mesh) {
    PlacedBody body{std::move(name), std::move(mesh), {}, {}};
    body.box = bounding_box(body.mesh.nodes);
    for (Index i = 0; i < body.mesh.n_nodes(); ++i) body.index_of.emplace(body.mesh.node_ids[i], i);
    return body;
}

Index node_with_id(FileId id, const PlacedBody& body, const SourcePlace& place,
                   const std::string& path) {
    const auto found = body.index_of.find(id);
    if (found != body.index_of.end()) return found->second;
    throw InputError(place, path + ": body '" + body.name + "' has no node " + std::to_string(id) +
                                "; allowed: its " + std::to_string(body.index_of.size()) +
                                " node ids between " +
                                std::to_string(body.index_of.begin()->first) + " and " +
                                std::to_string(body.index_of.rbegin()->first));
}

std::vector<Index> select_nodes(const SelectDef& select, const PlacedBody& body) {
    std::vector<Index> nodes;
    if (select.group) {
        nodes = nodes_of_group(select, body);
    } else if (select.nodes) {
        for (const FileId id : *select.nodes)
            nodes.push_back(
                node_with_id(id, body, select.origin.at("nodes"), select.origin.path + ".nodes"));
        std::sort(nodes.begin(), nodes.end());
    } else {
        const Inside inside = region_of(select, body.box);
        for (Index i = 0; i < body.mesh.n_nodes(); ++i)
            if (inside(body.mesh.nodes[i])) nodes.push_back(i);
    }
    if (nodes.empty())
        throw InputError(select.origin.place, select.origin.path + " selects no node of body '" +
                                                  body.name + "', which lies between " +
                                                  vector_text(body.box.lo) + " and " +
                                                  vector_text(body.box.hi) + " m");
    return nodes;
}

std::vector<Index> tets_inside(const std::vector<Index>& nodes, const TetMesh& mesh) {
    std::vector<char> chosen(mesh.nodes.size(), 0);
    for (const Index node : nodes) chosen[node] = 1;
    std::vector<Index> tets;
    for (Index t = 0; t < mesh.n_tets(); ++t) {
        const Tet& tet = mesh.tets[t];
        if (chosen[tet[0]] && chosen[tet[1]] && chosen[tet[2]] && chosen[tet[3]]) tets.push_back(t);
    }
    return tets;
}

}  // namespace limber
