// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/fibres.h"

#include <cmath>
#include <map>

#include "limber/scene/build/node_table.h"
#include "limber/scene/format/error_list.h"

namespace limber {

namespace {

Vec3d unit(const Vec3d& v) {
    // Lengths first made about 1: squares of what a double holds may leave its range.
    const double largest = std::fmax(std::fabs(v.x), std::fmax(std::fabs(v.y), std::fabs(v.z)));
    const Vec3d scaled = (1 / largest) * v;
    return (1 / norm(scaled)) * scaled;
}

/// Whether the placement leaves every direction as it is.
bool turns_nothing(const Mat3d& linear) {
    const double s = linear(0, 0);
    return linear == Mat3d::diagonal(s, s, s);
}

/// The rows of the file by tet of the body.
std::map<Index, NodeRow> rows_of_tets(const std::string& path, const PlacedBody& body,
                                      const std::string& key, std::span<const Material> materials,
                                      std::span<const Index> tet_material) {
    std::map<FileId, Index> tet_of;
    for (Index t = 0; t < body.mesh.n_tets(); ++t) tet_of.emplace(body.mesh.tet_ids[t], t);
    std::map<Index, NodeRow> by_tet;
    ErrorList errors;
    for (const NodeRow& row : read_node_table(path, fibre_columns).rows)
        errors.run([&] {
            const SourcePlace place{path, row.line, 1};
            const std::string tet = "tet " + std::to_string(row.id);
            const auto found = tet_of.find(row.id);
            if (found == tet_of.end())
                throw InputError(place, key + ": body '" + body.name + "' has no " + tet +
                                            "; allowed: its " + std::to_string(tet_of.size()) +
                                            " tet ids between " +
                                            std::to_string(tet_of.begin()->first) + " and " +
                                            std::to_string(tet_of.rbegin()->first));
            const Material& material = materials[tet_material[found->second]];
            if (!std::holds_alternative<FibreReinforced>(material.law))
                throw InputError(place, key + ": " + tet + " is of material '" + material.name +
                                            "', which has no fibres; allowed: tets of materials "
                                            "with kind = \"fibre\"");
            if (row.value == Vec3d{0, 0, 0})
                throw InputError(place, key + ": the direction of " + tet +
                                            " is [0, 0, 0]; allowed: a vector that is not zero");
            const auto [first, fresh] = by_tet.emplace(found->second, row);
            if (!fresh)
                throw InputError(place, tet + " is given twice; first at line " +
                                            std::to_string(first->second.line));
        });
    errors.throw_if_any();
    return by_tet;
}

}  // namespace

std::vector<TetData> fibres_of_body(const BodyDef& def, const PlacedBody& body,
                                    const Placement& place, std::span<const Material> materials,
                                    std::span<const Index> tet_material) {
    if (!def.fibres && turns_nothing(place.linear)) return {};
    std::map<Index, NodeRow> rows;
    if (def.fibres)
        rows = rows_of_tets(std::string(*def.fibres), body, def.origin.path + ".fibres", materials,
                            tet_material);
    std::vector<TetData> out(tet_material.size());
    bool any = false;
    Index n_missing = 0, first_missing = 0;
    for (Index t = 0; t < static_cast<Index>(out.size()); ++t) {
        const auto* law = std::get_if<FibreReinforced>(&materials[tet_material[t]].law);
        if (!law) continue;
        const auto row = rows.find(t);
        if (def.fibres && row == rows.end()) {
            if (n_missing++ == 0) first_missing = t;
            continue;
        }
        const Vec3d a = unit(place.linear * (def.fibres ? unit(row->second.value) : law->a));
        out[t] = {a.x, a.y, a.z};
        any = true;
    }
    if (n_missing > 0)
        throw InputError({std::string(*def.fibres)},
                         def.origin.path + ".fibres: " + std::to_string(n_missing) +
                             " tets with fibres have no line, the first of them tet " +
                             std::to_string(body.mesh.tet_ids[first_missing]) + " of body '" +
                             body.name + "'; allowed: a line for each of them");
    if (!any) out.clear();
    return out;
}

}  // namespace limber
