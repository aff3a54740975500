// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/none.h"

namespace limber {

void NoContact::detect(const ContactInput&, ContactSet& out) {
    out.contacts.clear();
    out.terms.clear();
    out.max_penetration = 0;
}

void NoContact::read_back(const ContactInput&, std::span<const Vec3d>, ContactSet&,
                          std::span<Vec3d>) {}

}  // namespace limber
