// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/contact/body_contacts.h"
#include "limber/contact/face_contacts.h"
#include "limber/contact/obstacle_contacts.h"
#include "limber/contact/sheet_contacts.h"

namespace limber {

/// All contacts of a step, for methods of every kind: nodes with obstacles, faces with obstacles,
/// then surfaces with surfaces, then sheets with sheets.
class ContactFinder {
  public:
    /// Replaces out.contacts and sets out.max_penetration. `at_end`: ObstacleContactOptions.
    void find(const ContactInput& in, const BodyContactOptions& options, ContactSet& out,
              bool at_end = false) {
        const ObstacleContactOptions near{options.thickness, options.friction, options.arriving,
                                          at_end};
        obstacles_.find(in, near, out);
        if (options.faces) faces_.find(in, near, out);
        bodies_.find(in, options, out);
        if (options.sheets)
            sheets_.find(in,
                         {.alarm = options.thickness,
                          .friction = options.friction,
                          .sheets = options.bodies,
                          .self = options.self},
                         out);
    }

  private:
    ObstacleContacts obstacles_;
    FaceContacts faces_;
    BodyContacts bodies_;
    SheetContacts sheets_;
};

}  // namespace limber
