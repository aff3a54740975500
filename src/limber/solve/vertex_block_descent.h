// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/core/fields.h"
#include "limber/solve/descent/acceleration.h"
#include "limber/solve/descent/options.h"
#include "limber/solve/node_objective.h"
#include "limber/solve/stepper.h"
#include "limber/solve/stuck.h"

namespace limber {

enum class BlockAcceleration { none, chebyshev };
constexpr std::array<std::string_view, 2> enum_names(BlockAcceleration) {
    return {"none", "chebyshev"};
}

struct VertexBlockOptions {
    BlockAcceleration acceleration = BlockAcceleration::chebyshev;
    InitialKind initial = InitialKind::acceleration;
    int iterations = 20;
    double rel_tolerance = 0;  // 0: always all iterations
    int check_every = 4;       // iterations between two looks at the energy and the gradient
    double rho = 0.95;         // of Chebyshev's method
    int warm_up = 4;           // iterations of a step before it sets in
    double eta = 0.2;          // of the acceleration guess
};

template <class Visitor>
void fields(Visitor& field, VertexBlockOptions& o) {
    field("acceleration", o.acceleration, any_value(),
          "momentum between sweeps; where it raised the energy they are taken back");
    field("initial", o.initial, any_value(),
          "start of the iteration: x, x + h v, the same with a share eta of the last acceleration, "
          "or the best point along v");
    field("iterations", o.iterations, at_least(1), "sweeps over all nodes a time step");
    field("rel_tolerance", o.rel_tolerance, between(0, 1),
          "stop early when the gradient is below this share of the forces in the step, looked at "
          "every check_every iterations; 0: never");
    field("check_every", o.check_every, at_least(1), "iterations between two looks at the energy");
    field("rho", o.rho, inside(0, 1), "chebyshev: how much of the error a sweep leaves");
    field("warm_up", o.warm_up, at_least(0), "iterations of a time step before chebyshev sets in");
    field("eta", o.eta, between(0, 1), "share of the acceleration in initial = \"acceleration\"");
}

/// Vertex block descent (Chen et al. 2024): sweeps of coloured Gauss-Seidel over the nodes, each
/// moved by a Newton step of the objective over its own position, all others held. The node's 3x3
/// Hessian takes the absolute values of its eigenvalues and the step is halved until the energy
/// falls: no sweep ever raises it. Any law, integrator and element; in double precision.
class VertexBlockStepper final : public Stepper {
  public:
    using Options = VertexBlockOptions;
    VertexBlockStepper(const Model& model, const Options& options);
    std::string_view name() const override { return "vertex_block_descent"; }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    void integrate(const StepInput& in, State& state) const override;
    /// History: v of the last step.
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void reset() override {
        has_before_ = false;
        quiet_ = {};
        objective_.release();
    }
    std::string describe() override;
    bool watch(SolveWatcher watcher) override {
        watcher_ = std::move(watcher);
        return true;
    }

  private:
    template <class List, class Self>
    static void list_history(List& list, Self& self);
    bool start(const State& state);
    void move_node(Index node);
    void add_momentum();
    bool look(SolveStats& stats);
    void take_back();

    const Model& model_;
    Options options_;
    Objective<double> objective_;
    NodeObjective nodes_;
    std::unique_ptr<Acceleration> acceleration_;
    std::vector<Vec3d> x_, before_, checkpoint_, gradient_;
    double scale_ = 1;  // what gradients are compared with [N]
    double value_ = 0;  // of the checkpoint
    std::vector<Vec3d> v_before_;
    QuietSteps quiet_;  // History
    bool has_before_ = false;
    SolveWatcher watcher_;
};

/// Solves H d = −g over the axes where `free` is 1 with |H|: eigenvalues by their absolute values,
/// none below 1e-10 of the largest. g·d < 0 unless g is 0 there.
Vec3d descent_step(const Mat3d& H, const Vec3d& g, const Vec3d& free);

}  // namespace limber
