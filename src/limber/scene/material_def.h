// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "limber/fem/materials.h"
#include "limber/scene/format/field_visitors.h"

namespace limber {

/// One of the laws of AnyMaterial.
struct LawName : std::string {
    using std::string::string;
};
template <>
struct FieldTraits<LawName> {
    static TypeInfo describe(Rule);
    static void assign(const Value& v, const std::string&, LawName& out) { out.assign(v.text); }
    static Value to_value(const LawName& s, Rule) { return Value::of(std::string(s)); }
};

struct DampingDef {
    double mass = 0, stiffness = 0, air = 0, viscous = 0;
};
template <class Visitor>
void fields(Visitor& field, DampingDef& o) {
    field("mass", o.mass, at_least(0, Unit::frequency), "a of C = a M + b K");
    field("stiffness", o.stiffness, at_least(0, Unit::time), "b of C = a M + b K; not for cloth");
    field("air", o.air, at_least(0),
          "drag of the air on every node, in kg/s: force per velocity, whatever the node's mass");
    field("viscous", o.viscous, at_least(0),
          "drag between the nodes of every edge, in kg/s; minimising solvers only");
}

/// Control points of a derivative of the spline law.
struct ControlPointsDef {
    std::vector<double> at, slope;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, ControlPointsDef& o) {
    field("at", o.at, required(), "arguments, increasing: 2 to 16 of them; 1 is the rest shape");
    field("slope", o.slope, required(any_value(Unit::pressure)),
          "the derivative there; a natural cubic spline between, straight lines beyond");
}

enum class TangentKind { exact, frozen };
constexpr std::array<std::string_view, 2> enum_names(TangentKind) {
    return {"exact", "frozen"};
}

struct MaterialDef {
    LawName kind = "corotated";
    std::optional<double> young, poisson, mu, lambda;
    std::array<std::optional<double>, 4> s;  // s0 to s3
    std::optional<ControlPointsDef> f, g, h;
    std::optional<Vec3d> fibre;
    std::optional<double> fibre_young;
    double volume = 0;
    bool invertible = false;
    double lambda_minus = Conversion{}.lower, lambda_plus = Conversion{}.upper;
    double lambda_back = Conversion{}.back, fade = Conversion{}.fade;
    std::optional<TangentKind> tangent;
    std::optional<double> density;
    DampingDef damping;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, MaterialDef& o) {
    const Rule stiffness{.lo = 0, .hi = 1e15, .open_lo = true, .unit = Unit::pressure};
    const Rule modulus = between(-1e15, 1e15, Unit::pressure);
    field("kind", o.kind, any_value(), "the elastic law; docs/materials.md has the formulas");
    field("young", o.young, stiffness, "Young's modulus; 1 MPa where nothing is given");
    field("poisson", o.poisson, inside(-1, 0.5),
          "Poisson's ratio; 0.3 where nothing is given (projective: 0)");
    field("mu", o.mu, stiffness, "Lame's second parameter, the shear modulus; with lambda");
    field("lambda", o.lambda, modulus,
          "Lame's first parameter; with mu; the bulk modulus lambda + 2/3 mu must be positive");
    field("s0", o.s[0], modulus,
          "first parameter of the law itself, instead of young and poisson: stvk, neo_hookean, "
          "neo_hookean_log, mooney_rivlin, fung, projective");
    field("s1", o.s[1], modulus, "second: stvk, neo_hookean, neo_hookean_log, mooney_rivlin, fung");
    field("s2", o.s[2], modulus,
          "third: mooney_rivlin, fung; mooney_rivlin takes it beside young and poisson as well, "
          "mu/4 without");
    field("s3", o.s[3], Rule{.lo = 0, .hi = 1e3, .open_lo = true},
          "speed of the exponential of fung, beside young and poisson or s0, s1, s2; 1 without");
    field("f", o.f, any_value(), "spline: f' against a principal stretch");
    field("g", o.g, any_value(), "spline: g' against a product of two principal stretches");
    field("h", o.h, any_value(), "spline: h' against the volume ratio");
    field("fibre", o.fibre, any_value(),
          "fibre: direction of the fibres at rest, any length, along the axes of the body's mesh: "
          "scale and rotate turn it with the body; [1, 0, 0] where nothing is given. "
          "body.fibres has one for each tet");
    field(
        "fibre_young", o.fibre_young, stiffness,
        "fibre: what the fibres add to Young's modulus along them, where they are pulled; as much "
        "as young where nothing is given");
    field("volume", o.volume, between(0, 1e15, Unit::pressure),
          "k of a term k/2 (J - 1)^2 beside the law; adds k to the bulk modulus");
    field("invertible", o.invertible, any_value(),
          "hand elements that are nearly flat or inverted over to the projective energy");
    field("lambda_minus", o.lambda_minus, between(-1, 1), "stretch at which it has all of them");
    field("lambda_plus", o.lambda_plus, between(-1, 1), "stretch below which it gets some");
    field(
        "lambda_back", o.lambda_back, between(-1, 1),
        "stretch that elements that ended a time step below lambda_minus must reach before the law "
        "has them again; -1: at once, the rule of the source");
    field("fade", o.fade, Rule{.lo = 0, .hi = 1, .open_lo = true},
          "how much of its share it may lose from one iteration to the next");
    field("tangent", o.tangent, any_value(),
          "corotated in minimising solvers: with the turning of the element (where nothing is "
          "given), or without");
    field("density", o.density, Rule{.lo = 0, .hi = 1e6, .open_lo = true, .unit = Unit::density},
          "mass density; 1000 kg/m^3 where nothing is given");
    field("damping", o.damping, any_value(), "Rayleigh damping, air and viscosity");
    field.needs("mu", "lambda");
    field.needs("lambda", "mu");
    field.at_most_one({"young", "mu"});
    field.at_most_one({"poisson", "lambda"});
    field.needs("lambda_minus", "invertible");
    field.needs("lambda_plus", "invertible");
    field.needs("lambda_back", "invertible");
    field.needs("fade", "invertible");
}

struct SceneDef;
class ErrorList;

/// Whether the law of that name is Hooke's in a frame that turns or not, as linearly implicit
/// solvers need.
bool is_hookes_law(std::string_view name);

/// The material of a definition; an InputError where its numbers do not make one. `assumed` gets
/// what was taken because nothing was given.
Material make_material(const std::string& name, const MaterialDef& def, std::string& assumed);

/// Refuses materials in use that the scene's solver does not take, with the reason.
void check_laws(const SceneDef& scene, ErrorList& errors);

}  // namespace limber
