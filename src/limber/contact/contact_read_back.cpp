// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/contact_read_back.h"

#include <map>
#include <tuple>

namespace limber {

double normal_force(const Contact& contact) {
    return dot(contact.normal, contact.force);
}

Vec3d friction_force(const Contact& contact) {
    return contact.force - normal_force(contact) * contact.normal;
}

ContactStatus status_of(const Contact& contact) {
    const double pressed = normal_force(contact);
    if (!(pressed > 0)) return ContactStatus::open;
    const bool held = norm(friction_force(contact)) < (1 - 1e-6) * contact.friction * pressed;
    return held ? ContactStatus::stick : ContactStatus::slip;
}

Vec3d contact_point(const Contact& contact, std::span<const Vec3d> x) {
    Vec3d sum{};
    double weights = 0;
    for (int k = 0; k < contact.at.n; ++k) {
        if (contact.at.weight[k] < 0) continue;
        sum += contact.at.weight[k] * x[contact.at.node[k]];
        weights += contact.at.weight[k];
    }
    return (1 / weights) * sum;
}

double end_gap(const Contact& contact, std::span<const Vec3d> v, double h) {
    return contact.gap + h * dot(contact.normal, contact.at.gather(v) - contact.surface_velocity);
}

std::vector<ContactPair> contact_pairs(std::span<const Contact> contacts) {
    std::map<std::tuple<Index, Index, Index>, ContactPair> pairs;
    for (const Contact& c : contacts) {
        ContactPair& pair = pairs[{c.body, c.other, c.obstacle}];
        pair.body = c.body;
        pair.other = c.other;
        pair.obstacle = c.obstacle;
        ++pair.contacts;
        pair.sticking += status_of(c) == ContactStatus::stick;
        pair.slipping += status_of(c) == ContactStatus::slip;
        pair.normal_force += normal_force(c);
        pair.force += c.force;
    }
    std::vector<ContactPair> out;
    for (const auto& [key, pair] : pairs) out.push_back(pair);
    return out;
}

}  // namespace limber
