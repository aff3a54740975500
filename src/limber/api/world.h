// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/api/control.h"
#include "limber/api/report.h"
#include "limber/api/scene.h"
#include "limber/core/export.h"

namespace limber::api {

struct LIMBER_API WorldOptions {
    std::vector<std::string> sets;  // as of --set, on top of the scene
    bool measure_energy = true;     // as [output] energy
};

/// Nodes and tets of a body: consecutive ones of the world's.
struct LIMBER_API BodyInfo {
    std::string name;
    std::int32_t node_begin = 0, node_end = 0, tet_begin = 0, tet_end = 0;
    std::vector<std::int32_t> triangles;  // three nodes each: its surface, outward
    bool cloth = false, rigid = false;
    double mass = 0;  // [kg]
};

/// A place where a body was near an obstacle, another body or itself in the last step.
struct LIMBER_API ContactRecord {
    std::int32_t body = 0;       // that `force` acts on
    std::int32_t other = -1;     // body; -1: an obstacle
    std::int32_t obstacle = -1;  // -1: a body
    std::int32_t n_nodes = 0;    // of what touches
    std::int32_t nodes[4]{};     // on `body` where the weight is positive
    double weights[4]{};
    double position[3]{};     // [m]
    double normal[3]{};       // unit, towards `body`
    double gap = 0;           // at the end of the step, along the normal [m]
    double force[3]{};        // [N]
    double friction = 0;      // coefficient
    std::int32_t kind = 0;    // World::contact_kinds
    std::int32_t status = 0;  // 0: open, 1: sticks, 2: slips
};

/// Told of every step; what it throws comes out of the call that stepped.
class LIMBER_API Observer {
  public:
    virtual ~Observer();
    /// False: no further steps; a run to a folder is saved as by an interrupt.
    virtual bool after_step(const StepReport& report) = 0;
};

/// A scene in time. Worlds know nothing of each other: several threads may step one each, with the
/// bits of one after another. Two threads that call into one world at once are an InputError.
class LIMBER_API World {
  public:
    /// InputError where the scene is wrong.
    explicit World(const Scene& scene, const WorldOptions& options = {});
    ~World();
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;

    /// One step. What goes wrong in it is data: StepReport::failed. InputError where the control
    /// holds what no step can take. With a deadline [ms] contact stops iterating when the step has
    /// taken that long.
    StepReport step(double deadline_ms = 0);
    /// Up to n steps: until one fails or an observer wants no more. The last report.
    StepReport step_many(std::int64_t n);
    void add(std::unique_ptr<Observer> observer);

    double time() const;                  // [s]
    double h() const;                     // of a step [s]
    std::int64_t steps() const;           // completed
    std::int64_t steps_of_scene() const;  // until its end
    std::string state_hash() const;       // of positions, velocities and step, as in summary.json
    const std::string& solver() const;

    // Three numbers a node. These stay where they are in memory and show the present state for as
    // long as the world lives, after every step and restore().
    std::span<const double> x() const;               // positions [m]
    std::span<const double> v() const;               // velocities [m/s]
    std::span<const double> rest() const;            // positions at rest [m]
    std::span<const double> external_force() const;  // of the last step: gravity and loads [N]
    std::span<const double> contact_force() const;   // [N]
    std::span<const double> reaction() const;        // of pins [N]
    std::span<const double> mass() const;            // one number a node [kg]
    std::span<const std::int32_t> tets() const;      // four nodes each
    /// Von Mises stress of each tet [Pa] and det F. Measured from the first call on: after every
    /// step, which then takes one more pass over the tets.
    std::span<const double> stress();
    std::span<const double> det_F();

    const std::vector<BodyInfo>& bodies() const;
    /// The nodes of a body that a `select` of docs/scene_format.md names, in the shape at rest:
    /// {side = "x-"}, {group = "tip"}, {sphere = {center = ..., radius = ...}}, ...
    std::vector<std::int32_t> select(const std::string& body, const Value& selection) const;

    /// Of the last step; valid until the next call.
    std::span<const ContactRecord> contacts();
    static std::span<const std::string_view> contact_kinds();

    Control& control();

    /// A whole checkpoint: state, what solver and contact remember, control.
    std::vector<std::byte> save() const;
    /// All or nothing. InputError for bytes that are damaged or of another scene.
    void restore(std::span<const std::byte> checkpoint);

    const std::vector<std::string>& warnings() const;  // of building the model
    const std::vector<std::string>& chosen() const;    // what "auto" stands for and why
    std::vector<std::string> verdict() const;  // a line for each kind of thing that went wrong

  private:
    friend class View;
    struct Data;
    class InUse;
    StepReport take_step(double deadline_ms);
    std::unique_ptr<Data> data_;
};

}  // namespace limber::api
