// SPDX-License-Identifier: Apache-2.0
#include "limber/study/line_up.h"

#include <algorithm>
#include <utility>

#include "limber/core/check.h"
#include "limber/scene/automatic.h"
#include "limber/scene/registry.h"
#include "limber/study/contestant.h"

namespace limber {

namespace {

/// `value` as a scene file has it.
std::string value_text(const std::string& key, const Value& value) {
    Value table = Value::table();
    table.set(key, value);
    std::string text = to_toml(table);
    text.erase(0, text.find('=') + 1);
    text.erase(0, text.find_first_not_of(' '));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

/// A wrong option is the user's mistake; a scene that the solver does not take is a fact about it.
LinedUp tried(const StudyScene& study, const SolverSpec& spec, const std::string& argument) {
    LinedUp out;
    out.spec = spec;
    try {
        SceneDef scene = scene_with(study, spec, argument);
        require_device(scene);
        out.scene = std::move(scene);
    } catch (const InputError& error) {
        if (error.place().file.starts_with(argument + ' ')) throw;
        out.refusal = error;
    }
    return out;
}

LineUp all_tried(const StudyScene& study, const std::vector<SolverSpec>& solvers,
                 const std::optional<SolverSpec>& reference) {
    LineUp out;
    out.study = study;
    for (const SolverSpec& spec : solvers) out.solvers.push_back(tried(study, spec, "--solvers"));
    if (reference) out.reference = tried(on_the_cpu(study), *reference, "--reference");
    return out;
}

std::vector<const LinedUp*> everybody(const LineUp& line) {
    std::vector<const LinedUp*> out;
    for (const LinedUp& solver : line.solvers) out.push_back(&solver);
    if (line.reference) out.push_back(&*line.reference);
    return out;
}

std::ptrdiff_t n_running(const LineUp& line) {
    const auto all = everybody(line);
    return std::count_if(all.begin(), all.end(), [](const LinedUp* l) { return l->scene; });
}

bool method_is_asked_for(const StudyScene& study) {
    return std::any_of(study.load.sets.begin(), study.load.sets.end(),
                       [](const std::string& set) { return set.starts_with("contact.method="); });
}

/// The scene under the first solver that takes it, for what it says of contact.
std::optional<SceneDef> under_any_solver(const StudyScene& study) {
    for (const StepperEntry& entry : steppers()) {
        const std::string name(entry.options.name);
        try {
            return scene_with(study, {name, name, {}}, "");
        } catch (const InputError&) {
            continue;  // the next one may take it; where none does, the solvers' own errors count
        }
    }
    return std::nullopt;
}

/// --set arguments that turn the scene's contact into penalty forces: options that both have stay.
std::vector<std::string> penalty_instead(const AnyOptions& contact) {
    const Value has = find_case(contact_cases(), contact.name)->to_value(contact.value);
    const OptionCase& penalty = contact_for_every_solver().options;
    const Value takes = penalty.to_value(penalty.defaults());
    std::vector<std::string> sets = {"contact.method=\"" + std::string(penalty.name) + '"'};
    for (const Value::Key& key : takes.keys)
        if (const Value* value = has.find(key.name))
            sets.push_back("contact." + key.name + '=' + value_text(key.name, *value));
    if (!has.find("friction")) sets.emplace_back("contact.friction=0");
    return sets;
}

std::string names_of(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names)
        if (out.find('`' + name + '`') == std::string::npos)
            out += (out.empty() ? "`" : ", `") + name + '`';
    return out;
}

/// Penalty forces for all, where that lets more of them run.
void find_common_method(LineUp& line, const std::vector<SolverSpec>& solvers,
                        const std::optional<SolverSpec>& reference) {
    const auto before = everybody(line);
    if (n_running(line) == static_cast<std::ptrdiff_t>(before.size()) ||
        method_is_asked_for(line.study))
        return;
    const std::optional<SceneDef> scene = under_any_solver(line.study);
    if (!scene || contact_entry(scene->contact.options.name).everywhere) return;
    StudyScene study = line.study;
    for (std::string& set : penalty_instead(scene->contact.options))
        study.load.sets.push_back(std::move(set));
    LineUp other = all_tried(study, solvers, reference);
    if (n_running(other) <= n_running(line)) return;
    std::vector<std::string> gained;
    std::string why;
    const auto after = everybody(other);
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i]->scene || !after[i]->scene) continue;
        gained.push_back(before[i]->spec.text);
        if (why.empty()) why = before[i]->refusal->message();
    }
    const std::string& method = scene->contact.options.name;
    other.contact_note =
        "The scene's contact.method = \"" + method + "\" does not go with " + names_of(gained) +
        " (" + why + "). All solvers run with \"penalty\" instead; --set contact.method=" + method +
        " keeps it and leaves them out.";
    line = std::move(other);
}

/// contact.method = "auto" follows the solver as well.
void settle_method(LineUp& line, const std::vector<SolverSpec>& solvers,
                   const std::optional<SolverSpec>& reference) {
    const SceneDef* with_springs = nullptr;
    std::vector<std::string> springs;
    bool constraints = false;
    for (const LinedUp* one : everybody(line)) {
        if (!one->scene) continue;
        if (contact_entry(one->scene->contact.options.name).everywhere) {
            with_springs = &*one->scene;
            springs.push_back(one->spec.text);
        } else {
            constraints = true;
        }
    }
    if (!constraints || !with_springs) return;
    StudyScene study = line.study;
    for (std::string& set : penalty_instead(with_springs->contact.options))
        study.load.sets.push_back(std::move(set));
    std::string note = line.contact_note;
    if (can_touch(*with_springs))
        note = line.contact_note + (line.contact_note.empty() ? "" : " ") + names_of(springs) +
               " cannot have contact by constraints, so all solvers run with \"penalty\"; "
               "--set contact.method=lagrange leaves them out.";
    line = all_tried(study, solvers, reference);
    line.contact_note = note;
}

/// Automatic penalty forces follow the solver: here they are the same for all.
void settle_form(LineUp& line, const std::vector<SolverSpec>& solvers,
                 const std::optional<SolverSpec>& reference) {
    std::vector<std::string> wants_explicit, others;
    for (const LinedUp* one : everybody(line)) {
        if (!one->scene) continue;
        const AnyOptions& options = one->scene->contact.options;
        const ContactEntry& contact = contact_entry(options.name);
        if (!contact.follows_solver || !contact.follows_solver(options)) continue;
        (has_explicit_contact(*one->scene) ? wants_explicit : others).push_back(one->spec.text);
    }
    if (wants_explicit.empty() && others.empty()) return;
    StudyScene study = line.study;
    study.load.sets.push_back(std::string("contact.form=\"") +
                              (wants_explicit.empty() ? "implicit" : "explicit") + '"');
    std::string note = line.contact_note;
    if (!wants_explicit.empty())
        note += (note.empty() ? "" : " ") + std::string("Explicit contact forces alone go with ") +
                names_of(wants_explicit) +
                ", so all solvers and the reference get them; --set contact.form=implicit gives "
                "all of them implicit ones.";
    line = all_tried(study, solvers, reference);
    line.contact_note = note;
}

/// Nobody can run: with the place in the file where all have the same reason.
[[noreturn]] void refuse_all(const LineUp& line) {
    const InputError& first = *line.solvers.front().refusal;
    std::string all;
    bool same = true;
    for (const LinedUp& solver : line.solvers) {
        same = same && std::string(solver.refusal->what()) == first.what();
        all += (all.empty() ? "" : "; ") + solver.spec.text + ": " + solver.refusal->message();
    }
    if (same) throw first;
    throw InputError(SourcePlace{line.study.path}, "no solver of the list can run: " + all);
}

}  // namespace

std::vector<Setting> settings_of(const OptionCase& options, const AnyOptions& values) {
    const Value now = options.to_value(values.value),
                defaults = options.to_value(options.defaults());
    std::vector<Setting> out;
    for (std::size_t i = 0; i < now.keys.size(); ++i) {
        if (now.items[i].is(ValueKind::null)) continue;
        const std::string& key = now.keys[i].name;
        const Value* plain = defaults.find(key);
        const std::string text = value_text(key, now.items[i]);
        out.push_back({key, text, plain && value_text(key, *plain) == text});
    }
    return out;
}

const SceneDef& LineUp::first_scene() const {
    const auto first = std::find_if(solvers.begin(), solvers.end(),
                                    [](const LinedUp& solver) { return solver.scene; });
    LIMBER_CHECK(first != solvers.end(), "a comparison needs a solver that runs");
    return *first->scene;
}

LineUp line_up(const StudyScene& study, const std::vector<SolverSpec>& solvers,
               const std::optional<SolverSpec>& reference) {
    LIMBER_CHECK(!solvers.empty(), "a comparison needs solvers");
    LineUp line = all_tried(study, solvers, reference);
    find_common_method(line, solvers, reference);
    settle_method(line, solvers, reference);
    if (line.reference && line.reference->refusal) throw *line.reference->refusal;
    if (std::none_of(line.solvers.begin(), line.solvers.end(),
                     [](const LinedUp& solver) { return solver.scene; }))
        refuse_all(line);
    const SceneDef& scene = line.first_scene();
    if (scene.time.analysis == Analysis::modal)
        throw InputError(
            scene.time.origin.at("analysis"),
            "time.analysis = \"modal\": modes do not depend on the solver, there is "
            "nothing to compare; allowed: \"dynamic\", \"quasi_static\" or \"static\"");
    settle_form(line, solvers, reference);
    return line;
}

}  // namespace limber
