// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/scene_def.h"

#include <cmath>

namespace limber {

std::int64_t TimeDef::n_steps() const {
    if (steps || modes) return steps ? *steps : *modes;
    // 4 s in steps of 1/60 s are 240 steps, although 4 / (1.0 / 60) is not quite 240.
    return static_cast<std::int64_t>(std::ceil(end.value_or(0) / step * (1 - 1e-12)));
}

namespace {
using Rows = std::array<Vec3d, 3>;
}

TypeInfo FieldTraits<RotateDef>::describe(Rule) {
    return type_of(
        FieldKind::either, {},
        {limber::describe<AxisAngle>(), FieldTraits<Vec3d>::describe(any_value(Unit::angle)),
         FieldTraits<Rows>::describe({})});
}
void FieldTraits<RotateDef>::assign(const Value& v, const std::string& path, RotateDef& out) {
    if (v.is(ValueKind::table))
        FieldTraits<AxisAngle>::assign(v, path, out.axis_angle.emplace());
    else if (v.items[0].is(ValueKind::array))
        FieldTraits<Rows>::assign(v, path, out.matrix.emplace());
    else
        FieldTraits<Vec3d>::assign(v, path, out.euler.emplace());
}
Value FieldTraits<RotateDef>::to_value(const RotateDef& r, Rule) {
    if (r.axis_angle) return limber::to_value(*r.axis_angle);
    if (r.matrix) return limber::to_value(*r.matrix);
    return FieldTraits<Vec3d>::to_value(r.euler.value_or(Vec3d{}), any_value(Unit::angle));
}

TypeInfo FieldTraits<ScaleDef>::describe(Rule) {
    return type_of(FieldKind::either, {},
                   {FieldTraits<double>::describe(any_value(Unit::length)),
                    FieldTraits<Vec3d>::describe(any_value(Unit::length))});
}
void FieldTraits<ScaleDef>::assign(const Value& v, const std::string& path, ScaleDef& out) {
    if (v.is(ValueKind::array))
        FieldTraits<Vec3d>::assign(v, path, out.factor);
    else
        out.factor = {v.number, v.number, v.number};
}
Value FieldTraits<ScaleDef>::to_value(const ScaleDef& s, Rule) {
    if (s.factor.x == s.factor.y && s.factor.y == s.factor.z) return Value::of(s.factor.x);
    return limber::to_value(s.factor);
}

}  // namespace limber
