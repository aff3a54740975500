// SPDX-License-Identifier: Apache-2.0
#pragma once

// What users ask of contacts after a step; the same for every method.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "limber/contact/contact_method.h"

namespace limber {

enum class ContactStatus { open, stick, slip };
constexpr std::array<std::string_view, 3> enum_names(ContactStatus) {
    return {"open", "stick", "slip"};
}

/// Normal and tangential part of its force [N].
double normal_force(const Contact& contact);
Vec3d friction_force(const Contact& contact);
/// Open where nothing presses; slips where friction has reached Coulomb's limit to six digits.
ContactStatus status_of(const Contact& contact);
/// The point of the positive side that touches, at positions x [m].
Vec3d contact_point(const Contact& contact, std::span<const Vec3d> x);
/// The gap at the end of a step of length h with velocities v, along the frozen normal [m].
double end_gap(const Contact& contact, std::span<const Vec3d> v, double h);

/// All contacts of a body with another, or with an obstacle.
struct ContactPair {
    Index body = 0, other = -1, obstacle = -1;
    Index contacts = 0, sticking = 0, slipping = 0;
    double normal_force = 0;  // sum of the parts along each normal [N]
    Vec3d force{0, 0, 0};     // on `body`, all of it [N]
};
/// In the order body, other, obstacle.
std::vector<ContactPair> contact_pairs(std::span<const Contact> contacts);

}  // namespace limber
