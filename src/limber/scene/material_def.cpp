// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/material_def.h"

#include <cmath>
#include <set>
#include <variant>

#include "limber/core/numbers.h"
#include "limber/scene/build/placement.h"
#include "limber/scene/format/error_list.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene_def.h"

namespace limber {

namespace {

constexpr const char* raw_names[] = {"s0", "s1", "s2", "s3"};

[[noreturn]] void refuse(const MaterialDef& def, std::string_view key, const std::string& text) {
    throw InputError(def.origin.at(key), def.origin.path + ": " + text);
}

/// Calls f with a default object of the law of that name.
template <class F>
void with_law(const std::string& name, F&& f) {
    [&]<class... Law>(const std::variant<Law...>*) {
        ((Law::name == name ? f(Law{}) : void()), ...);
    }(static_cast<const AnyMaterial*>(nullptr));
}

/// "corotated" or "linear" or ...
std::string hookes_laws() {
    std::string out;
    [&]<class... Law>(const std::variant<Law...>*) {
        ((HookesLaw<Law>
              ? void(out += (out.empty() ? "\"" : " or \"") + std::string(Law::name) + '"')
              : void()),
         ...);
    }(static_cast<const AnyMaterial*>(nullptr));
    return out;
}

/// A law of several numbers takes one of them beside the moduli.
template <class Law>
concept HasShare = requires(Law law, Lame lame) {
    Law::from(lame, 1.0);
};
template <class Law>
constexpr int share_index = HasShare<Law> ? Law::n_raw - 1 : -1;

bool has_moduli(const MaterialDef& def) {
    return def.young || def.poisson || def.mu;
}
bool has_points(const MaterialDef& def) {
    return def.f || def.g || def.h;
}

/// Keys of another law must not be dropped in silence.
template <class Law>
void check_keys(const MaterialDef& def) {
    const std::string law = "kind = \"" + std::string(Law::name) + '"';
    constexpr bool is_spline = std::is_same_v<Law, SplineLaw>;
    std::string taken;
    for (int i = 0; i < Law::n_raw; ++i) taken += std::string(i ? ", " : "") + raw_names[i];
    const std::string allowed = "; allowed: young and poisson, or mu and lambda" +
                                (Law::n_raw > 0 ? ", or " + taken : "") +
                                (is_spline ? ", or f, g and h" : "");
    int given = 0;
    for (int i = 0; i < 4; ++i) {
        if (!def.s[i]) continue;
        if (i >= Law::n_raw) refuse(def, raw_names[i], law + " has no " + raw_names[i] + allowed);
        if (i != share_index<Law>) ++given;
    }
    for (const auto& [key, points] : {std::pair{"f", &def.f}, {"g", &def.g}, {"h", &def.h}})
        if (*points && !is_spline) refuse(def, key, law + " has no " + key + allowed);
    if (has_moduli(def) && (given > 0 || has_points(def)))
        refuse(def, given > 0 ? "s0" : "f",
               "the law's own parameters cannot go with young, poisson, mu or lambda" + allowed);
    const int wanted = Law::n_raw - (std::is_same_v<Law, Fung> ? 1 : 0);  // s3 has a default
    for (int i = 0; i < wanted; ++i)
        if (given > 0 && !def.s[i])
            refuse(def, "s0", std::string(raw_names[i]) + " is missing" + allowed);
    if (!std::is_same_v<Law, FibreReinforced>)
        for (const char* key : {"fibre", "fibre_young"})
            if (def.origin.has(key))
                refuse(def, key, law + " has no fibres; " + key + " belongs to kind = \"fibre\"");
    if (def.tangent && !std::is_same_v<Law, CorotatedElastic>)
        refuse(def, "tangent", law + " has one tangent only; tangent belongs to corotated");
    if (!(def.lambda_minus < def.lambda_plus))
        refuse(def, def.origin.has("lambda_minus") ? "lambda_minus" : "lambda_plus",
               "lambda_minus = " + number_text(def.lambda_minus) + " and lambda_plus = " +
                   number_text(def.lambda_plus) + "; allowed: lambda_minus < lambda_plus");
}

CubicSpline spline_of(const std::optional<ControlPointsDef>& points) {
    if (!points) return {};
    const auto fail = [&](const std::string& what) {
        throw InputError(points->origin.place, points->origin.path + ": " + what);
    };
    const std::size_t n = points->at.size();
    if (n != points->slope.size())
        fail(std::to_string(n) + " numbers in at and " + std::to_string(points->slope.size()) +
             " in slope; allowed: one slope for each argument");
    if (n < 2 || n > CubicSpline::capacity)
        fail(std::to_string(n) + " control points; allowed: 2 to " +
             std::to_string(CubicSpline::capacity));
    std::vector<CubicSpline::Point> list;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && !(points->at[i] > points->at[i - 1]))
            fail("at[" + std::to_string(i) + "] = " + number_text(points->at[i]) +
                 " does not lie above " + number_text(points->at[i - 1]) +
                 "; allowed: increasing arguments");
        list.push_back({points->at[i], points->slope[i]});
    }
    return CubicSpline::through(list);
}

SplineLaw drawn_law(const MaterialDef& def) {
    SplineLaw law;
    law.f = spline_of(def.f);
    law.g = spline_of(def.g);
    law.h = spline_of(def.h);
    const double left = law.rest_stress(), scale = std::fabs(law.small_strain().mu);
    if (!(std::fabs(left) <= 1e-9 * scale))  // what rounding leaves of a user's zero
        refuse(def, "f",
               "the rest shape has a stress of " + number_text(left) +
                   " Pa; allowed: f'(1) + 2 g'(1) + h'(1) = 0, for example a control point at 1 "
                   "with slope 0 in each");
    return law;
}

/// Moduli from the user's keys and from what stands in for missing ones.
template <class Law>
Lame moduli_of(const MaterialDef& def, std::string& assumed) {
    constexpr bool no_sideways = std::is_same_v<Law, ProjectiveElastic>;
    if (no_sideways && ((def.poisson && *def.poisson != 0) || (def.lambda && *def.lambda != 0)))
        refuse(def, def.poisson ? "poisson" : "lambda",
               "kind = \"projective\" has Poisson's ratio 0; allowed: poisson = 0 or lambda = 0, "
               "a volume term beside it, or kind = \"corotated\"");
    if (def.mu) return {*def.mu, *def.lambda};
    const double poisson = no_sideways ? 0 : 0.3;
    if (!def.young) assumed += " young = 1e6 Pa";
    if (!def.poisson) assumed += " poisson = " + number_text(poisson);
    return Lame::from_young(def.young.value_or(1e6), def.poisson.value_or(poisson));
}

template <class Law>
Law make_law(const MaterialDef& def, std::string& assumed) {
    if constexpr (std::is_same_v<Law, SplineLaw>)
        if (has_points(def)) return drawn_law(def);
    constexpr int share = share_index<Law>;
    if constexpr (Law::n_raw > 0)
        if (def.s[0]) {
            Law law;
            double* own[] = {&law.s0, nullptr, nullptr, nullptr};
            if constexpr (Law::n_raw > 1) own[1] = &law.s1;
            if constexpr (Law::n_raw > 2) own[2] = &law.s2;
            if constexpr (Law::n_raw > 3) own[3] = &law.s3;
            for (int i = 0; i < Law::n_raw; ++i)
                if (def.s[i]) *own[i] = *def.s[i];
            return law;
        }
    const Lame lame = moduli_of<Law>(def, assumed);
    if constexpr (share >= 0)
        if (def.s[share]) return Law::from(lame, *def.s[share]);
    return Law::from(lame);
}

/// Direction and modulus of the fibres, once the law around them is made.
void set_fibres(const MaterialDef& def, FibreReinforced& law, std::string& assumed) {
    // The user's number, not what rounding makes of it on the way through the law.
    const bool by_young = !def.mu && !def.s[0];
    law.k =
        def.fibre_young.value_or(by_young ? def.young.value_or(1e6) : law.small_strain().young());
    if (!def.fibre_young) assumed += " fibre_young = " + number_text(law.k) + " Pa";
    if (def.fibre)
        law.a = direction(*def.fibre, def.origin, "fibre");
    else
        assumed += " fibre = [1, 0, 0]";
}

/// The numbers the user gave, for a message.
std::string given_numbers(const MaterialDef& def) {
    std::string out;
    const auto add = [&](const char* key, const std::optional<double>& value) {
        if (value)
            out += (out.empty() ? "" : " and ") + std::string(key) + " = " + number_text(*value);
    };
    add("young", def.young);
    add("poisson", def.poisson);
    add("mu", def.mu);
    add("lambda", def.lambda);
    for (int i = 0; i < 4; ++i) add(raw_names[i], def.s[i]);
    return out.empty() ? "the control points" : out;
}

void check_moduli(const MaterialDef& def, const Lame& lame) {
    const char* key = def.lambda ? "lambda" : def.s[0] ? "s0" : def.f ? "f" : "kind";
    if (!(lame.mu > 0))
        refuse(def, key,
               given_numbers(def) + " give a shear modulus of " + number_text(lame.mu) +
                   " Pa at small strains; allowed: > 0");
    if (!(lame.bulk() > 0))
        refuse(def, key,
               given_numbers(def) + " give a bulk modulus of " + number_text(lame.bulk()) +
                   " Pa; allowed: > 0");
}

std::set<std::string> used_materials(const SceneDef& scene) {
    std::set<std::string> used;
    for (const BodyDef& body : scene.bodies) {
        used.insert(body.material.value_or("default"));
        for (const RegionDef& region : body.regions) used.insert(region.material);
    }
    return used;
}

bool is_smooth_at_rest(const std::string& law) {
    bool is = true;
    with_law(law, [&]<class Law>(const Law&) {
        if constexpr (requires { Law::smooth_at_rest; }) is = Law::smooth_at_rest;
    });
    return is;
}

/// Modes are of one Hessian at rest; fibres have two there, pulled and pushed.
void check_modal(const SceneDef& scene, ErrorList& errors) {
    const std::set<std::string> used = used_materials(scene);
    for (const auto& [name, def] : scene.materials)
        if (used.count(name) && !is_smooth_at_rest(def.kind))
            errors.add({def.origin.at("kind"),
                        def.origin.path + ": kind = \"" + std::string(def.kind) +
                            "\" cannot go with time.analysis = \"modal\": fibres "
                            "pull and never push, so no motion about rest is one of a linear "
                            "system; allowed: another law, or analysis = \"dynamic\""});
}

/// Refuses what a solver of one linear system a step does not take.
void check_linearly_implicit(const MaterialDef& def, const std::string& solver,
                             const std::string& minimising) {
    const std::string with = " cannot go with solver.kind = \"" + solver + "\", which ";
    if (!is_hookes_law(def.kind))
        refuse(def, "kind",
               "kind = \"" + def.kind + '"' + with +
                   "solves one linear system a step with the rotations of its start; allowed: " +
                   "kind = " + hookes_laws() + minimising);
    if (def.damping.viscous > 0)
        refuse(def, "damping",
               "damping.viscous" + with +
                   "takes Rayleigh damping and air; allowed: damping.stiffness" + minimising);
    const char* key = def.volume != 0                     ? "volume"
                      : def.invertible                    ? "invertible"
                      : def.tangent == TangentKind::exact ? "tangent"
                                                          : nullptr;
    if (key)
        refuse(def, key,
               std::string(key) + with +
                   "takes the law's tangent with frozen rotations and nothing beside; allowed: "
                   "leave it out" +
                   minimising);
}

}  // namespace

bool is_hookes_law(std::string_view name) {
    bool is = false;
    with_law(std::string(name), [&]<class Law>(const Law&) { is = HookesLaw<Law>; });
    return is;
}

TypeInfo FieldTraits<LawName>::describe(Rule) {
    TypeInfo type = type_of(FieldKind::choice);
    [&]<class... Law>(const std::variant<Law...>*) {
        (type.choices.emplace_back(Law::name), ...);
    }(static_cast<const AnyMaterial*>(nullptr));
    return type;
}

Material make_material(const std::string& name, const MaterialDef& def, std::string& assumed) {
    Material m;
    m.name = name;
    with_law(def.kind, [&](const auto& law) {
        using Law = std::decay_t<decltype(law)>;
        check_keys<Law>(def);
        m.law = make_law<Law>(def, assumed);
    });
    if (auto* law = std::get_if<CorotatedElastic>(&m.law))
        law->frozen = def.tangent == TangentKind::frozen;
    m.volume = def.volume;
    check_moduli(def, small_strain(m));
    if (auto* law = std::get_if<FibreReinforced>(&m.law)) set_fibres(def, *law, assumed);
    m.conversion = {def.invertible, def.lambda_minus, def.lambda_plus, def.lambda_back, def.fade};
    if (!def.density) assumed += " density = 1000 kg/m^3";
    m.density = def.density.value_or(1000);
    m.damping_mass = def.damping.mass;
    m.damping_stiffness = def.damping.stiffness;
    m.damping_air = def.damping.air;
    m.damping_viscous = def.damping.viscous;
    return m;
}

void check_laws(const SceneDef& scene, ErrorList& errors) {
    if (scene.time.analysis == Analysis::modal) check_modal(scene, errors);
    const std::string& solver = scene.solver.options.name;
    if (stepper_entry(solver).family != SolverFamily::linearly_implicit) return;
    std::string others;
    for (const StepperEntry& entry : steppers())
        if (entry.family == SolverFamily::minimising)
            others += (others.empty() ? "" : ", ") + std::string(entry.options.name);
    const std::string minimising =
        others.empty() ? "" : ", or a solver that minimises (" + others + ')';
    const std::set<std::string> used = used_materials(scene);
    for (const auto& [name, def] : scene.materials)
        if (used.count(name))
            errors.run([&, &def = def] { check_linearly_implicit(def, solver, minimising); });
}

}  // namespace limber
