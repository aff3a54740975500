// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fixtures.h"
#include "io/temp_folder.h"
#include "limber/io/file.h"

namespace limber::test {

/// Moves every node by a fixed velocity and reports numbers a test can predict; fails from step
/// `fail_at` on.
class DriftStepper final : public Stepper {
  public:
    explicit DriftStepper(std::int64_t fail_at) : fail_at_(fail_at) {}
    std::string_view name() const override { return "drift"; }
    bool advances_time() const override { return false; }  // nothing pays for its energy
    void free_motion(const StepInput&, State& state, NodeForces& forces,
                     StepReport& report) override {
        for (Vec3d& v : state.v) v = {1, 0.5, 0};
        for (Vec3d& f : forces.reaction) f = {0, 2, 0};
        report.solve.iterations = static_cast<int>(report.step % 7);
        report.solve.residual = 1e-6;
        report.solve.status =
            report.step >= fail_at_ ? SolveStatus::not_finite : SolveStatus::converged;
        if (report.step % 3 == 0) report.set(StepFlag::iteration_cap);
    }

  private:
    std::int64_t fail_at_;
};

/// Two bodies of one cell each, the second with a name no file system likes.
inline Model two_boxes() {
    const TetMesh box = make_box({1, 1, 1}, {1, 1, 1});
    Model model = model_of(box, rubber());
    model.bodies[0].name = "left";
    const Index n = box.n_nodes(), m = box.n_tets();
    for (Index i = 0; i < n; ++i) {
        model.mesh.nodes.push_back(box.nodes[i] + Vec3d{3, 0, 0});
        model.mesh.node_ids.push_back(100 + i);
    }
    for (Index e = 0; e < m; ++e) {
        Tet tet = box.tets[e];
        for (Index& node : tet) node += n;
        model.mesh.tets.push_back(tet);
        model.mesh.tet_ids.push_back(m + e);
        model.tet_material.push_back(0);
    }
    Body right;
    right.name = "../rig ht";
    right.node_begin = n;
    right.node_end = 2 * n;
    right.tet_begin = m;
    right.tet_end = 2 * m;
    model.bodies.push_back(right);
    model.probes.push_back({"tip", {0, 3}});
    model.h = 0.01;
    finish_model(model);
    return model;
}

inline std::unique_ptr<World> drifting(Model model = two_boxes(), std::int64_t fail_at = 1 << 30) {
    return std::make_unique<World>(std::make_unique<const Model>(std::move(model)),
                                   std::make_unique<DriftStepper>(fail_at),
                                   std::make_unique<NoContact>());
}

/// A world as a checkpoint after `step` steps of the same run would leave it.
inline std::unique_ptr<World> drifting_from(std::int64_t step) {
    auto world = drifting();
    for (std::int64_t k = 0; k < step; ++k) world->step();
    return world;
}

inline void run_to(World& world, std::int64_t last_step) {
    world.begin();
    while (world.state().step < last_step && !world.step().failed) {
    }
    world.end();
}

inline std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> out;
    std::string line;
    for (char c : read_file(path))
        if (c == '\n') {
            out.push_back(line);
            line.clear();
        } else {
            line += c;
        }
    return out;
}

inline std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> out(1);
    for (char c : line)
        if (c == ',')
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

}  // namespace limber::test
