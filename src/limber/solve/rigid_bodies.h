// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/linalg/schur/compliance.h"
#include "limber/solve/model.h"
#include "limber/solve/state.h"

namespace limber {

/// The rigid bodies of a model: six degrees of freedom each. Their nodes are part of the model like
/// those of soft bodies, so that contact, output and the page see nothing special; for the solver
/// they are prescribed, and here is where they go.
class RigidBodies {
  public:
    explicit RigidBodies(const Model& model);
    bool empty() const { return bodies_.empty(); }

    /// At rest where the model has them, with its initial velocities.
    std::vector<RigidState> start() const;
    /// Velocities without contact after a step: gravity, the forces on their nodes, and the
    /// gyroscopic torque implicitly (Catto 2015: stable for any spin). Writes the velocities of
    /// their nodes, linear in the step: V + ω × r.
    void free_motion(double h, const Vec3d& gravity, std::span<const Vec3d> force,
                     std::span<const Vec3d> x, std::span<RigidState> states,
                     std::span<Vec3d> node_velocity) const;
    /// After contact: the forces on their nodes change the velocities, these the poses, and those
    /// the nodes.
    void finish(double h, std::span<const Vec3d> contact_force, std::span<RigidState> states,
                std::span<Vec3d> x, std::span<Vec3d> v) const;
    double kinetic_energy(std::span<const RigidState> states) const;
    double potential_energy(const Vec3d& gravity, std::span<const RigidState> states) const;

    /// How nodes answer impulses, rigid ones by their bodies, the others as `soft` says; null: none
    /// of them does. Valid until the next call; x and states are those of the start of the step.
    Compliance& couple(Compliance* soft, std::span<const Vec3d> x,
                       std::span<const RigidState> states);

  private:
    struct Rigid {
        Index body = 0, begin = 0, end = 0;  // of the model; its nodes
        MassProperties properties;
        Mat3d inverse_inertia;
    };
    class Coupled final : public Compliance {
      public:
        explicit Coupled(const RigidBodies& owner) : owner_(owner) {}
        Index n_nodes() const override;
        void apply(std::span<const Vec3d> f, std::span<Vec3d> v) override;
        void between(std::span<const Index> nodes, DenseMatrix& out) override;

        Compliance* soft = nullptr;
        std::span<const Vec3d> x;
        std::span<const RigidState> states;

      private:
        const RigidBodies& owner_;
        std::vector<Index> soft_nodes_, place_;
        DenseMatrix soft_block_;
    };
    Index rigid_of(Index node) const;  // -1: a node of a soft body

    const Model& model_;
    std::vector<Rigid> bodies_;
    Coupled coupled_{*this};
};

}  // namespace limber
