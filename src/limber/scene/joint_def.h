// SPDX-License-Identifier: Apache-2.0
#pragma once

// What holds bodies together or moves them from inside: attachments, cables, cavities, needles.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "limber/scene/select_def.h"

namespace limber {

struct AttachDef {
    std::optional<Name> name;
    std::string body;
    std::optional<std::string> to;
    std::optional<Vec3d> point, to_point;
    std::optional<SelectDef> select;
    std::optional<std::array<Vec3d, 2>> hinge;
    std::optional<double> reach, region;  // [m]
    std::optional<double> closing;        // [s]
    std::optional<bool> collide;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, AttachDef& o) {
    field("name", o.name, any_value(), "of its columns in joints.csv");
    field("body", o.body, required(), "name of the body, soft or rigid");
    field("to", o.to, any_value(),
          "the body or obstacle it is attached to; to a fixed place without");
    field("point", o.point, any_value(Unit::length),
          "one point of the body, inside an element or anywhere on a rigid body, as placed");
    field("to_point", o.to_point, any_value(Unit::length),
          "the point on the other side; the same place where nothing is given");
    field("select", o.select, any_value(),
          "nodes of the body, each held where it is on or in the other side");
    field("hinge", o.hinge, any_value(Unit::length),
          "two points of an axis about which both sides turn freely");
    field("reach", o.reach, at_least(0, Unit::length),
          "selected nodes farther than this from a soft body they are held to are left out; a "
          "thousandth of that body's diagonal where nothing is given");
    field("region", o.region, positive(Unit::length),
          "at most one constraint a region: of selected nodes nearer than this to each other only "
          "the first is held");
    field("closing", o.closing, at_least(0, Unit::time),
          "time over which `point` is drawn to a `to_point` elsewhere; in the first step without");
    field("collide", o.collide, any_value(),
          "the two sides still touch each other; they do not where nothing is given");
    field.exactly_one({"point", "select", "hinge"});
    field.needs("to_point", "point");
    field.needs("reach", "select");
    field.needs("region", "select");
    field.needs("closing", "to_point");
    field.needs("collide", "to");
}

struct CableDef {
    std::optional<Name> name;
    std::vector<Vec3d> path;  // [m]
    std::optional<std::string> body;
    std::optional<std::vector<std::string>> bodies;
    std::vector<double> times, pull;  // [s], [m]
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, CableDef& o) {
    field("name", o.name, any_value(), "of its columns in joints.csv");
    field("path", o.path, required(any_value(Unit::length)),
          "points it runs through, as placed: fixed to the first and the last, sliding through "
          "those between");
    field("body", o.body, any_value(), "that all points belong to");
    field("bodies", o.bodies, any_value(),
          "one name a point instead: of a body, of an obstacle, or \"\" for a fixed place");
    field("times", o.times, any_value(Unit::time), "key frames of pull, increasing");
    field("pull", o.pull, any_value(Unit::length),
          "by how much it is shorter than at the start, a key frame each, linear between them; "
          "without: it keeps its length. A cable pulls and never pushes");
    field.exactly_one({"body", "bodies"});
    field.needs("times", "pull");
    field.needs("pull", "times");
}

struct CavityDef {
    std::optional<Name> name;
    std::string body;
    std::optional<SelectDef> select;
    std::vector<double> times;  // [s]
    std::optional<std::vector<double>> pressure, volume;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, CavityDef& o) {
    field("name", o.name, any_value(), "of its columns in joints.csv");
    field("body", o.body, required(), "name of the soft body");
    field("select", o.select, any_value(),
          "its wall: the boundary faces with all three nodes selected; every closed hollow inside "
          "the body where nothing is given. The rim of an open wall should be pinned");
    field("times", o.times, required(any_value(Unit::time)), "of the key frames, increasing");
    field("pressure", o.pressure, any_value(Unit::pressure),
          "above the pressure outside, a key frame each, linear between them; follows the wall");
    field("volume", o.volume, positive(),
          "relative to the volume at rest, a key frame each: what is pumped in does not give way; "
          "contact.method = \"lagrange\" only");
    field.exactly_one({"pressure", "volume"});
}

struct NeedleDef {
    Name name;
    std::string body;
    Vec3d tip, direction;
    double length = 0;             // [m]
    std::optional<double> radius;  // [m]
    std::optional<MotionDef> motion;
    double puncture = 0;            // [N]
    std::optional<double> spacing;  // [m]
    double friction = 0;            // [N/m]
    double cutting = 0;             // [N]
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, NeedleDef& o) {
    field("name", o.name, required(), "of its columns in joints.csv and of what is drawn");
    field("body", o.body, required(), "name of the soft body it enters");
    field("tip", o.tip, required(any_value(Unit::length)), "where its tip is at the start");
    field("direction", o.direction, required(), "from its tail to its tip, any length");
    field("length", o.length, required(positive(Unit::length)), "of the straight shaft");
    field("radius", o.radius, positive(Unit::length),
          "of what is drawn; a fiftieth of its length where nothing is given");
    field("motion", o.motion, any_value(), "key frames it follows; it stays without");
    field("puncture", o.puncture, at_least(0, Unit::force),
          "force of the tip on the surface at which it enters; less only dents it");
    field("spacing", o.spacing, positive(Unit::length),
          "along the shaft from one held point of the body to the next; the mean edge of the "
          "body's tets where nothing is given");
    field("friction", o.friction, at_least(0, Unit::stiffness),
          "force along the shaft for each length inside at which it slides");
    field("cutting", o.cutting, at_least(0, Unit::force),
          "force of the tip inside, at which what lies before it gives way");
}

}  // namespace limber
