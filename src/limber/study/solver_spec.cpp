// SPDX-License-Identifier: Apache-2.0
#include "limber/study/solver_spec.h"

#include <algorithm>

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

const std::string device_key = "device";  // of the scene, not of the solver

/// Splits key=value and checks the key.
SolverSpec::Option option_of(const std::string& piece, const OptionCase& solver,
                             const SourcePlace& place) {
    const std::size_t equals = piece.find('=');
    SolverSpec::Option out{trimmed(piece.substr(0, equals)), ""};
    if (equals != std::string::npos) out.value = trimmed(piece.substr(equals + 1));
    if (out.key.empty() || out.value.empty())
        throw InputError(place, "'" + printable(piece) + "': wanted an option key=value of " +
                                    std::string(solver.name));
    std::vector<std::string> keys = {device_key};
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

StudyScene on_the_cpu(StudyScene scene) {
    scene.load.sets.push_back(device_key + "=\"cpu\"");
    return scene;
}

SceneDef scene_with(const StudyScene& scene, const SolverSpec& spec, const std::string& argument) {
    LoadOptions load = scene.load;
    load.sets.push_back("solver.kind=\"" + spec.kind + '"');
    for (const SolverSpec::Option& option : spec.options)
        load.sets.push_back((option.key == device_key ? "" : "solver.") + option.key + '=' +
                            option.value);
    try {
        return load_scene(scene.path, load);
    } catch (const InputError& error) {
        // The user wrote no --set: the message names what was written.
        if (!error.place().file.starts_with("--set solver.")) throw;
        throw InputError(SourcePlace{argument + ' ' + printable(spec.text, 200)}, error.message());
    }
}

}  // namespace limber
