// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/descent/data.h"

#include <algorithm>
#include <cmath>

#include "limber/solve/model.h"

namespace limber::gpu {

namespace {

/// Where slots are still to be found: the nodes of all entries, and which list each part goes to.
class SlotRequests {
  public:
    /// The slots of these nodes will be put into `out`, which must stay where it is.
    void add(const std::vector<Index>& node, std::vector<Index>& out) {
        wanted_.push_back({&out, node_.size(), node.size()});
        node_.insert(node_.end(), node.begin(), node.end());
    }
    /// Of each 32 nodes their first slot, and the end; empty: nothing was asked for.
    std::vector<Index> make(Index n_nodes) const {
        if (node_.empty()) return {};
        const SlotLayout layout = make_slots(n_nodes, node_);
        for (const Wanted& w : wanted_)
            w.out->assign(layout.slot.begin() + static_cast<std::ptrdiff_t>(w.first),
                          layout.slot.begin() + static_cast<std::ptrdiff_t>(w.first + w.count));
        return layout.begin;
    }

  private:
    struct Wanted {
        std::vector<Index>* out;
        std::size_t first, count;
    };
    std::vector<Wanted> wanted_;
    std::vector<Index> node_;
};

template <class Element>
void add_elements(const std::vector<Element>& elements, ElementData<Element>& out,
                  SlotRequests& slots) {
    out.elements = elements;
    std::vector<Index> node;
    for (int c = 0; c < Element::n_nodes; ++c)
        for (const Element& element : elements) node.push_back(element.nodes[c]);
    slots.add(node, out.slot);
}

/// The law's numbers of each tet, or those of the material where a tet has none.
template <class Real>
std::vector<Real> numbers_of_tets(const Model& model, const Material& material,
                                  const std::vector<Index>& tets) {
    return visit_law(material, [&]<class Law>(const PointLaw<Law>& law) {
        std::vector<Real> out;
        if constexpr (n_tet_data < Law >> 0) {
            if (model.tet_data.empty()) return out;
            double own[n_tet_data<Law>];
            law.law.own_data(own);
            for (int i = 0; i < n_tet_data<Law>; ++i)
                for (const Index t : tets) {
                    const TetData& of_tet = model.tet_data[t];
                    out.push_back(static_cast<Real>(of_tet ? (*of_tet)[i] : own[i]));
                }
        }
        return out;
    });
}

template <class Real>
TetGroupData<Real> make_group(const Model& model, Index material, std::vector<Index> tets) {
    TetGroupData<Real> out;
    out.material = model.materials[material];
    out.tets = std::move(tets);
    const std::size_t n = out.tets.size();
    const ElementSet& elements = model.elements;
    for (int c = 0; c < 4; ++c)
        for (const Index t : out.tets) out.node.push_back(model.mesh.tets[t][c]);
    out.Dm_inv.resize(9 * n);
    bool damped = false, consistent = false;
    for (std::size_t k = 0; k < n; ++k) {
        const Index t = out.tets[k];
        const Mat3d Dm = rest_shape(model.mesh, t), inv = inverse(Dm);
        for (std::size_t e = 0; e < 9; ++e) out.Dm_inv[e * n + k] = static_cast<Real>(inv.a[e]);
        out.volume.push_back(static_cast<Real>(determinant(Dm) / 6));
        damped = damped || elements.damping_stiffness[t] > 0;
        consistent = consistent || (model.consistent_mass && elements.tet_mass[t] > 0);
    }
    for (const Index t : out.tets) {
        if (damped) out.b.push_back(static_cast<Real>(elements.damping_stiffness[t]));
        if (!consistent) continue;
        out.mass.push_back(static_cast<Real>(elements.tet_mass[t] / 20));
        out.mass_damping.push_back(static_cast<Real>(elements.damping_mass[t]));
    }
    out.data = numbers_of_tets<Real>(model, out.material, out.tets);
    return out;
}

/// Whether sweeps need tets of one law alone, and every node has one. What is quadratic beside the
/// law, and cloth, go the general way.
template <class Real>
bool suits_tiles(const Model& model, const DescentData<Real>& data) {
    if (data.quasi_static || data.groups.size() != 1 || !data.groups[0].b.empty() ||
        !data.groups[0].mass.empty() || !model.cloth.springs.empty() ||
        !model.cloth.membranes.empty() || !model.cloth.flat_hinges.empty() ||
        !model.cloth.hinges.empty() || !model.viscous.empty())
        return false;
    std::vector<char> touched(static_cast<std::size_t>(model.n_nodes()));
    for (const auto& tet : model.mesh.tets)
        for (const Index i : tet) touched[i] = 1;
    return std::find(touched.begin(), touched.end(), 0) == touched.end();
}

/// As TetPotential has it: terms of 3μ/2 that cancel at rest, errors independent from tet to tet.
double rounding_scale_of(const Model& model) {
    double squares = 0;
    for (Index t = 0; t < model.n_tets(); ++t) {
        const double volume = determinant(rest_shape(model.mesh, t)) / 6;
        const double terms = 1.5 * small_strain(model.materials[model.tet_material[t]]).mu * volume;
        squares += terms * terms;
    }
    return 4 * std::sqrt(squares);
}

}  // namespace

template <class Real>
DescentData<Real> make_descent_data(const Model& model) {
    DescentData<Real> out;
    out.n_nodes = model.n_nodes();
    out.trapezoid = model.integrator == Integrator::trapezoid;
    out.quasi_static = model.integrator == Integrator::quasi_static;
    out.rounding_scale = rounding_scale_of(model);
    std::vector<std::vector<Index>> tets_of(model.materials.size());
    for (Index t = 0; t < model.n_tets(); ++t) tets_of[model.tet_material[t]].push_back(t);
    for (std::size_t m = 0; m < tets_of.size(); ++m)
        if (!tets_of[m].empty())
            out.groups.push_back(make_group<Real>(model, static_cast<Index>(m), tets_of[m]));
    if (suits_tiles(model, out)) {
        out.tiles = make_tiles(model.mesh.nodes, model.mesh.tets,
                               suitable_tiles(model.n_tets(), sizeof(Real)));
        if (!out.tiles.empty())
            out.groups[0] = make_group<Real>(model, model.tet_material[0], out.tiles.tet_order);
    }

    SlotRequests slots, quadratic;
    for (auto& group : out.groups) {
        slots.add(group.node, group.slot);
        if (!group.b.empty() || !group.mass.empty())
            quadratic.add(group.node, group.quadratic_slot);
    }
    add_elements(model.cloth.springs, out.springs, slots);
    add_elements(model.cloth.membranes, out.membranes, slots);
    add_elements(model.cloth.flat_hinges, out.flat_hinges, slots);
    add_elements(model.cloth.hinges, out.hinges, slots);
    std::vector<EdgeDamper> dampers;
    for (const ViscousEdge& edge : model.viscous) dampers.push_back({edge.nodes, edge.c});
    add_elements(dampers, out.dampers, slots);
    out.slot_begin = slots.make(out.n_nodes);
    if (out.slot_begin.empty()) out.slot_begin = make_slots(out.n_nodes, {}).begin;
    out.quadratic_begin = quadratic.make(out.n_nodes);

    out.mass = model.lumped;
    out.damping = model.lumped_damping;
    out.stiffness = model.stiffness;
    out.pinned.resize(static_cast<std::size_t>(out.n_nodes));
    out.origin.resize(static_cast<std::size_t>(out.n_nodes));
    for (Index i = 0; i < out.n_nodes; ++i)
        for (int k = 0; k < 3; ++k)
            if (model.free[i][k] == 0) {
                out.pinned[i] = static_cast<unsigned char>(out.pinned[i] | 1 << k);
                out.any_pinned = true;
            }
    for (const Body& body : model.bodies)
        std::fill(out.origin.begin() + body.node_begin, out.origin.begin() + body.node_end,
                  body.node_begin);
    return out;
}

template DescentData<float> make_descent_data(const Model&);
template DescentData<double> make_descent_data(const Model&);

}  // namespace limber::gpu
