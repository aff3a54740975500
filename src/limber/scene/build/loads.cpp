// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/loads.h"

#include "limber/scene/build/node_table.h"

namespace limber {

namespace {

/// The boundary faces with all nodes selected, and what each gives its corners [m²].
std::vector<double> selected_area(const std::vector<char>& chosen, const PlacedBody& placed,
                                  const Body& body, double& total) {
    std::vector<double> area(chosen.size(), 0);
    total = 0;
    for (const Triangle& face : body.surface) {
        const Index a = face[0] - body.node_begin, b = face[1] - body.node_begin,
                    c = face[2] - body.node_begin;
        if (!chosen[a] || !chosen[b] || !chosen[c]) continue;
        const auto& x = placed.mesh.nodes;
        const double third = norm(cross(x[b] - x[a], x[c] - x[a])) / 6;
        for (const Index corner : {a, b, c}) area[corner] += third;
        total += 3 * third;
    }
    return area;
}

void share_by_area(const ForceDef& def, const std::vector<Index>& nodes, const PlacedBody& placed,
                   const Body& body, NodalForce& out) {
    std::vector<char> chosen(placed.mesh.nodes.size(), 0);
    for (const Index node : nodes) chosen[node] = 1;
    double total = 0;
    const std::vector<double> area = selected_area(chosen, placed, body, total);
    if (total > 0) {
        const Vec3d per_area = def.traction ? *def.traction : (1 / total) * *def.total;
        for (const Index node : nodes)
            if (area[node] > 0) {
                out.nodes.push_back(body.node_begin + node);
                out.share.push_back(area[node] * per_area);
            }
        return;
    }
    if (def.traction)
        throw InputError(def.origin.at("traction"),
                         def.origin.path + ": no boundary face of body '" + body.name +
                             "' has all three nodes selected; a traction needs one");
    for (const Index node : nodes) {
        out.nodes.push_back(body.node_begin + node);
        out.share.push_back((1.0 / static_cast<double>(nodes.size())) * *def.total);
    }
}

void loads_of_file(const ForceDef& def, const PlacedBody& placed, const Body& body,
                   NodalForce& out) {
    const std::string path(*def.file);
    const NodeTable table = read_node_table(path, force_columns);
    for (const auto& [node, row] : rows_of_body(table, path, placed, def.origin.path + ".file")) {
        out.nodes.push_back(body.node_begin + node);
        out.share.push_back(row.value);
    }
}

}  // namespace

NodalForce nodal_force(const ForceDef& def, std::size_t number, const PlacedBody& placed,
                       const Body& body) {
    NodalForce out;
    out.label = "force " + std::to_string(number) + " (body '" + body.name + "')";
    if (def.times) out.scale = {*def.times, *def.scale};
    if (def.file) {
        loads_of_file(def, placed, body, out);
        return out;
    }
    std::vector<Index> nodes;
    if (def.select) {
        nodes = select_nodes(*def.select, placed);
    } else {
        for (Index i = 0; i < placed.mesh.n_nodes(); ++i) nodes.push_back(i);
    }
    if (def.each) {
        for (const Index node : nodes) {
            out.nodes.push_back(body.node_begin + node);
            out.share.push_back(*def.each);
        }
    } else {
        share_by_area(def, nodes, placed, body, out);
    }
    return out;
}

}  // namespace limber
