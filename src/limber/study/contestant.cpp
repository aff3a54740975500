// SPDX-License-Identifier: Apache-2.0
#include "limber/study/contestant.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/sim/tune.h"
#include "limber/sim/verdict_rules.h"

namespace limber {

std::unique_ptr<World> make_world(const SceneDef& scene, const Model& model) {
    auto own = std::make_unique<const Model>(model);
    auto stepper = make_stepper(wants_tuning(scene) ? tuned(scene, model).scene : scene, *own);
    auto method = make_contact(scene, *own);
    return std::make_unique<World>(
        std::move(own), std::move(stepper), std::move(method),
        WorldOptions{.measure_energy = true, .verdict = verdict_rules(scene)});
}

Snapshot snapshot_of(const World& world) {
    Snapshot out;
    out.state = world.state();
    ByteWriter stepper, contact;
    world.stepper().save(stepper);
    world.contact().save(contact);
    out.stepper = stepper.bytes();
    out.contact = contact.bytes();
    out.stepper_type = typeid(world.stepper());
    return out;
}

namespace {

/// The record World::load reads, put together from the parts. Inlined into a writer known to be
/// empty it makes gcc 12 warn of an overflow that cannot be.
[[gnu::noinline]] void put_record(const Snapshot& from, World& world, ByteWriter& record) {
    record.put("step", from.state.step);
    record.put_array("x", std::span<const Vec3d>(from.state.x));
    record.put_array("v", std::span<const Vec3d>(from.state.v));
    if (!from.state.rigid.empty())
        record.put_array("rigid", std::span<const RigidState>(from.state.rigid));
    record.put_string("stepper", world.stepper().name());
    if (from.stepper_type == std::type_index(typeid(world.stepper()))) {
        record.put_records(from.stepper);
    } else {
        world.stepper().reset();
        world.stepper().save(record);
    }
    record.put_string("contact", world.contact().name());
    record.put_records(from.contact);
}

}  // namespace

void restart(World& world, const Snapshot& from) {
    ByteWriter record;
    put_record(from, world, record);
    ByteReader reader(record.bytes(), "a state kept in memory");
    world.load(reader);
}

StateMeter::StateMeter(const Model& model) : model_(model) {
    for (const Body& body : model.bodies) {
        Vec3d lo = model.mesh.nodes[body.node_begin], hi = lo;
        for (Index i = body.node_begin; i < body.node_end; ++i)
            for (int k = 0; k < 3; ++k) {
                lo[k] = std::min(lo[k], model.mesh.nodes[i][k]);
                hi[k] = std::max(hi[k], model.mesh.nodes[i][k]);
            }
        size_.push_back(norm(hi - lo));
    }
}

StateError StateMeter::operator()(std::span<const Vec3d> x,
                                  std::span<const Vec3d> reference) const {
    LIMBER_CHECK(x.size() == reference.size(), "two states of one model");
    StateError out;
    double sum = 0;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
        for (Index i = model_.bodies[b].node_begin; i < model_.bodies[b].node_end; ++i) {
            const double d = norm(x[i] - reference[i]) / size_[b];
            out.max = std::max(out.max, d);
            sum += d * d;
        }
    out.rms = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, x.size())));
    return out;
}

void perturb(const StateMeter& meter, const Model& model, double share, State& state) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        // Directions spread over the sphere by the golden angle: bodies do not move in step.
        const double k = static_cast<double>(b) + 0.5, golden = 2.399963229728653;
        const double up = 1 - 2 * std::fmod(k * 0.6180339887498949, 1.0);
        const double around = std::sqrt(1 - up * up);
        const Vec3d d = share * meter.sizes()[b] *
                        Vec3d{around * std::cos(golden * k), up, around * std::sin(golden * k)};
        for (Index i = model.bodies[b].node_begin; i < model.bodies[b].node_end; ++i)
            for (int axis = 0; axis < 3; ++axis) state.x[i][axis] += model.free[i][axis] * d[axis];
    }
}

}  // namespace limber
