// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/model.h"

#include <algorithm>

#include "limber/core/check.h"

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
    model.elements = make_elements(model.mesh, model.materials, model.tet_material);
    model.mass = lumped_mass(model.elements);
    model.stiffness = diagonal_stiffness(model.elements);
    model.lumped = model.mass;
    model.lumped_damping = lumped_mass_damping(model.elements);
    model.consistent_mass = false;
    for (Body& body : model.bodies) {
        body.surface = boundary_triangles(
            std::span(model.mesh.tets).subspan(body.tet_begin, body.tet_end - body.tet_begin));
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
    model.free.assign(n, {1, 1, 1});
    for (const Pin& pin : model.pins)
        for (Index node : pin.nodes)
            for (int axis = 0; axis < 3; ++axis)
                if (pin.axes[axis]) model.free[node][axis] = 0;
    model.initial_velocity.resize(n);
}

}  // namespace limber
