// SPDX-License-Identifier: Apache-2.0
// What World measures of a step, and what it holds against it.
#include <algorithm>
#include <numeric>

#include "limber/sim/world.h"

namespace limber {

namespace {

/// Of the mean edge of a body's surface: deeper shows, and is more than constraints take back
/// within a step.
constexpr double visible_depth = 0.1;

/// The body with an inverted tet; -1: none.
Index first_inverted(const Model& m, std::span<const Vec3d> x) {
    for (Index e = 0; e < m.n_tets(); ++e) {
        const Tet& t = m.mesh.tets[e];
        const Vec3d a = x[t[1]] - x[t[0]], b = x[t[2]] - x[t[0]], c = x[t[3]] - x[t[0]];
        if (dot(cross(a, b), c) <= 0) return m.body_index_of_tet(e);
    }
    return -1;
}

}  // namespace

/// Whether the step of state_ is in the books' order: no energy from nowhere beyond all measure.
bool World::balances(StepReport& report) {
    if (!balanced_) return true;
    ScopedTimer timer(report.ms(Stage::report));
    next_energies_ = meter_.of(state_);
    const EnergyGain gain = balance_.weigh(energies_, next_energies_);
    report.energy_gain = gain.runaway() ? gain.rise : gain.recent;
    report.energy_scale = gain.scale;
    gained_by_contact_ = gain.by_contact;
    if (gain.notable() || gain.runaway())
        report.set(StepFlag::energy_gained, model_->body_index_of_node(worst_node()));
    else
        report.clear(StepFlag::energy_gained);  // of a try that was rejected
    return !gain.runaway();
}

/// A try of a step that must not be kept.
void World::reject(StepReport& report) {
    stepper_->reset();  // what they remember of it cannot be trusted
    contact_->reset();
    if (report.has(StepFlag::substepped)) return;
    const Index node = worst_node();
    report.set(StepFlag::substepped, node < 0 ? -1 : model_->body_index_of_node(node));
}

void World::measure(StepReport& report) {
    const Model& m = *model_;
    // Between bodies as contact found it: constraints where the step ends, the others where it
    // began.
    report.max_penetration =
        std::max(max_penetration(state_.x, surface_nodes_, m.obstacles, state_.time),
                 contacts_.max_penetration);
    look_for_penetration(report);
    if (options_.measure_energy) {
        energies_ = balanced_ && !report.failed ? next_energies_ : meter_.of(state_);
        energies_known_ = true;
        report.kinetic = energies_.kinetic;
        report.elastic = energies_.elastic;
        report.potential = energies_.potential;
        report.inverted_tets = energies_.n_inverted;
        if (energies_.n_inverted > 0) report.set(StepFlag::inverted, first_inverted(m, state_.x));
    }
    if (report.inverted_tets > 0) {
        // A body that has collapsed lets inner nodes through where its surface is held.
        std::vector<Index> all(static_cast<std::size_t>(m.n_nodes()));
        std::iota(all.begin(), all.end(), Index{0});
        report.max_penetration = std::max(report.max_penetration,
                                          max_penetration(state_.x, all, m.obstacles, state_.time));
    }
    if (!report.failed) verdict_.add(report, options_.verdict);
}

/// Where a body is deeper inside something than shows, and nobody asked for it: pinned nodes go
/// where the scene puts them, and pairs that ignore each other may share a place.
void World::look_for_penetration(StepReport& report) const {
    const Model& m = *model_;
    if (!(report.max_penetration > 0) || !contact_->acts()) return;
    if (const ContactSet::Left& left = contacts_.left; left.depth > 0) {
        // An obstacle beyond the model's is a hand's ball, which has no name.
        const bool of_model = left.obstacle < static_cast<Index>(m.obstacles.size());
        report.inside = left.obstacle < 0 ? left.other + 1 : of_model ? -left.obstacle - 1 : 0;
        report.set(StepFlag::penetration, left.body);
        return;
    }
    const auto shows = [&](double edge) { return report.max_penetration > visible_depth * edge; };
    if (std::none_of(edges_.begin(), edges_.end(), shows)) return;
    double most = 0;
    Index body = -1;
    const auto look = [&](Index b, double depth, Index inside) {
        if (!(depth > visible_depth * edges_[b] && depth > most)) return;
        most = depth;
        body = b;
        report.inside = inside;
    };
    for (std::size_t o = 0; o < m.obstacles.size(); ++o) {
        if (!m.obstacles[o].solid) continue;
        const ObstaclePose pose = pose_at(m.obstacles[o], state_.time);
        for (std::size_t b = 0; b < m.bodies.size(); ++b) {
            if (m.contact_filter.obstacle(static_cast<Index>(b), static_cast<Index>(o))) continue;
            for (const Index i : m.bodies[b].surface_nodes) {
                if (m.free[i] == Vec3d{} && !m.bodies[b].rigid) continue;
                look(static_cast<Index>(b),
                     -sample(m.obstacles[o].shape, pose.to_local(state_.x[i])).distance,
                     -static_cast<Index>(o) - 1);
            }
        }
    }
    for (const Contact& c : contacts_.contacts)
        if (c.other >= 0 && !contact_->by_constraints()) look(c.body, -c.gap, c.other + 1);
    if (body >= 0) report.set(StepFlag::penetration, body);
}

}  // namespace limber
