// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/core/bytes.h"
#include "limber/fem/potential.h"
#include "limber/solve/rigid_bodies.h"

namespace limber {

/// Of a state [J].
struct Energies {
    double kinetic = 0, elastic = 0, potential = 0;
    Index n_inverted = 0;  // tets with det F <= 0

    double inner() const { return kinetic + elastic; }
    double total() const { return inner() + potential; }
};

/// Measures the energies of a model's states. The same bits for any number of threads.
class EnergyMeter {
  public:
    EnergyMeter(const Model& model, const RigidBodies& rigid);
    Energies of(const State& state);

  private:
    const Model& model_;
    const RigidBodies& rigid_;
    std::vector<std::unique_ptr<Potential<double>>> cloth_;
    std::vector<double> partial_;
};

/// What acted during a (sub-)step that took the nodes to x.
struct ActedForces {
    double h;                  // [s]
    std::span<const Vec3d> x;  // at its end [m]
    const NodeForces& forces;
    std::span<const Vec3d> external_start;  // of the trapezoidal rule; else empty [N]
    const ContactSet& contacts;
    const ContactMethod& contact;
    double on_rigid = 0;  // work on rigid bodies of gravity other than the scene's [J]
};

/// How much energy came from nowhere in the last steps, and what that is compared with [J].
struct EnergyGain {
    double recent = 0;  // over the last 50 steps, or since the start
    double rise = 0;    // since it was lowest
    double scale = 0;
    double held = 0;          // kinetic + elastic at the end of the step
    bool by_contact = false;  // most of the last step's came with the work of contacts

    bool notable() const { return recent > 0.05 * scale; }
    /// Also where it is not finite. What damping took out again within the step, or forces of
    /// joints that contradict each other make up in the books alone, runs nowhere.
    bool runaway() const { return !(rise <= 1000 * scale) && !(held <= 1000 * scale); }
};

/// The books of a run: the energy that no force, pin, obstacle, joint or hand has brought,
///
///   gain = kinetic + elastic + potential − (the same at the start) − work of all those.
///
/// It falls where something damps; it must not rise. Contact with what stands still brings
/// nothing: it may give back what it took within the last steps (a penalty spring that was pressed
/// together), and what it gives beyond that is a gain. The scale of a gain is the largest kinetic +
/// elastic energy so far that the books explain, and at least m g times the edge length. The
/// energy of a tet under the invertible conversion depends on how it came there, not on its shape
/// alone: where a material has it a gain counts only as far as it is motion.
class EnergyBalance {
  public:
    explicit EnergyBalance(const Model& model);

    /// A step, or another try of it, begins.
    void begin_step() { drive_ = touch_ = strain_ = 0; }
    /// A part of it begins with the nodes at x, and ends.
    void begin_part(std::span<const Vec3d> x) { from_.assign(x.begin(), x.end()); }
    void end_part(const ActedForces& acted);
    /// What the step would do to the books; nothing is written yet.
    EnergyGain weigh(const Energies& before, const Energies& after);
    /// The step that was weighed is taken.
    void keep() { books_ = next_; }

    void save(ByteWriter& out) const;
    void load(ByteReader& in);
    void reset() { books_ = {}; }

  private:
    static constexpr int window = 50;  // steps
    struct Books {
        double gain = 0;       // [J] since the start
        double lowest = 0;     // of it
        double explained = 0;  // largest kinetic + elastic energy without what came from nowhere
        double taken = 0;      // by contact, in the last steps, which it may give back
        std::array<double, window> before{};  // gain before each of the last steps, by their number
        std::int64_t steps = 0;
    };

    const Model& model_;
    std::vector<Index> pinned_;  // nodes with a prescribed degree of freedom, of soft bodies
    double floor_ = 0;           // least scale [J]
    bool converts_ = false;      // some material has the invertible conversion
    std::vector<Vec3d> from_;
    std::vector<double> partial_;
    double drive_ = 0;  // work of all that moves bodies from outside, in this step
    double touch_ = 0;  // work of contacts on bodies, as seen from the obstacles
    /// Work of joints on single nodes, whatever its sign. Joints that contradict each other pull a
    /// body both ways without bound: what is left of their work is rounding, and no gain.
    double strain_ = 0;
    Books books_, next_;
};

/// Mean edge of a body's surface at rest [m].
double mean_edge(const Model& model, const Body& body);

}  // namespace limber
