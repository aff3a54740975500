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
    const bool simple = std::holds_alternative<CorotatedElastic>(m.law) ||
                        std::holds_alternative<LinearElastic>(m.law);
    return !simple || m.volume != 0 || m.conversion.on;
}

/// Fills lane `lane` of the packet; returns the volume.
double fill_lane(const TetMesh& mesh, const Tet& tet, const LawParameters& law, int lane,
                 TetPacket& packet) {
    const Vec3d a = mesh.nodes[tet[0]];
    const Mat3d Dm =
        Mat3d::from_columns(mesh.nodes[tet[1]] - a, mesh.nodes[tet[2]] - a, mesh.nodes[tet[3]] - a);
    const double volume = determinant(Dm) / 6;
    LIMBER_CHECK(volume > 0, "a tet at rest has no positive volume; meshes are checked on reading");
    const Mat3d Dm_inv = inverse(Dm);
    for (int c = 0; c < 4; ++c) packet.node[c][lane] = tet[c];
    for (int i = 0; i < 9; ++i) packet.Dm_inv[i][lane] = Dm_inv.a[i];
    packet.volume[lane] = volume;
    packet.mu[lane] = law.mu;
    packet.lambda[lane] = law.lambda;
    packet.corotational[lane] = law.corotational ? 1 : 0;
    return volume;
}

}  // namespace

ElementSet make_elements(const TetMesh& mesh, std::span<const Material> materials,
                         std::span<const Index> tet_material) {
    LIMBER_CHECK(tet_material.size() == mesh.tets.size(), "one material index per tet");
    ElementSet e;
    e.n_nodes = mesh.n_nodes();
    e.n_tets = mesh.n_tets();
    e.packets.assign((e.n_tets + tet_lanes - 1) / tet_lanes, TetPacket{});
    e.tet_mass.resize(e.n_tets);
    e.damping_mass.resize(e.n_tets);
    e.damping_stiffness.resize(e.n_tets);
    std::vector<LawParameters> laws;
    for (const Material& m : materials) laws.push_back(parameters_of(m));
    for (Index t = 0; t < e.n_tets; ++t) {
        const Index m = tet_material[t];
        LIMBER_CHECK(m >= 0 && static_cast<std::size_t>(m) < materials.size(), "material index");
        const double volume =
            fill_lane(mesh, mesh.tets[t], laws[m], t % tet_lanes, e.packets[t / tet_lanes]);
        e.tet_mass[t] = materials[m].density * volume;
        e.damping_mass[t] = materials[m].damping_mass;
        e.damping_stiffness[t] = materials[m].damping_stiffness;
    }
    e.materials.assign(materials.begin(), materials.end());
    e.tet_material.assign(tet_material.begin(), tet_material.end());
    if (std::any_of(materials.begin(), materials.end(), is_more_than_corotated)) {
        e.other_law.assign(e.packets.size(), 0);
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
        const TetPacket& packet = elements.packets[t / tet_lanes];
        const int lane = t % tet_lanes;
        const auto g = rest_gradients(packet, lane);
        // tr K_aa = V ((λ + μ) g·g + 3 μ g·g)
        const double k = packet.volume[lane] * (packet.lambda[lane] + 4 * packet.mu[lane]) / 3;
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
            const TetPacket& packet = elements.packets[t / tet_lanes];
            const int lane = t % tet_lanes;
            const double m =
                elements.tet_mass[t] / 20 * (with_damping ? elements.damping_mass[t] : 1);
            Vec3d corners = x[i];  // δ_ab, and every corner once
            for (int c = 0; c < 4; ++c) corners += x[packet.node[c][lane]];
            sum += m * corners;
        }
        y[i] += scale * sum;
    });
}

}  // namespace limber
