// SPDX-License-Identifier: Apache-2.0
// What LagrangeContact remembers from step to step.
#include <cmath>
#include <string>

#include "limber/contact/methods/lagrange.h"

namespace limber {

/// Nodes that pushed in this step, for the next one's start.
void LagrangeContact::keep_pushes(double h) {
    pushed_.clear();
    push_.clear();
    for (Index i = 0; i < std::ssize(impulse_); ++i) {
        if (impulse_[i] == Vec3d{}) continue;
        pushed_.push_back(i);
        push_.push_back((1 / h) * impulse_[i]);
    }
}

// Keys and impulses apart: between them a record would have bytes that nobody sets.
void LagrangeContact::save(ByteWriter& out) const {
    std::vector<ContactKey> keys;
    std::vector<Vec3d> impulses;
    for (const PastContact& past : past_.contacts) {
        keys.push_back(past.key);
        impulses.push_back(past.impulse);
    }
    out.put_array("lagrange_keys", std::span<const ContactKey>(keys));
    out.put_array("lagrange_impulses", std::span<const Vec3d>(impulses));
    out.put_array("lagrange_joints", std::span<const double>(past_.joints));
    out.put_array("lagrange_pushed", std::span<const Index>(pushed_));
    out.put_array("lagrange_push", std::span<const Vec3d>(push_));
    for (const auto& joint : joints_) joint->save(out);
}

void LagrangeContact::load(ByteReader& in) {
    const auto keys = in.get_vector<ContactKey>("lagrange_keys");
    std::vector<Vec3d> impulses(keys.size());
    in.get_array("lagrange_impulses", std::span(impulses));
    Impulses loaded;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool ordered = i == 0 || keys[i - 1] < keys[i];
        if (!ordered) in.fail("lagrange_keys", "is out of order at index " + std::to_string(i));
        if (!is_finite(impulses[i]))
            in.fail("lagrange_impulses",
                    "has a value that is not finite at index " + std::to_string(i));
        loaded.contacts.push_back({keys[i], impulses[i]});
    }
    loaded.joints = in.get_vector<double>("lagrange_joints");
    for (std::size_t i = 0; i < loaded.joints.size(); ++i)
        if (!std::isfinite(loaded.joints[i]))
            in.fail("lagrange_joints",
                    "has a value that is not finite at index " + std::to_string(i));
    const auto pushed = in.get_vector<Index>("lagrange_pushed");
    std::vector<Vec3d> push(pushed.size());
    in.get_array("lagrange_push", std::span(push));
    for (std::size_t k = 0; k < pushed.size(); ++k) {
        const bool ordered = pushed[k] > (k == 0 ? -1 : pushed[k - 1]);
        if (!ordered) in.fail("lagrange_pushed", "is out of order at index " + std::to_string(k));
        if (!is_finite(push[k]))
            in.fail("lagrange_push",
                    "has a value that is not finite at index " + std::to_string(k));
    }
    for (const auto& joint : joints_) joint->load(in);
    past_ = std::move(loaded);
    pushed_ = pushed;
    push_ = std::move(push);
}

void LagrangeContact::keep() {
    for (const auto& joint : joints_) joint->keep();
}

void LagrangeContact::reset() {
    past_ = {};
    pushed_.clear();
    push_.clear();
    for (const auto& joint : joints_) joint->reset();
}

}  // namespace limber
