// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/contact/contact_method.h"

namespace limber {

/// Bodies pass through obstacles. Detects nothing and applies nothing.
class NoContact final : public ContactMethod {
  public:
    std::string_view name() const override { return "none"; }
    bool acts() const override { return false; }
    void detect(const ContactInput& in, ContactSet& out) override;
    void respond(const ContactInput&, ContactSet&) override {}
    void read_back(const ContactInput& in, std::span<const Vec3d> v_end, ContactSet& set,
                   std::span<Vec3d> f) override;
};

}  // namespace limber
