// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "limber/contact/joint.h"
#include "limber/core/keyframes.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// A material point of the body that a needle goes into.
struct NeedlePoint {
    Tet nodes{};
    std::array<double, 4> weight{};  // Σ = 1

    Vec3d position(std::span<const Vec3d> x) const {
        Vec3d sum{};
        for (int k = 0; k < 4; ++k) sum += weight[k] * x[nodes[k]];
        return sum;
    }
};

/// A straight needle that follows key frames, and the body it enters.
struct NeedleData {
    std::string name;
    Index n_nodes = 0;                        // of the model
    std::vector<Tet> tets;                    // of the body
    std::vector<Triangle> surface;            // of the body, outward
    Vec3d tip{0, 0, 0}, direction{0, -1, 0};  // before any motion [m]; unit, from tail to tip
    double length = 0;                        // [m]
    Motion motion;
    double puncture = 0;              // [N]
    double spacing = 0;               // [m] > 0
    double friction = 0;              // [N/m]
    double cutting = 0;               // [N]
    std::vector<NeedlePoint> inside;  // held at the start, from the entry to the tip

    Vec3d tip_at(double t) const { return motion.apply(tip, t); }
    Vec3d direction_at(double t) const { return motion.rotation(t) * direction; }
};

/// Where a straight line enters a body whose nodes are at x.
struct NeedleEntry {
    NeedlePoint point;
    double along = 0;  // from the tip, in the needle's direction [m]
};
/// The first of them that lies no farther behind the tip than `behind`.
std::optional<NeedleEntry> first_entry(const NeedleData& needle, std::span<const Vec3d> x,
                                       const Vec3d& tip, const Vec3d& direction, double behind);
/// The tet of the body that holds p, the first of several; none where p is outside.
std::optional<NeedlePoint> point_inside(std::span<const Tet> tets, std::span<const Vec3d> x,
                                        const Vec3d& p);
/// The points of the body on the shaft of a needle whose tip is inside it at x: its entry, then one
/// every `spacing`. Empty where the tip is outside.
std::vector<NeedlePoint> points_on_shaft(const NeedleData& needle, std::span<const Vec3d> x,
                                         const Vec3d& tip, const Vec3d& direction);

/// Needle insertion (Zeng et al. 2022, section 6.2.5, has the constraints; how they come and go is
/// ours). Outside, the tip pushes the surface before it along the needle: one row as of a contact.
/// When that takes more than the puncture force, the point of the surface becomes the first of a
/// chain of material points that stay on the line of the shaft: two bilateral rows across it each,
/// and along it a force of at most `friction` times the length of the shaft that is the point's.
/// While it goes on the tissue before the tip gives way at the cutting force: one row along it. The
/// chain grows by a point every `spacing` that the tip goes on, and loses its last ones as the
/// tip is drawn back past them; without any the needle is outside again.
class Needle final : public Joint {
  public:
    using Data = NeedleData;
    explicit Needle(const Data& data);
    std::string_view name() const override { return data_.name; }
    void constrain(const JointInput& in, ConstraintSet& out) override;
    void read_back(const JointInput& in, std::span<const double> impulse) override;
    std::span<const JointReading> readings() const override { return readings_; }
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void keep() override { kept_ = chain_; }
    void reset() override { chain_ = kept_; }

    std::span<const NeedlePoint> chain() const { return chain_; }  // from the entry to the tip

  private:
    void follow_tip(const JointInput& in);
    void push_surface(const JointInput& in, ConstraintSet& out);
    void hold(const JointInput& in, ConstraintSet& out);
    void cut(const JointInput& in, ConstraintSet& out);
    double share_of(std::size_t k) const;

    const Data& data_;                // of the model
    std::vector<NeedlePoint> chain_;  // History
    std::vector<NeedlePoint> kept_;   // that of the last whole step
    std::vector<NeedlePoint> now_;    // that of the step being taken
    std::vector<double> along_;       // of now_, from the tip back [m], <= 0
    std::optional<NeedleEntry> touched_;
    bool cuts_ = false;  // the last row is the tip's
    /// Points held; length inside [m]; force of the tip on the surface or on what it cuts and of
    /// the shaft on the body, both along the needle [N].
    std::array<JointReading, 4> readings_{{{"points"}, {"depth"}, {"tip_force"}, {"shaft_force"}}};
};

}  // namespace limber
