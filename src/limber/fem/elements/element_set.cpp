// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/element_set.h"

#include <algorithm>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

struct LawParameters {
    double mu, lambda;
    bool corotational;
};

LawParameters parameters_of(const Material& material) {
    const Lame lame = small_strain(material);
    const bool turns = std::visit(
        [](const auto& law) { return std::decay_t<decltype(law)>::corotational; }, material.law);
    return {lame.mu, lame.lambda, turns};
}

bool is_more_than_corotated(const Material& m) {
    const bool simple = std::visit([]<class Law>(const Law&) { return HookesLaw<Law>; }, m.law);
    return !simple || m.volume != 0 || m.conversion.on;
}

}  // namespace

ElementSet make_elements(const TetMesh& mesh, std::span<const Material> materials,
                         std::span<const Index> tet_material, std::span<const TetData> tet_data) {
    LIMBER_CHECK(tet_data.empty() || tet_data.size() == mesh.tets.size(), "numbers of every tet");
    LIMBER_CHECK(tet_material.size() == mesh.tets.size(), "one material index per tet");
    ElementSet e;
    e.n_nodes = mesh.n_nodes();
    e.n_tets = mesh.n_tets();
    e.tets.fill(mesh, tets_in_mesh_order(e.n_tets, tet_lanes), EmptyLanes::zero);
    e.tet_mass.resize(e.n_tets);
    e.damping_mass.resize(e.n_tets);
    e.damping_stiffness.resize(e.n_tets);
    std::vector<LawParameters> laws;
    for (const Material& m : materials) laws.push_back(parameters_of(m));
    for (Index t = 0; t < e.n_tets; ++t) {
        const Index m = tet_material[t];
        LIMBER_CHECK(m >= 0 && static_cast<std::size_t>(m) < materials.size(), "material index");
        HookePacket& packet = e.tets.at(t);
        const int lane = t % tet_lanes;
        LIMBER_CHECK(packet.volume[lane] > 0,
                     "a tet at rest has no positive volume; meshes are checked on reading");
        packet.mu[lane] = laws[m].mu;
        packet.lambda[lane] = laws[m].lambda;
        packet.corotational[lane] = laws[m].corotational ? 1 : 0;
        e.tet_mass[t] = materials[m].density * packet.volume[lane];
        e.damping_mass[t] = materials[m].damping_mass;
        e.damping_stiffness[t] = materials[m].damping_stiffness;
    }
    e.materials.assign(materials.begin(), materials.end());
    e.tet_material.assign(tet_material.begin(), tet_material.end());
    e.tet_data.assign(tet_data.begin(), tet_data.end());
    if (std::any_of(materials.begin(), materials.end(), is_more_than_corotated)) {
        e.other_law.assign(e.tets.packets.size(), 0);
        for (Index t = 0; t < e.n_tets; ++t)
            if (is_more_than_corotated(materials[tet_material[t]])) e.other_law[t / tet_lanes] = 1;
    }
    e.incidence = node_tets(e.n_nodes, mesh.tets);
    e.corner_sum = make_corner_sum(e.incidence, e.n_tets);
    return e;
}

std::vector<double> lumped_mass(const ElementSet& elements) {
    std::vector<double> mass(elements.n_nodes, 0.0);
    for (Index i = 0; i < elements.n_nodes; ++i)
        for (const Index entry : elements.incidence.of(i))
            mass[i] += elements.tet_mass[entry / 4] / 4;
    return mass;
}

std::vector<double> lumped_mass_damping(const ElementSet& elements) {
    std::vector<double> damping(elements.n_nodes, 0.0);
    for (Index i = 0; i < elements.n_nodes; ++i)
        for (const Index entry : elements.incidence.of(i))
            damping[i] += elements.damping_mass[entry / 4] * elements.tet_mass[entry / 4] / 4;
    return damping;
}

std::vector<double> diagonal_stiffness(const ElementSet& elements) {
    std::vector<double> out(elements.n_nodes, 0.0);
    for (Index t = 0; t < elements.n_tets; ++t) {
        const HookePacket& packet = elements.tets.at(t);
        const int lane = t % tet_lanes;
        const auto g = rest_gradients(elements.tets.Dm_inv(t));
        // tr K_aa = V ((λ + μ) g·g + 3 μ g·g), and V k (a·g)² of fibres
        const double fibres = added_stiffness(elements.materials[elements.tet_material[t]]) / 3;
        const double k =
            packet.volume[lane] * (packet.lambda[lane] + 4 * packet.mu[lane] + fibres) / 3;
        for (int a = 0; a < 4; ++a) out[packet.node[a][lane]] += k * squared_norm(g[a]);
    }
    return out;
}

void add_consistent_mass(const ElementSet& elements, std::span<const Vec3d> x, double scale,
                         bool with_damping, std::span<Vec3d> y) {
    parallel_for(elements.n_nodes, 256, [&](Index i) {
        Vec3d sum{};
        for (const Index entry : elements.incidence.of(i)) {
            const Index t = entry / 4;
            const double m =
                elements.tet_mass[t] / 20 * (with_damping ? elements.damping_mass[t] : 1);
            Vec3d corners = x[i];  // δ_ab, and every corner once
            for (int c = 0; c < 4; ++c) corners += x[elements.tets.node(t, c)];
            sum += m * corners;
        }
        y[i] += scale * sum;
    });
}

}  // namespace limber
