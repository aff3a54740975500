// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/contact/joints/joint_table.h"
#include "limber/contact/obstacle.h"
#include "limber/core/keyframes.h"
#include "limber/fem/cloth.h"
#include "limber/fem/elements/element_set.h"
#include "limber/mesh/embedding.h"
#include "limber/mesh/mass_properties.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

enum class MassKind { lumped, consistent };

/// How a step of time is taken (solve/objective.h); linearly implicit solvers know the first alone.
enum class Integrator { backward_euler, trapezoid, quasi_static };

/// A finer surface to look at, carried along by the tets of a body. Empty: none.
struct Skin {
    std::vector<Triangle> triangles;  // in the skin's own numbers, those of its file
    Embedding embedding;              // one entry a skin vertex; corners are model node indices
    bool empty() const { return triangles.empty(); }
};

/// A body that is a sheet of triangles instead of tets.
struct ClothSheet {
    std::vector<Triangle> triangles;  // model node indices; every node of the body is in one
    Index material = 0;
    ClothOptions options;
};

/// The nodes and tets of one body inside the model's arrays: consecutive ranges. A cloth has no
/// tets.
struct Body {
    std::string name;
    Index node_begin = 0, node_end = 0;
    Index tet_begin = 0, tet_end = 0;
    std::vector<Triangle> surface;     // boundary, model node indices, outward; of cloth: all of it
    std::vector<Index> surface_nodes;  // ascending
    MassKind mass = MassKind::lumped;
    Skin skin;
    std::optional<ClothSheet> cloth;
    /// A body without tets that keeps its shape: `surface` is set by whoever makes it. Its nodes
    /// carry no mass of their own and are prescribed for the solver (solve/rigid_bodies.h).
    std::optional<MassProperties> rigid;
    Vec3d rigid_velocity{0, 0, 0}, rigid_spin{0, 0, 0};  // at the start [m/s], [rad/s]

    /// Cells of a body without tets.
    std::span<const Triangle> triangles() const {
        if (cloth) return cloth->triangles;
        return rigid ? std::span<const Triangle>(surface) : std::span<const Triangle>();
    }
};

/// Nodes whose position is prescribed, at rest where they are or along key frames.
struct Pin {
    std::string label;         // for messages: "pin 2 (body 'bar')"
    std::vector<Index> nodes;  // model indices, ascending
    std::array<bool, 3> axes{true, true, true};
    Motion motion;
};

/// An external force: value(t) = share * scale(t).
struct NodalForce {
    std::string label;
    std::vector<Index> nodes;
    std::vector<Vec3d> share;  // [N], one per node
    Track<double> scale;       // empty: constant 1
};

/// Viscous damping between two nodes, c/(2h) |u_i − u_j|² over a step u (after Wang & Yang (20)).
struct ViscousEdge {
    std::array<Index, 2> nodes{};
    double c = 0;  // [kg/s]
};

struct Probe {
    std::string name;
    std::vector<Index> nodes;
};

/// What never changes in a run. Built by scene/build_model (or by hand and finish_model), const
/// afterwards.
struct Model {
    double h = 1.0 / 60;  // time step [s]
    Integrator integrator = Integrator::backward_euler;
    double load_ramp = 0;        // gravity and forces grow from 0 to all until this time [s]
    Vec3d gravity{0, -9.81, 0};  // [m/s²]
    int up_axis = 1;             // 1: y, 2: z; for pictures only
    TetMesh mesh;                // all bodies, placed, at rest
    std::vector<Body> bodies;
    std::vector<Material> materials;
    std::vector<Index> tet_material;  // one per tet
    std::vector<TetData> tet_data;    // one per tet, or empty: their materials' hold
    ElementSet elements;
    Cloth cloth;
    std::vector<double> mass;  // lumped [kg], one per node: energies, preconditioner, first guesses
    std::vector<double> stiffness;  // of each node's diagonal block of K at rest [N/m]
    // The inertia of A: a body's mass acts through its nodes (lumped) or through its tets
    // (consistent, then elements.tet_mass holds it and the nodes' entries here are 0; for lumped
    // bodies the tets' are).
    std::vector<double> lumped;          // [kg]
    std::vector<double> lumped_damping;  // mass part of Rayleigh damping, and air [kg/s]
    std::vector<ViscousEdge> viscous;    // ascending; edges of tets and of cloth, each once
    bool consistent_mass = false;        // some body's mass acts through its tets
    std::vector<Pin> pins;
    std::vector<NodalForce> forces;
    std::vector<PressureLoad> pressures;
    std::vector<Obstacle> obstacles;
    std::vector<JointData> joints;
    ContactFilter contact_filter;
    std::vector<Probe> probes;
    std::vector<Vec3d> free;                  // FreeMask over all nodes: 0 where a pin prescribes
    std::vector<Vec3d> initial_velocity;      // [m/s]
    std::vector<Vec3d> initial_displacement;  // from the rest shape [m]

    Index n_nodes() const { return mesh.n_nodes(); }
    Index n_tets() const { return mesh.n_tets(); }
    /// The body that owns a node or a tet.
    const Body& body_of_node(Index node) const;
    const Body& body_of_tet(Index tet) const;
    /// The same by their place in `bodies`.
    Index body_index_of_node(Index node) const {
        return static_cast<Index>(&body_of_node(node) - bodies.data());
    }
    Index body_index_of_tet(Index tet) const {
        return static_cast<Index>(&body_of_tet(tet) - bodies.data());
    }
    bool is_rigid(Index node) const { return body_of_node(node).rigid.has_value(); }
};

/// A model of one body of one material, for code that needs no scene file: add pins and forces,
/// then finish_model.
Model one_body(std::string name, TetMesh mesh, const Material& material);

/// Derives what follows from mesh, bodies, materials and pins: elements, masses, surfaces, the free
/// mask, damping of air and edges. Initial velocities are zero where none are set.
void finish_model(Model& model);

}  // namespace limber
