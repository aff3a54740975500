// SPDX-License-Identifier: Apache-2.0
#include "limber/view/colours.h"

#include <algorithm>
#include <cmath>

namespace limber {

std::vector<ColourField> Colours::fields(const World& world) {
    std::vector<ColourField> out = {
        {"von_mises", "von Mises stress", "Pa"},
        {"displacement", "displacement", "m"},
        {"speed", "speed", "m/s"},
        {"det_F", "volume ratio det F", ""},
        {"contact_force", "contact force", "N"},
        {"material", "material", "", true},
    };
    CellFields cells;
    world.stepper().describe_cells(cells);
    for (const CellField& cell : cells) out.push_back({cell.name, cell.title, "", cell.categories});
    return out;
}

/// A value of each tet to its corners: the mean over the tets around a node, or the largest.
void Colours::from_tets(const World& world, const std::vector<double>& of_tet, bool largest) {
    const TetMesh& mesh = world.model().mesh;
    count_.assign(mesh.nodes.size(), 0);
    for (Index e = 0; e < mesh.n_tets(); ++e)
        for (const Index i : mesh.tets[e]) {
            if (largest)
                of_node_[i] = count_[i] ? std::max(of_node_[i], of_tet[e]) : of_tet[e];
            else
                of_node_[i] += of_tet[e];
            ++count_[i];
        }
    if (largest) return;
    for (std::size_t i = 0; i < of_node_.size(); ++i)
        if (count_[i] > 0) of_node_[i] /= count_[i];
}

bool Colours::at_nodes(std::string_view field, const World& world) {
    const Model& m = world.model();
    const State& s = world.state();
    of_node_.assign(m.n_nodes(), 0);
    if (field == "displacement") {
        for (Index i = 0; i < m.n_nodes(); ++i) of_node_[i] = norm(s.x[i] - m.mesh.nodes[i]);
    } else if (field == "speed") {
        for (Index i = 0; i < m.n_nodes(); ++i) of_node_[i] = norm(s.v[i]);
    } else if (field == "contact_force") {
        for (Index i = 0; i < m.n_nodes(); ++i) of_node_[i] = norm(world.forces().contact[i]);
    } else if (field == "von_mises" || field == "det_F") {
        measures_.resize(m.n_tets());
        of_tet_.resize(m.n_tets());
        measure_tets(m.elements, s.x, measures_);
        for (Index e = 0; e < m.n_tets(); ++e)
            of_tet_[e] = field == "det_F" ? measures_[e].det_F : measures_[e].von_mises;
        from_tets(world, of_tet_, false);
    } else if (field == "material") {
        of_tet_.assign(m.tet_material.begin(), m.tet_material.end());
        from_tets(world, of_tet_, true);
    } else {
        CellFields cells;
        world.stepper().describe_cells(cells);
        const auto found = std::find_if(cells.begin(), cells.end(),
                                        [&](const CellField& c) { return c.name == field; });
        if (found == cells.end()) return false;
        from_tets(world, found->value, field == "supernode" || field == "updated");
    }
    return true;
}

bool Colours::evaluate(std::string_view field, const World& world, const DisplaySurface& surface) {
    if (!at_nodes(field, world)) return false;
    values_.resize(surface.n_vertices());
    surface.values(of_node_, values_);
    for (float& value : values_)
        if (!std::isfinite(value)) value = 0;
    const auto [lo, hi] = std::minmax_element(values_.begin(), values_.end());
    hi_ = values_.empty() ? 0 : *hi;
    // A few nodes at a contact or a corner would leave all others dark: the scale ends where 2 % of
    // the vertices are beyond it.
    if ((field == "von_mises" || field == "contact_force") && values_.size() > 50) {
        sorted_ = values_;
        const auto at = sorted_.begin() + static_cast<std::ptrdiff_t>(0.98 * sorted_.size());
        std::nth_element(sorted_.begin(), at, sorted_.end());
        if (*at > 0) hi_ = *at;
    }
    lo_ = values_.empty() || field != "det_F" ? 0 : *lo;
    return true;
}

}  // namespace limber
