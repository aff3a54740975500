// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/contact/body_contacts.h"
#include "limber/contact/obstacle_contacts.h"

namespace limber {

/// All contacts of a step, for methods of every kind: nodes with obstacles, then surfaces with
/// surfaces.
class ContactFinder {
  public:
    /// Replaces out.contacts and sets out.max_penetration. `at_end`: ObstacleContactOptions.
    void find(const ContactInput& in, const BodyContactOptions& options, ContactSet& out,
              bool at_end = false) {
        obstacles_.find(in, {options.thickness, options.friction, options.arriving, at_end}, out);
        bodies_.find(in, options, out);
    }

  private:
    ObstacleContacts obstacles_;
    BodyContacts bodies_;
};

}  // namespace limber
