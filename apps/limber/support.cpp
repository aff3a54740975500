// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "limber/fem/materials.h"
#include "limber/scene/format/document.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene.h"

namespace limber::app {

namespace {

struct Law {
    std::string name, keys;
};

constexpr std::array<std::string_view, 4> integrators = {"backward_euler", "trapezoid",
                                                         "quasi_static", "static"};
constexpr std::array<std::string_view, 2> devices = {"cpu", "cuda"};
constexpr std::array<std::string_view, 4> subjects = {"laws", "contact", "time", "device"};

std::string time_keys(std::string_view integrator) {
    if (integrator == "static") return "analysis = \"static\"\n";
    if (integrator == "quasi_static") return "analysis = \"quasi_static\"\n";
    return "integrator = \"" + std::string(integrator) + "\"\n";
}

/// One choice of each subject, by index.
using Combination = std::array<std::size_t, 4>;

std::string scene_text(const std::string& solver, const Law& law, std::string_view contact,
                       std::string_view integrator, std::string_view device) {
    return "limber = 1\ndevice = \"" + std::string(device) +
           "\"\n[time]\nstep = 0.001\nsteps = 1\n" + time_keys(integrator) +
           "[material.m]\nkind = \"" + law.name + "\"\n" + law.keys +
           "density = 1000\n[[body]]\nname = \"b\"\nshape = \"box\"\nsize = [0.1, 0.1, 0.1]\n"
           "cells = [1, 1, 1]\nmaterial = \"m\"\ntranslate = [0, 0.2, 0]\n"
           "[[obstacle]]\nshape = \"plane\"\n[contact]\nmethod = \"" +
           std::string(contact) + "\"\n" + "[solver]\nkind = \"" + solver + "\"\n";
}
bool accepted(const std::string& scene) {
    try {
        make_scene(parse_toml(scene, "support"), "support");
        return true;
    } catch (const InputError&) {
        return false;
    }
}

/// Keys with which a material of the law is complete.
std::string keys_of(const std::string& law) {
    for (const char* keys : {"young = 1e5\npoisson = 0.3\n", "young = 1e5\npoisson = 0\n",
                             "f = { at = [0.2, 1, 3], slope = [-2, 0, 4] }\n"
                             "h = { at = [0, 1, 2], slope = [-1, 0, 1] }\n"})
        if (accepted(scene_text("auto", {law, keys}, "auto", integrators[0], devices[0])))
            return keys;
    throw Bug("the law '" + law + "' takes none of the usual keys");
}
template <class... Laws>
std::vector<Law> laws_of(const std::variant<Laws...>*) {
    return {Law{std::string(Laws::name), keys_of(std::string(Laws::name))}...};
}

bool is_taken(const std::string& solver, const Law& law, std::string_view contact,
              std::string_view integrator, std::string_view device) {
    // A fixed number of sweeps finds no equilibrium: there its tolerance is asked for.
    const bool at_rest = integrator == "static" || integrator == "quasi_static";
    const std::string text = scene_text(solver, law, contact, integrator, device);
    return accepted(text) || (at_rest && accepted(text + "rel_tolerance = 1e-6\n"));
}

std::string list_of(const std::vector<std::string>& names, const std::set<std::size_t>& which) {
    if (which.empty()) return "none";
    if (which.size() == names.size() && names.size() > 2) return "all";
    std::string out;
    for (const std::size_t k : which) out += (out.empty() ? "" : ", ") + names[k];
    return out;
}

/// Pairs that are refused whatever the rest is, although each of them is taken with something.
std::string exceptions(const std::array<std::vector<std::string>, 4>& names,
                       const std::array<std::set<std::size_t>, 4>& taken,
                       const std::set<Combination>& accepted) {
    std::string out;
    for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = a + 1; b < 4; ++b)
            for (const std::size_t i : taken[a])
                for (const std::size_t j : taken[b])
                    if (std::none_of(accepted.begin(), accepted.end(),
                                     [&](const Combination& c) { return c[a] == i && c[b] == j; }))
                        out += (out.empty() ? "" : ", ") + names[a][i] + " with " + names[b][j];
    return out;
}

}  // namespace

std::string support_table() {
    const std::vector<Law> laws = laws_of(static_cast<const AnyMaterial*>(nullptr));
    std::array<std::vector<std::string>, 4> names;
    for (const Law& law : laws) names[0].push_back(law.name);
    for (const ContactEntry& contact : contact_methods())
        if (!contact.open) names[1].emplace_back(contact.options.name);
    names[2].assign(integrators.begin(), integrators.end());
    names[3].assign(devices.begin(), devices.end());
    std::string out;
    for (const StepperEntry& entry : steppers()) {
        if (entry.open) continue;
        const OptionCase& solver = entry.options;
        std::set<Combination> accepted;
        std::array<std::set<std::size_t>, 4> taken;
        for (std::size_t l = 0; l < laws.size(); ++l)
            for (std::size_t c = 0; c < names[1].size(); ++c)
                for (std::size_t t = 0; t < names[2].size(); ++t)
                    for (std::size_t d = 0; d < names[3].size(); ++d) {
                        if (!is_taken(std::string(solver.name), laws[l], names[1][c], names[2][t],
                                      names[3][d]))
                            continue;
                        const Combination one{l, c, t, d};
                        accepted.insert(one);
                        for (std::size_t k = 0; k < 4; ++k) taken[k].insert(one[k]);
                    }
        out += std::string(solver.name) + '\n';
        for (std::size_t k = 0; k < 4; ++k)
            out += "  " + std::string(subjects[k]) + std::string(9 - subjects[k].size(), ' ') +
                   list_of(names[k], taken[k]) + '\n';
        const std::string but = exceptions(names, taken, accepted);
        if (!but.empty()) out += "  not      " + but + '\n';
    }
    return out;
}

}  // namespace limber::app
