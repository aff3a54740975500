// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/model.h"

#include <algorithm>

#include "limber/core/check.h"
#include "limber/solve/model_potentials.h"

namespace limber {

namespace {

/// Bodies hold consecutive ranges in order, so the owner is the first whose range ends past the
/// index.
const Body& owner(const std::vector<Body>& bodies, Index index, Index Body::*end) {
    const auto it = std::find_if(bodies.begin(), bodies.end(),
                                 [&](const Body& body) { return index < body.*end; });
    LIMBER_CHECK(it != bodies.end(), "index outside every body");
    return *it;
}

/// Elements and masses of the bodies without tets.
void add_cloth_bodies(Model& model) {
    model.cloth = {};
    std::vector<double> area(model.n_nodes(), 0);
    for (const Body& body : model.bodies) {
        if (!body.cloth) continue;
        const ClothSheet& sheet = *body.cloth;
        const Material& material = model.materials[sheet.material];
        add_cloth(model.mesh.nodes, sheet.triangles, small_strain(material), sheet.options,
                  model.cloth);
        add_areas(model.mesh.nodes, sheet.triangles, area);
        for (Index i = body.node_begin; i < body.node_end; ++i) {
            model.mass[i] = material.density * sheet.options.thickness * area[i];
            model.lumped_damping[i] = material.damping_mass * model.mass[i];
        }
    }
    std::vector<Vec3d> diagonal(model.n_nodes());
    for (const auto& part : make_cloth_potentials<double>(model))
        part->add_diagonal(model.mesh.nodes, diagonal);
    for (Index i = 0; i < model.n_nodes(); ++i)
        model.stiffness[i] += (diagonal[i].x + diagonal[i].y + diagonal[i].z) / 3;
}

/// Damping by the air at nodes and by viscosity along edges. Where materials meet, the largest
/// coefficient counts.
void add_air_and_viscosity(Model& model) {
    std::vector<double> air(model.n_nodes(), 0);
    model.viscous.clear();
    const auto add = [&](const Material& material, std::span<const Index> nodes) {
        for (Index i : nodes) air[i] = std::max(air[i], material.damping_air);
        if (!(material.damping_viscous > 0)) return;
        for (Index i : nodes)
            for (Index j : nodes)
                if (i < j) model.viscous.push_back({{i, j}, material.damping_viscous});
    };
    for (Index t = 0; t < model.n_tets(); ++t)
        add(model.materials[model.tet_material[t]], model.mesh.tets[t]);
    for (const Body& body : model.bodies)
        if (body.cloth)
            for (const Triangle& t : body.cloth->triangles)
                add(model.materials[body.cloth->material], t);
    for (Index i = 0; i < model.n_nodes(); ++i) model.lumped_damping[i] += air[i];
    const auto largest_first = [](const ViscousEdge& a, const ViscousEdge& b) {
        return std::pair(a.nodes, -a.c) < std::pair(b.nodes, -b.c);
    };
    const auto same_edge = [](const ViscousEdge& a, const ViscousEdge& b) {
        return a.nodes == b.nodes;
    };
    std::sort(model.viscous.begin(), model.viscous.end(), largest_first);
    model.viscous.erase(std::unique(model.viscous.begin(), model.viscous.end(), same_edge),
                        model.viscous.end());
}

}  // namespace

const Body& Model::body_of_node(Index node) const {
    return owner(bodies, node, &Body::node_end);
}
const Body& Model::body_of_tet(Index tet) const {
    return owner(bodies, tet, &Body::tet_end);
}

Model one_body(std::string name, TetMesh mesh, const Material& material) {
    Model model;
    model.mesh = std::move(mesh);
    model.materials = {material};
    model.tet_material.assign(model.mesh.n_tets(), 0);
    Body body;
    body.name = std::move(name);
    body.node_end = model.mesh.n_nodes();
    body.tet_end = model.mesh.n_tets();
    model.bodies = {std::move(body)};
    return model;
}

void finish_model(Model& model) {
    const Index n = model.n_nodes();
    model.elements = make_elements(model.mesh, model.materials, model.tet_material, model.tet_data);
    model.mass = lumped_mass(model.elements);
    model.stiffness = diagonal_stiffness(model.elements);
    model.lumped_damping = lumped_mass_damping(model.elements);
    add_cloth_bodies(model);
    model.lumped = model.mass;
    model.consistent_mass = false;
    for (Body& body : model.bodies) {
        if (!body.rigid)
            body.surface = body.cloth
                               ? body.cloth->triangles
                               : boundary_triangles(
                                     std::span(model.mesh.tets)
                                         .subspan(body.tet_begin, body.tet_end - body.tet_begin));
        body.surface_nodes = nodes_of(body.surface);
        const bool consistent = body.mass == MassKind::consistent;
        model.consistent_mass |= consistent;
        // A body's mass enters either through its nodes or through its tets: clear the other side.
        if (consistent) {
            std::fill(model.lumped.begin() + body.node_begin, model.lumped.begin() + body.node_end,
                      0.0);
            std::fill(model.lumped_damping.begin() + body.node_begin,
                      model.lumped_damping.begin() + body.node_end, 0.0);
        } else {
            std::fill(model.elements.tet_mass.begin() + body.tet_begin,
                      model.elements.tet_mass.begin() + body.tet_end, 0.0);
        }
    }
    add_air_and_viscosity(model);
    model.free.assign(n, {1, 1, 1});
    for (const Pin& pin : model.pins)
        for (Index node : pin.nodes)
            for (int axis = 0; axis < 3; ++axis)
                if (pin.axes[axis]) model.free[node][axis] = 0;
    for (const Body& body : model.bodies)
        if (body.rigid)
            std::fill(model.free.begin() + body.node_begin, model.free.begin() + body.node_end,
                      Vec3d{0, 0, 0});
    model.initial_velocity.resize(n);
    model.initial_displacement.resize(n);
}

}  // namespace limber
