// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of a scene that several entries of it use: names, nodes of a body, motions.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/scene/format/field_visitors.h"

namespace limber {

/// Letters, digits, _ and -: names become file names.
struct Name : std::string {
    using std::string::string;
};
enum class BoxSide { x_minus, x_plus, y_minus, y_plus, z_minus, z_plus };
constexpr std::array<std::string_view, 6> enum_names(BoxSide) {
    return {"x-", "x+", "y-", "y+", "z-", "z+"};
}

struct SphereSelect {
    Vec3d center;
    double radius = 0;
};
template <class Visitor>
void fields(Visitor& field, SphereSelect& o) {
    field("center", o.center, required(any_value(Unit::length)), "of the sphere");
    field("radius", o.radius, required(positive(Unit::length)), "of the sphere");
}
struct PlaneSelect {
    Vec3d point, normal;
};
template <class Visitor>
void fields(Visitor& field, PlaneSelect& o) {
    field("point", o.point, required(any_value(Unit::length)), "on the plane");
    field("normal", o.normal, required(), "towards the selected side, any length");
}

/// Nodes of a placed body.
struct SelectDef {
    std::optional<std::array<Vec3d, 2>> box;
    std::optional<SphereSelect> sphere;
    std::optional<PlaneSelect> plane;
    std::optional<BoxSide> side;
    std::optional<std::string> group;
    std::optional<std::vector<std::int64_t>> nodes;
    std::optional<bool> relative;
    std::optional<double> tolerance;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, SelectDef& o) {
    field("box", o.box, any_value(Unit::length),
          "nodes inside the box from the first corner to the second, borders included");
    field("sphere", o.sphere, any_value(), "nodes inside the sphere");
    field("plane", o.plane, any_value(), "nodes on the plane and on the side its normal points to");
    field("side", o.side, any_value(),
          "nodes on that face of the bounding box of the placed body: x- is the smallest x");
    field("group", o.group, any_value(), "named node group of the mesh file or shape");
    field("nodes", o.nodes, any_value(), "node ids of the mesh file; shapes count from 0");
    field("relative", o.relative, any_value(),
          "the box is given in the unit cube of the body's bounding box");
    field("tolerance", o.tolerance, at_least(0, Unit::length),
          "how far outside a box, sphere, plane or side a node may lie; 1e-6 of the diagonal of "
          "the body's bounding box where nothing is given");
    field.exactly_one({"box", "sphere", "plane", "side", "group", "nodes"});
    field.needs("relative", "box");
}

struct MotionDef {
    std::vector<double> times;                    // [s]
    std::optional<std::vector<Vec3d>> translate;  // [m]
    std::optional<std::vector<double>> angle;     // [rad]
    Vec3d axis{0, 1, 0};
    Vec3d center{0, 0, 0};
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, MotionDef& o) {
    field("times", o.times, required(any_value(Unit::time)), "of the key frames, increasing");
    field("translate", o.translate, any_value(Unit::length),
          "one displacement a key frame, linear between them, constant before and after");
    field("angle", o.angle, any_value(Unit::angle), "one angle about the axis a key frame");
    field("axis", o.axis, any_value(), "of the turn, any length");
    field("center", o.center, any_value(Unit::length), "point on the axis of the turn");
}

template <>
struct FieldTraits<Name> {
    static TypeInfo describe(Rule) { return type_of(FieldKind::name); }
    static void assign(const Value& v, const std::string&, Name& out) { out.assign(v.text); }
    static Value to_value(const Name& s, Rule) { return Value::of(std::string(s)); }
};

}  // namespace limber
