// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/energy_balance.h"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/fem/corotation.h"
#include "limber/fem/kinetic_energy.h"
#include "limber/mesh/mean_edge.h"
#include "limber/solve/model_potentials.h"

namespace limber {

namespace {

constexpr Index energy_grain = 4096;

/// Least energy that a gain is measured against: m g times the edge length. Where that vanishes, in
/// free space, what rounding and tolerances leave of a body at rest must not look like a gain: the
/// energies of moving every node by a hundred-thousandth of an edge.
double least_scale(const Model& model) {
    constexpr double unnoticed = 1e-5;
    double scale = 0;
    for (const Body& body : model.bodies) {
        const double edge = mean_edge(model, body), way = unnoticed * edge;
        double mass = body.rigid ? body.rigid->mass : 0, stiffness = 0;
        for (Index i = body.node_begin; i < body.node_end; ++i) {
            mass += model.mass[i];
            stiffness += model.stiffness[i];
        }
        const double still = way * way * (stiffness + mass / (model.h * model.h));
        scale += std::max(mass * norm(model.gravity) * edge, still);
    }
    return std::max(scale, 1e-300);
}

}  // namespace

double mean_edge(const Model& model, const Body& body) {
    MeanEdge edge;
    edge.add(body.surface, model.mesh.nodes);
    return edge.value();
}

EnergyMeter::EnergyMeter(const Model& model, const RigidBodies& rigid)
    : model_(model),
      rigid_(rigid),
      cloth_(make_cloth_potentials<double>(model)),
      partial_(model.n_nodes() / energy_grain + 1) {}

Energies EnergyMeter::of(const State& state) {
    const Model& m = model_;
    const ElasticEnergy elastic = elastic_energy(m.elements, state.x, partial_);
    Energies out;
    out.n_inverted = elastic.n_inverted;
    out.elastic = elastic.energy;
    for (auto& part : cloth_) out.elastic += part->energy(state.x);
    out.kinetic = kinetic_energy(m.elements, m.lumped, state.v, partial_) +
                  rigid_.kinetic_energy(state.rigid);
    out.potential =
        rigid_.potential_energy(m.gravity, state.rigid) -
        parallel_sum<double>(m.n_nodes(), energy_grain, partial_, [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i) sum += m.mass[i] * dot(m.gravity, state.x[i]);
            return sum;
        });
    return out;
}

EnergyBalance::EnergyBalance(const Model& model)
    : model_(model), floor_(least_scale(model)), partial_(model.n_nodes() / energy_grain + 1) {
    for (const Body& body : model.bodies)
        for (Index i = body.node_begin; !body.rigid && i < body.node_end; ++i)
            if (model.free[i] != Vec3d{1, 1, 1}) pinned_.push_back(i);
    converts_ = std::any_of(model.materials.begin(), model.materials.end(),
                            [](const Material& m) { return m.conversion.on; });
    from_.resize(model.n_nodes());
}

void EnergyBalance::end_part(const ActedForces& acted) {
    const Model& m = model_;
    const NodeForces& f = acted.forces;
    const auto way = [&](Index i) { return acted.x[i] - from_[i]; };
    const bool joints = !acted.contact.joints().empty();
    // Gravity is in the potential energy. Impulses of joints are what those of contacts leave of
    // all: the work of both here, that of contacts is taken out below.
    drive_ +=
        parallel_sum<double>(m.n_nodes(), energy_grain, partial_, [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i) {
                Vec3d load = f.external[i];
                if (!acted.external_start.empty()) load = 0.5 * (load + acted.external_start[i]);
                load -= m.mass[i] * m.gravity;
                if (joints) load += f.contact[i];
                sum += dot(load, way(i));
            }
            return sum;
        });
    for (Index i = 0; joints && i < m.n_nodes(); ++i)
        strain_ += std::abs(dot(f.contact[i], way(i)));
    for (const Index i : pinned_)
        drive_ += dot(masked(f.reaction[i], Vec3d{1, 1, 1} - m.free[i]), way(i));
    for (const Contact& c : acted.contacts.contacts) {
        const double on_bodies = dot(c.force, c.at.gather(acted.x) - c.at.gather(from_));
        const double by_obstacle = acted.h * dot(c.force, c.surface_velocity);
        if (joints) drive_ -= on_bodies;
        drive_ += by_obstacle;
        touch_ += on_bodies - by_obstacle;
    }
    drive_ += acted.contact.work_by_hand(from_, acted.x) + acted.on_rigid;
}

EnergyGain EnergyBalance::weigh(const Energies& before, const Energies& after) {
    next_ = books_;
    // Beyond what some laws know, where an element turns inside out, there is nothing to compare.
    if (!std::isfinite(before.total()) || !std::isfinite(after.total()))
        return {0, 0, floor_, 0, false};
    const double given = std::min(touch_, next_.taken);  // negative where contact takes
    next_.taken = (1 - 1.0 / window) * (next_.taken - given);
    next_.before[next_.steps % window] = next_.gain;
    const double gain = after.total() - before.total() - drive_ - given;
    next_.gain += gain;
    ++next_.steps;
    next_.lowest = std::min(next_.lowest, next_.gain);
    EnergyGain out;
    out.held = after.inner();
    out.by_contact = gain > 0 && touch_ - given > 0.5 * gain;
    out.rise = next_.gain - next_.lowest;
    out.recent = next_.gain - (next_.steps < window ? 0 : next_.before[next_.steps % window]);
    next_.explained = std::max({next_.explained, before.inner() - (books_.gain - books_.lowest),
                                after.inner() - out.rise});
    out.scale = std::max({next_.explained, floor_, strain_});
    if (converts_) out.recent = std::min(out.recent, after.kinetic);
    if (converts_) out.rise = std::min(out.rise, after.kinetic);
    return out;
}

void EnergyBalance::save(ByteWriter& out) const {
    out.put("energy_balance", books_);
}

void EnergyBalance::load(ByteReader& in) {
    const Books loaded = in.get<Books>("energy_balance");
    bool fine = loaded.steps >= 0;
    for (const double value : {loaded.gain, loaded.lowest, loaded.explained, loaded.taken})
        fine = fine && std::isfinite(value);
    for (const double value : loaded.before) fine = fine && std::isfinite(value);
    if (!fine) in.fail("energy_balance", "has a value that is not finite");
    books_ = loaded;
}

}  // namespace limber
