// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/contact/obstacle_contacts.h"

namespace limber {

/// Contacts of the faces and edges of bodies with obstacles that bend more than the faces do: what
/// would show through between the nodes, which ObstacleContacts looks after.
///
/// Over a face the distance of the obstacle is least at one point, found by steps against its
/// gradient that stay on the face. It is a contact of the nodes around it where it stands out past
/// the nearest of them by more than a hundredth of the face's longest edge; flatter ground is left
/// to the nodes, and the gap is counted from there. A face that comes from outside is followed
/// along its path by steps that cannot miss the obstacle. Planes have nothing that stands out.
/// Corners and edges of mesh obstacles are looked for by BodyContacts, except under sheets, which
/// have no inside for it.
///
/// Same bits for any number of threads, in the order of faces, then obstacles; an edge that two
/// faces share is one contact. Nothing is allocated once the numbers have been reached before.
class FaceContacts {
  public:
    /// Appends to out.contacts and raises out.max_penetration.
    void find(const ContactInput& in, const ObstacleContactOptions& options, ContactSet& out);

  private:
    struct Place {
        ObstaclePose start, end;
        bool bends = false;  // has what can stand out between nodes
        bool mesh = false;   // for sheets alone
    };
    struct Candidate {
        Index body = 0, face = 0, obstacle = 0;
    };
    void gather(const ContactInput& in, const ObstacleContactOptions& options);
    bool meet(const ContactInput& in, const ObstacleContactOptions& options, const Candidate& at,
              Contact& contact) const;

    std::vector<Place> places_;       // per obstacle
    std::vector<std::uint8_t> near_;  // per face of a body and obstacle
    std::vector<Candidate> candidates_;
    std::vector<Contact> slots_;       // per candidate
    std::vector<std::uint8_t> found_;  // likewise
};

}  // namespace limber
