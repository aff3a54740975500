// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "limber/contact/joints/joint_point.h"
#include "limber/scene/scene_def.h"
#include "limber/solve/model.h"

namespace limber {

class TriangleBvh;

/// A body, an obstacle or a fixed place, as joints of a scene name it.
struct JointSide {
    Index body = -1, obstacle = -1;  // of the model; both -1: a fixed place
};

/// Points of the bodies and obstacles of a model whose nodes are at rest.
class JointPoints {
  public:
    JointPoints(const SceneDef& scene, const Model& model);
    ~JointPoints();

    /// An empty name is a fixed place. check_joints lets no unknown name pass.
    JointSide side(const std::string& name) const;
    std::string side_text(const JointSide& side) const;  // "body 'a'", "a fixed place"
    JointPoint node(Index body, Index node) const;       // of the model
    /// The points of a side that are at `places` at the start; of a soft body by the tet that holds
    /// them, or the nearest one.
    std::vector<JointPoint> at(const JointSide& side, const std::vector<Vec3d>& places);
    /// How far a place is outside of a soft body; 0 inside it, and for everything else [m].
    double outside(const JointSide& side, const Vec3d& place);
    double size(Index body) const;  // diagonal of its box [m]

  private:
    struct Soft {  // a body by itself
        TetMesh mesh;
        std::unique_ptr<TriangleBvh> surface;
    };
    const Soft& soft(Index body);
    JointPoint on_rigid(Index body, const Vec3d& place) const;

    const SceneDef& scene_;
    const Model& model_;
    std::map<Index, Soft> soft_;
};

}  // namespace limber
