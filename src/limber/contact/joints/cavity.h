// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "limber/contact/joint.h"
#include "limber/core/keyframes.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// The wall of a hollow of a body: boundary faces, which look into the hollow. Closed, or open at a
/// rim that does not move.
class CavityWall {
  public:
    CavityWall() = default;
    CavityWall(std::span<const Triangle> faces, const Vec3d& apex);
    bool empty() const { return faces_.empty(); }
    std::span<const Index> nodes() const { return nodes_; }  // ascending
    double area(std::span<const Vec3d> x) const;             // [m²]
    /// Of the cones from the apex to the faces: the hollow's, where the wall is closed; else up to
    /// what the rim closes [m³].
    double volume(std::span<const Vec3d> x) const;
    /// ∂volume/∂x of each of nodes() [m²]: a third of the area of each face, out of the hollow.
    /// What a pressure pushes with.
    void gradient(std::span<const Vec3d> x, std::span<Vec3d> out) const;
    /// Adds scale times that to the entries of its nodes in an array over all nodes.
    void add_gradient(std::span<const Vec3d> x, double scale, std::span<Vec3d> out) const;

  private:
    Vec3d third_of(const Triangle& face, std::span<const Vec3d> x) const;

    std::vector<Index> nodes_;
    std::vector<Triangle> faces_;  // of nodes_
    Vec3d apex_{0, 0, 0};
};

/// A prescribed pressure on the wall of a hollow. The force follows the wall: it is that of where
/// the wall is at the start of each step.
struct PressureLoad {
    std::string name;
    CavityWall wall;
    Track<double> pressure;  // [Pa]
};

/// A hollow with a prescribed volume: filled with something that does not give way.
struct CavityVolumeData {
    std::string name;
    CavityWall wall;
    double volume = 0, area = 0;  // at rest [m³], [m²]
    Track<double> ratio;          // to the volume at rest
};

/// One bilateral row, (V − V(t + h)) / area in m/s, so that it is of the size of the others. Its
/// impulse over h and the area is the pressure.
class CavityVolume final : public Joint {
  public:
    using Data = CavityVolumeData;
    explicit CavityVolume(const Data& data) : data_(data), gradient_(data.wall.nodes().size()) {}
    std::string_view name() const override { return data_.name; }
    void constrain(const JointInput& in, ConstraintSet& out) override;
    void read_back(const JointInput& in, std::span<const double> impulse) override;
    std::span<const JointReading> readings() const override { return readings_; }

  private:
    const Data& data_;  // of the model
    std::vector<Vec3d> gradient_;
    /// At the start of the step [m³]; of the step [Pa].
    std::array<JointReading, 2> readings_{{{"volume"}, {"pressure"}}};
};

}  // namespace limber
