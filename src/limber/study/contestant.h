// SPDX-License-Identifier: Apache-2.0
#pragma once

// Worlds that race on one scene: making them, carrying states from one to another, and the distance
// between two states.

#include <cstddef>
#include <memory>
#include <span>
#include <typeindex>
#include <vector>

#include "limber/scene/scene_def.h"
#include "limber/sim/world.h"

namespace limber {

/// A world of the scene on a copy of the model: nothing is read again.
std::unique_ptr<World> make_world(const SceneDef& scene, const Model& model);

/// A state with everything the next step remembers.
struct Snapshot {
    State state;
    std::vector<std::byte> stepper, contact;  // History of each
    std::type_index stepper_type = typeid(void);
};
Snapshot snapshot_of(const World& world);
/// The world goes on from there. The stepper's History is taken over where both are of one type
/// (whatever their options); another type starts without, as after a rejected step.
void restart(World& world, const Snapshot& from);

/// Distance of two states of one model, each node's in parts of its body's size (the diagonal of
/// its bounding box at rest).
struct StateError {
    double max = 0, rms = 0;
};
class StateMeter {
  public:
    explicit StateMeter(const Model& model);
    StateError operator()(std::span<const Vec3d> x, std::span<const Vec3d> reference) const;
    /// Per body, in the order of the model [m].
    std::span<const double> sizes() const { return size_; }

  private:
    const Model& model_;
    std::vector<double> size_;
};

/// Moves every body as a whole, each in a direction of its own, by `share` of its size; pinned
/// coordinates stay. How far two such runs drift apart tells how far they can be compared.
void perturb(const StateMeter& meter, const Model& model, double share, State& state);

/// Time of the step itself: without the energies and penetrations measured after it [ms].
inline double solve_ms(const StepReport& report) {
    return report.wall_ms - report.ms(Stage::report);
}
inline double total_energy(const StepReport& report) {
    return report.kinetic + report.elastic + report.potential;
}

}  // namespace limber
