// SPDX-License-Identifier: Apache-2.0
#include "limber/study/solver_spec.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "limber/study/sweep.h"

namespace limber {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

const OptionCase& known_solver(const std::string& kind, const SourcePlace& place) {
    if (const OptionCase* found = find_case(stepper_cases(), kind)) return *found;
    std::vector<std::string> names;
    for (const OptionCase& solver : stepper_cases()) names.emplace_back(solver.name);
    throw InputError(place, "unknown solver '" + printable(kind) + "'; allowed: " + joined(names) +
                                did_you_mean(kind, names));
}

/// Splits key=value and checks the key.
SolverSpec::Option option_of(const std::string& piece, const OptionCase& solver,
                             const SourcePlace& place) {
    const std::size_t equals = piece.find('=');
    SolverSpec::Option out{trimmed(piece.substr(0, equals)), ""};
    if (equals != std::string::npos) out.value = trimmed(piece.substr(equals + 1));
    if (out.key.empty() || out.value.empty())
        throw InputError(place, "'" + printable(piece) + "': wanted an option key=value of " +
                                    std::string(solver.name));
    std::vector<std::string> keys;
    for (const FieldInfo& field : solver.describe().fields) keys.push_back(field.key);
    const auto known = [&](const std::string& key) {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    if (out.key == "iterations" && !known(out.key)) out.key = "max_iterations";
    if (!known(out.key)) {
        if (known("max_iterations")) keys.emplace_back("iterations");
        std::sort(keys.begin(), keys.end());
        throw InputError(place, std::string(solver.name) + ": unknown option '" +
                                    printable(out.key) + "'; allowed: " + joined(keys) +
                                    did_you_mean(out.key, keys));
    }
    return out;
}

bool starts_a_solver(const std::string& piece) {
    const std::size_t equals = piece.find('='), colon = piece.find(':');
    return equals == std::string::npos || colon < equals;
}

}  // namespace

std::string SolverSpec::without(const std::string& key) const {
    std::string out = kind;
    for (const Option& option : options)
        if (option.key != key) out += (out == kind ? ":" : ",") + option.key + '=' + option.value;
    return out;
}

std::string SolverSpec::value_of(const std::string& key) const {
    for (const Option& option : options)
        if (option.key == key) return option.value;
    return {};
}

std::vector<SolverSpec> parse_solvers(const std::string& list, const std::string& argument) {
    const SourcePlace place{argument + ' ' + printable(list, 200)};
    std::vector<SolverSpec> out;
    for (const std::string& piece : split_list(list, place.file)) {
        if (piece.empty()) throw InputError(place, "a solver name is missing between two commas");
        std::string option = piece;
        if (starts_a_solver(piece)) {
            const std::size_t colon = piece.find(':');
            out.push_back({piece, trimmed(piece.substr(0, colon)), {}});
            known_solver(out.back().kind, place);
            if (colon == std::string::npos) continue;
            option = piece.substr(colon + 1);
        } else if (out.empty()) {
            throw InputError(place, "'" + printable(piece) + "' is an option without a solver");
        } else {
            out.back().text += ',' + piece;
        }
        out.back().options.push_back(
            option_of(option, known_solver(out.back().kind, place), place));
    }
    return out;
}

SceneDef scene_with(const StudyScene& scene, const SolverSpec& spec, const std::string& argument) {
    LoadOptions load = scene.load;
    load.sets.push_back("solver.kind=\"" + spec.kind + '"');
    for (const SolverSpec::Option& option : spec.options)
        load.sets.push_back("solver." + option.key + '=' + option.value);
    try {
        return load_scene(scene.path, load);
    } catch (const InputError& error) {
        // The user wrote no --set: the message names what was written.
        if (!error.place().file.starts_with("--set solver.")) throw;
        throw InputError(SourcePlace{argument + ' ' + printable(spec.text, 200)}, error.message());
    }
}

double predicted_factor_ms(const std::string& engine, const Model& model) {
    // Volumes of n nodes, one thread: a fit c (n / 2000)^p through 2 000 and 25 000 nodes, 40 ms
    // and 45 s for Eigen's simplicial LDLᵀ, 7 ms and 0.57 s for a supernodal factor. Sheets cost
    // less.
    const bool supernodal = engine != "eigen_ldlt";
    const double c = supernodal ? 7 : 40, p = supernodal ? 1.75 : 2.8;
    double ms = 0;
    for (const Body& body : model.bodies)
        ms += c * std::pow((body.node_end - body.node_begin) / 2000.0, p);
    return ms;
}

namespace {

/// The option of the scene's solver where it has one of that name.
void keep_option(const SceneDef& scene, const std::string& key, SolverSpec& spec) {
    const AnyOptions& options = scene.solver.options;
    const Value values = stepper_entry(options.name).options.to_value(options.value);
    if (const Value* value = values.find(key); value && value->is(ValueKind::string))
        spec.options.push_back({key, '"' + value->text + '"'});
}

std::string text_of(const SolverSpec& spec) {
    return spec.without("");
}

}  // namespace

ConvergedSolver converged_solver(const SceneDef& scene, const Model& model) {
    constexpr double affordable_ms = 250;  // a step: a run of 300 takes about a minute
    const OptionCase* direct = find_case(stepper_cases(), "cholesky");
    const Value defaults = direct->to_value(direct->defaults());
    const Value* engine = defaults.find("linear");
    const std::string engine_name = engine ? engine->text : "";
    const double ms = predicted_factor_ms(engine_name, model);
    ConvergedSolver out;
    out.why = fmt::format("a factorisation by {} is predicted to take {:.2g} ms", engine_name, ms);
    if (ms <= affordable_ms) {
        out.spec.kind = "cholesky";
    } else {
        out.spec.kind = "corotational";
        out.spec.options = {{"linear", "pcg"},
                            {"rel_tolerance", "1e-10"},
                            {"max_iterations", "50000"},
                            {"energy_tolerance", "0"},
                            {"deadline_ms", "0"}};
        out.why += fmt::format(", more than {:.0f}: conjugate gradients to 1e-10", affordable_ms);
    }
    keep_option(scene, "rotation", out.spec);
    out.spec.options.push_back({"rotation_iterations", "100"});
    out.spec.text = text_of(out.spec);
    return out;
}

}  // namespace limber
