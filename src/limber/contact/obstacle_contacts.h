// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/contact/contact_method.h"

namespace limber {

struct ObstacleContactOptions {
    double thickness = 1e-3;  // contacts begin at this distance [m]
    double friction = 0.3;    // where the obstacle has none of its own
    bool arriving = true;     // also what comes within the thickness only in the course of the step
    bool at_end = false;      // gap and normal of the place where the velocity takes the node
};

/// Contacts of surface nodes with obstacles.
///
/// A node nearer than the thickness touches, unless its velocity takes it farther away within the
/// step. One that comes from outside is followed along its path with exact distances (sphere
/// tracing, Hart 1996), so that it neither tunnels nor meets the extension of a face it misses; gap
/// and normal are then of the tangent plane where it arrives.
///
/// Same bits for any number of threads, in the order of nodes, then obstacles. Nothing is allocated
/// once the number of contacts has been reached before.
class ObstacleContacts {
  public:
    /// Replaces out.contacts and sets out.max_penetration.
    void find(const ContactInput& in, const ObstacleContactOptions& options, ContactSet& out);

  private:
    struct MovingPose {
        ObstaclePose start, end;
    };
    bool meet(const ContactInput& in, const ObstacleContactOptions& options, Index node,
              Index obstacle, Contact& contact, double& depth) const;

    std::vector<MovingPose> poses_;      // per obstacle
    std::vector<std::uint8_t> touches_;  // per surface node and obstacle: 1 where in contact
    std::vector<Index> begin_;           // per chunk of surface nodes: its first contact
    std::vector<double> depth_;          // per chunk: the deepest node [m]
};

}  // namespace limber
