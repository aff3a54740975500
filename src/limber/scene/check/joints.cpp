// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "limber/scene/build/joints.h"
#include "limber/scene/build/placement.h"
#include "limber/scene/check/references.h"
#include "limber/scene/format/error_list.h"

namespace limber {

namespace {

struct Names {
    std::vector<std::string> bodies, sides;  // sides: bodies and named obstacles
};

Names names_of(const SceneDef& scene) {
    Names out;
    for (const BodyDef& body : scene.bodies) out.bodies.push_back(body.name);
    out.sides = side_names(scene);
    return out;
}

/// Joints are rows of the contact problem.
void check_method(const SceneDef& scene, const Origin& origin, std::string_view what) {
    const std::string& method = scene.contact.options.name;
    if (scene.time.analysis == Analysis::modal)
        throw InputError(origin.place, origin.path + ": " + std::string(what) +
                                           " cannot go with time.analysis = \"modal\", which knows "
                                           "pins alone");
    if (!contact_entry(method).by_constraints)
        throw InputError(origin.place, origin.path + ": " + std::string(what) +
                                           " is solved together with contact and needs "
                                           "contact.method = \"lagrange\"; contact.method is \"" +
                                           method + '"');
}

void check_attachment(const SceneDef& scene, const AttachDef& def, const Names& names) {
    check_reference(def.body, names.bodies, "body", "body", def.origin);
    if (def.to) check_side(*def.to, names.sides, "to", def.origin);
    check_method(scene, def.origin, "an attachment");
    if (def.select) check_select(*def.select);
    if (def.hinge && !(norm((*def.hinge)[1] - (*def.hinge)[0]) > 0))
        throw InputError(def.origin.at("hinge"),
                         def.origin.path +
                             ".hinge: the two points are the same; allowed: two "
                             "points of an axis");
    const bool self = def.to && *def.to == def.body;
    if (self && !(def.to_point && def.point && norm(*def.to_point - *def.point) > 0))
        throw InputError(def.origin.at("to"),
                         def.origin.path +
                             ".to is the body itself; allowed: another body, or a point with a "
                             "to_point elsewhere in it");
}

void check_cable(const SceneDef& scene, const CableDef& def, const Names& names) {
    check_method(scene, def.origin, "a cable");
    if (def.path.size() < 2)
        throw InputError(def.origin.at("path"), def.origin.path + ".path has " +
                                                    std::to_string(def.path.size()) +
                                                    " points; allowed: at least two");
    for (std::size_t k = 1; k < def.path.size(); ++k)
        if (!(norm(def.path[k] - def.path[k - 1]) > 0))
            throw InputError(def.origin.at("path"), def.origin.path + ".path: points " +
                                                        std::to_string(k - 1) + " and " +
                                                        std::to_string(k) + " are the same");
    if (def.body) check_side(*def.body, names.sides, "body", def.origin);
    if (def.bodies) {
        if (def.bodies->size() != def.path.size())
            throw InputError(def.origin.at("bodies"),
                             def.origin.path + ".bodies has " + std::to_string(def.bodies->size()) +
                                 " names for " + std::to_string(def.path.size()) +
                                 " points of the path; allowed: one a point");
        for (const std::string& name : *def.bodies)
            if (!name.empty()) check_side(name, names.sides, "bodies", def.origin);
    }
    if (!def.times.empty() || !def.pull.empty())
        check_times(def.times, def.pull.size(), "pull", def.origin);
}

void check_cavity(const SceneDef& scene, const CavityDef& def, const Names& names) {
    check_reference(def.body, names.bodies, "body", "body", def.origin);
    if (def.select) check_select(*def.select);
    const std::vector<double>& values = def.pressure ? *def.pressure : *def.volume;
    check_times(def.times, values.size(), def.pressure ? "pressure" : "volume", def.origin);
    if (def.volume) check_method(scene, def.origin, "a prescribed volume");
}

void check_needle(const SceneDef& scene, const NeedleDef& def, const Names& names) {
    check_reference(def.body, names.bodies, "body", "body", def.origin);
    check_method(scene, def.origin, "a needle");
    direction(def.direction, def.origin, "direction");
    if (def.motion) motion_of(*def.motion);
}

/// Columns of joints.csv.
template <class Def>
void check_names(const std::vector<Def>& defs, std::map<std::string, std::string>& seen) {
    for (const Def& def : defs) {
        std::string name;
        if constexpr (requires { def.name->size(); }) {
            if (!def.name) continue;
            name = *def.name;
        } else {
            name = def.name;
        }
        const auto [first, fresh] = seen.emplace(name, def.origin.path);
        if (!fresh)
            throw InputError(def.origin.at("name"), def.origin.path + " and " + first->second +
                                                        " are both named '" + name +
                                                        "'; allowed: a name for each");
    }
}

}  // namespace

void check_joints(const SceneDef& scene, ErrorList& errors) {
    const Names names = names_of(scene);
    const auto each = [&](const auto& defs, auto check) {
        for (const auto& def : defs) errors.run([&] { check(scene, def, names); });
    };
    each(scene.attachments, check_attachment);
    each(scene.cables, check_cable);
    each(scene.cavities, check_cavity);
    each(scene.needles, check_needle);
    errors.run([&] {
        std::map<std::string, std::string> seen;
        check_names(scene.attachments, seen);
        check_names(scene.cables, seen);
        check_names(scene.cavities, seen);
        check_names(scene.needles, seen);
    });
}

Obstacle drawn_needle(const NeedleDef& def) {
    Obstacle out;
    out.name = def.name;
    out.solid = false;
    const Vec3d d = direction(def.direction, def.origin, "direction");
    out.shape = CylinderShape{def.radius.value_or(0.02 * def.length), 0.5 * def.length};
    out.position = def.tip - (0.5 * def.length) * d;
    // The cylinder's y axis along the needle.
    const Vec3d y{0, 1, 0}, turn = cross(y, d);
    const double sine = norm(turn), cosine = dot(y, d);
    if (sine > 1e-12) out.orientation = rotation_about((1 / sine) * turn, std::atan2(sine, cosine));
    if (def.motion) out.motion = motion_of(*def.motion);
    return out;
}

}  // namespace limber
