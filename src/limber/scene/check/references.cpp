// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "limber/scene/build/joints.h"
#include "limber/scene/build/placement.h"
#include "limber/scene/check/references.h"
#include "limber/scene/format/error_list.h"
#include "limber/scene/scene.h"

namespace limber {

namespace {

std::string place_text(const SourcePlace& place) {
    return place.file + (place.line > 0 ? ':' + std::to_string(place.line) : "");
}

/// Two entries of one name (S22).
template <class Entry>
void check_unique(const std::vector<Entry>& entries, std::string_view what) {
    std::map<std::string, const Entry*> seen;
    for (const Entry& entry : entries) {
        const auto [first, fresh] = seen.emplace(entry.name, &entry);
        if (!fresh)
            throw InputError(entry.origin.at("name"),
                             "two " + std::string(what) + " are named '" + entry.name +
                                 "': " + place_text(first->second->origin.at("name")) + " and " +
                                 place_text(entry.origin.at("name")));
    }
}

/// A key that another shape would read must not be dropped in silence.
void check_shape_keys(const BodyDef& body) {
    if (!body.shape) return;
    const ShapeInfo& info = shape_info(body.shape->kind);
    constexpr auto names = enum_names(ShapeKind{});
    for (std::string_view key : {"size", "radius", "height", "cells", "tets", "graded"}) {
        if (!body.origin.has(key) || info.reads(key)) continue;
        std::vector<std::string> owners;
        for (const ShapeInfo& other : shape_table())
            if (other.reads(key)) owners.emplace_back(names[static_cast<std::size_t>(other.kind)]);
        throw InputError(body.origin.at(key),
                         body.origin.path + ": key '" + std::string(key) + "' belongs to " +
                             joined(owners) + ", not to shape = \"" +
                             std::string(names[static_cast<std::size_t>(info.kind)]) + '"');
    }
}

/// What a sheet cannot have, and what only a sheet can be.
void check_cloth(const BodyDef& body, const SceneDef& scene) {
    const bool surface = body.shape && shape_info(body.shape->kind).surface;
    if (!body.cloth) {
        if (!surface) return;
        throw InputError(
            body.origin.at("shape"),
            body.origin.path + ": shape = \"" +
                std::string(enum_names(ShapeKind{})[static_cast<std::size_t>(body.shape->kind)]) +
                "\" is a surface of triangles without tets; allowed: the same with cloth = { "
                "thickness = ... }, or a shape that is a solid");
    }
    const auto refuse = [&](std::string_view key, const std::string& why) {
        throw InputError(body.origin.at(key), body.origin.path + ": " + std::string(key) +
                                                  " cannot go with cloth, " + why);
    };
    if (body.shape && !surface)
        refuse("shape",
               "whose shapes are surfaces; allowed: \"cloth_sheet\", \"dress\", or mesh = "
               "a file of triangles");
    if (!body.regions.empty()) refuse("regions", "which has one material");
    if (body.skin) refuse("skin", "whose triangles are its skin; allowed: leave it out");
    if (body.mass == MassKind::consistent)
        refuse("mass", "whose mass is lumped; allowed: mass = \"lumped\"");
    const auto material = scene.materials.find(body.material.value_or("default"));
    if (material != scene.materials.end() && material->second.damping.stiffness > 0)
        throw InputError(material->second.origin.at("damping"),
                         material->second.origin.path + ".damping.stiffness is for tets; body '" +
                             body.name + "' is cloth; allowed: damping.viscous, air or mass");
    const std::string& solver = scene.solver.options.name;
    if (scene.time.analysis == Analysis::modal ||
        stepper_entry(solver).family != SolverFamily::linearly_implicit)
        return;
    std::string others;
    for (const StepperEntry& entry : steppers())
        if (entry.family == SolverFamily::minimising)
            others += (others.empty() ? "" : ", ") + std::string(entry.options.name);
    throw InputError(body.origin.at("cloth"),
                     body.origin.path + ".cloth cannot go with solver.kind = \"" + solver +
                         "\", which solves one linear system of tets a step; allowed: a solver "
                         "that minimises (" +
                         others + ')');
}

void check_rigid(const BodyDef& body, const SceneDef& scene) {
    if (!body.rigid) return;
    const auto refuse = [&](std::string_view key, const std::string& why) {
        throw InputError(body.origin.at(key), body.origin.path + ": " + std::string(key) +
                                                  " cannot go with rigid = true, " + why);
    };
    if (body.cloth) refuse("cloth", "which keeps its shape");
    if (!body.regions.empty()) refuse("regions", "which has one material");
    if (body.skin) refuse("skin", "whose surface is its skin; allowed: leave it out");
    if (body.mass == MassKind::consistent) refuse("mass", "which has the mass of its volume");
    for (const PinDef& pin : scene.pins)
        if (pin.body == body.name)
            throw InputError(pin.origin.at("body"),
                             pin.origin.path + ".body = \"" + body.name +
                                 "\" is rigid; allowed: an [[obstacle]] with motion for what "
                                 "follows key frames");
    if (!contact_entry(scene.contact.options.name).by_constraints)
        throw InputError(body.origin.at("rigid"),
                         body.origin.path +
                             ": rigid = true needs contact.method = \"lagrange\"; contact.method "
                             "is \"" +
                             scene.contact.options.name + "\"");
}

/// Fibres are of tets, and a file of directions is for tets that have them.
void check_fibres(const BodyDef& body, const SceneDef& scene) {
    const auto has_fibres = [&](const std::string& name) {
        const auto material = scene.materials.find(name);
        return material != scene.materials.end() && material->second.kind == FibreReinforced::name;
    };
    const std::string own = body.material.value_or("default");
    const char* what = body.cloth ? "cloth" : body.rigid ? "rigid = true" : nullptr;
    if (what && has_fibres(own))
        throw InputError(body.origin.at("material"),
                         body.origin.path + ": material = \"" + own +
                             "\" with kind = \"fibre\" cannot go with " + what +
                             ", which has no tets for fibres; allowed: a material of another kind");
    bool any = has_fibres(own);
    for (const RegionDef& region : body.regions) any = any || has_fibres(region.material);
    if (body.fibres && !any)
        throw InputError(body.origin.at("fibres"),
                         body.origin.path +
                             ": fibres needs a material with kind = \"fibre\" for the body or one "
                             "of its regions");
}

/// What a mesh is filled by, and files of initial states, are for bodies that have them.
void check_body_files(const BodyDef& body, const SceneDef& scene, ErrorList& errors) {
    const char* what = body.cloth ? "cloth" : body.rigid ? "rigid = true" : nullptr;
    if (body.fill && what)
        for (const char* key : {"cell", "tets", "graded"})
            if (body.origin.has(key))
                errors.add({body.origin.at(key),
                            body.origin.path + ": " + key + " beside mesh fills a surface with " +
                                "tets and cannot go with " + what + ", which has none"});
    for (const char* key : {"displacement_file", "velocity_file"}) {
        if (!body.origin.has(key)) continue;
        if (body.rigid)
            errors.add({body.origin.at(key), body.origin.path + ": " + key +
                                                 " cannot go with rigid = true; allowed: velocity "
                                                 "and angular_velocity"});
        if (scene.time.analysis != Analysis::dynamic)
            errors.add(
                {body.origin.at(key),
                 body.origin.path + ": " + key + " cannot go with time.analysis = \"" +
                     std::string(
                         enum_names(Analysis{})[static_cast<std::size_t>(scene.time.analysis)]) +
                     "\", which does not depend on the start; allowed: analysis = \"dynamic\""});
    }
}

void check_body(const BodyDef& body, const SceneDef& scene,
                const std::vector<std::string>& materials, ErrorList& errors) {
    errors.run([&] { placement_of(body); });
    errors.run([&] { check_shape_keys(body); });
    errors.run([&] { check_cloth(body, scene); });
    errors.run([&] { check_rigid(body, scene); });
    errors.run([&] { check_fibres(body, scene); });
    check_body_files(body, scene, errors);
    errors.run([&] {
        if (body.material)
            check_reference(*body.material, materials, "material", "material", body.origin);
    });
    for (const RegionDef& region : body.regions) {
        errors.run([&] {
            check_reference(region.material, materials, "material", "material", region.origin);
        });
        errors.run([&] {
            if (region.select) check_select(*region.select);
        });
    }
}

/// Pairs that do not feel each other; two obstacles never do.
void check_ignored(const SceneDef& scene, const std::vector<std::string>& bodies) {
    const std::vector<std::string> sides = side_names(scene);
    for (const auto& pair : scene.contact.ignore) {
        bool any_body = false;
        for (const std::string& name : pair) {
            check_side(name, sides, "ignore", scene.contact.origin);
            any_body = any_body || std::find(bodies.begin(), bodies.end(), name) != bodies.end();
        }
        if (!any_body)
            throw InputError(scene.contact.origin.at("ignore"),
                             "contact.ignore: '" + pair[0] + "' and '" + pair[1] +
                                 "' are obstacles; allowed: a pair with a body in it");
    }
}

}  // namespace

void check_reference(const std::string& name, const std::vector<std::string>& known,
                     std::string_view what, std::string_view key, const Origin& origin) {
    for (const std::string& candidate : known)
        if (candidate == name) return;
    throw InputError(origin.at(key),
                     origin.path + '.' + std::string(key) + " = \"" + printable(name) +
                         "\": there is no such " + std::string(what) +
                         "; allowed: " + (known.empty() ? "none is defined" : joined(known)) +
                         did_you_mean(name, known));
}

std::vector<std::string> side_names(const SceneDef& scene) {
    std::vector<std::string> out;
    for (const BodyDef& body : scene.bodies) out.push_back(body.name);
    for (const ObstacleDef& obstacle : scene.obstacles)
        if (obstacle.name) out.push_back(*obstacle.name);
    return out;
}

void check_side(const std::string& name, const std::vector<std::string>& sides,
                std::string_view key, const Origin& origin) {
    check_reference(name, sides, "body or obstacle", key, origin);
    if (std::count(sides.begin(), sides.end(), name) > 1)
        throw InputError(origin.at(key), origin.path + '.' + std::string(key) + " = \"" +
                                             printable(name) +
                                             "\" is the name of two of the bodies and obstacles; "
                                             "allowed: a name that one of them has");
}

void check_select(const SelectDef& select) {
    const auto& origin = select.origin;
    if (select.plane && !(norm(select.plane->normal) > 0))
        throw InputError(origin.at("plane"),
                         origin.path + ".plane.normal = " + vector_text(select.plane->normal) +
                             "; allowed: a finite vector that is not zero");
    if (select.box)
        for (int i = 0; i < 3; ++i)
            if ((*select.box)[0][i] > (*select.box)[1][i])
                throw InputError(origin.at("box"),
                                 origin.path + ".box: the first corner " +
                                     vector_text((*select.box)[0]) + " lies beyond the second " +
                                     vector_text((*select.box)[1]) +
                                     "; allowed: the corner of smallest coordinates first");
    if (!select.nodes) return;
    std::set<std::int64_t> seen;
    for (const std::int64_t id : *select.nodes)
        if (!seen.insert(id).second)
            throw InputError(origin.at("nodes"), origin.path + ".nodes: node " +
                                                     std::to_string(id) + " is given twice");
}

namespace {

/// Pins, forces and probes: each names a body and selects nodes of it.
void check_entries(const SceneDef& scene, const std::vector<std::string>& bodies,
                   ErrorList& errors) {
    for (const PinDef& pin : scene.pins) {
        errors.run([&] { check_reference(pin.body, bodies, "body", "body", pin.origin); });
        errors.run([&] {
            if (pin.select) check_select(*pin.select);
        });
        errors.run([&] {
            if (pin.motion) motion_of(*pin.motion);
            if (pin.times) check_times(*pin.times, pin.scale->size(), "scale", pin.origin);
        });
    }
    for (const ForceDef& force : scene.forces) {
        errors.run([&] { check_reference(force.body, bodies, "body", "body", force.origin); });
        errors.run([&] {
            if (force.select) check_select(*force.select);
        });
        errors.run([&] {
            if (force.times) check_times(*force.times, force.scale->size(), "scale", force.origin);
        });
    }
    for (const ProbeDef& probe : scene.probes) {
        errors.run([&] { check_reference(probe.body, bodies, "body", "body", probe.origin); });
        errors.run([&] {
            if (probe.select) check_select(*probe.select);
        });
    }
}

void check_obstacle(const ObstacleDef& obstacle, const SceneDef& scene, ErrorList& errors) {
    errors.run([&] { check_obstacle_shape(obstacle, scene); });
    errors.run([&] {
        if (obstacle.rotate) rotation_of(*obstacle.rotate, obstacle.origin);
    });
    errors.run([&] {
        if (obstacle.motion) motion_of(*obstacle.motion);
    });
}

/// Their files would have one name.
void check_skin_names(const SceneDef& scene) {
    for (const BodyDef& body : scene.bodies)
        for (const BodyDef& other : scene.bodies)
            if (body.skin && other.name == body.name + "_skin")
                throw InputError(other.origin.at("name"),
                                 "body '" + other.name +
                                     "' has the name under which the skin of '" + body.name +
                                     "' is written; choose another");
}

}  // namespace

void check_scene(const SceneDef& scene) {
    ErrorList errors;
    if (scene.bodies.empty())
        errors.add({scene.origin.at("body"), "scene: no body; wanted at least one [[body]]"});
    std::vector<std::string> bodies, materials;
    for (const auto& [name, material] : scene.materials) {
        errors.run([&, &name = name, &material = material] {
            std::string assumed;
            make_material(name, material, assumed);
        });
        materials.push_back(name);
    }
    for (const BodyDef& body : scene.bodies) {
        check_body(body, scene, materials, errors);
        bodies.push_back(body.name);
    }
    errors.run([&] { check_unique(scene.bodies, "bodies"); });
    errors.run([&] { check_skin_names(scene); });
    errors.run([&] { check_unique(scene.probes, "probes"); });
    check_entries(scene, bodies, errors);
    for (const ObstacleDef& obstacle : scene.obstacles) check_obstacle(obstacle, scene, errors);
    errors.run([&] { check_ignored(scene, bodies); });
    check_joints(scene, errors);
    check_laws(scene, errors);
    check_solver(scene, errors);
    errors.throw_if_any();
}

}  // namespace limber
