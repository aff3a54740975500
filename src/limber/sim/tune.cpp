// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/tune.h"
#include "limber/core/distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "limber/scene/format/document.h"
#include "limber/scene/registry.h"
#include "limber/sim/world.h"
#include "limber/solve/descent/descent.h"

namespace limber {

namespace {

constexpr int max_cycles = 12;            // of the tuner
constexpr int steps_to_check = 4;         // in parts of tune_steps, those chosen by included
constexpr Index largest_factor = 300000;  // [tets] whose minima are found by a factor
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

const DescentOptions* descent_of(const SceneDef& scene) {
    const AnyOptions& options = scene.solver.options;
    return stepper_entry(options.name).tunable ? &options.as<DescentOptions>() : nullptr;
}

/// Without the tuner; otherwise as the scene has it.
SceneDef untuned(const SceneDef& scene) {
    SceneDef out = scene;
    out.solver.options.as<DescentOptions>().tune = false;
    return out;
}
SceneDef with(const SceneDef& scene, const ChebyshevPhases& phases) {
    SceneDef out = untuned(scene);
    auto& options = out.solver.options.as<DescentOptions>();
    options.acceleration = AccelerationKind::chebyshev;
    options.rho = phases.rho;
    options.phases = phases.length;
    return out;
}

std::unique_ptr<World> world_of(const SceneDef& scene, const Model& model) {
    auto own = std::make_unique<const Model>(model);
    auto stepper = make_stepper(scene, *own);
    auto contact = make_contact(scene, *own);
    return std::make_unique<World>(std::move(own), std::move(stepper), std::move(contact),
                                   WorldOptions{.measure_energy = false});
}

/// A step of the pre-simulation.
struct Sample {
    State before;
    double least = 0;      // value of its objective at the minimum [J]
    std::vector<Vec3d> x;  // there, after contact
};

struct Values {
    double first = not_known, least = not_known, last = not_known;  // [J]
    bool failed = false;
};
/// Values of the objective in the next step.
Values step_with_values(World& world) {
    Values out;
    world.stepper().watch([&](const Iterate& at) {
        if (at.number == 0) out = {at.value, at.value, at.value, false};
        out.last = at.value;
        out.least = std::fmin(out.least, at.value);
    });
    out.failed = world.step().failed;
    world.stepper().watch({});
    return out;
}

/// The run that all trials follow: every step to its minimum by Newton's method.
std::vector<Sample> pre_simulate(const SceneDef& scene, const Model& model, int steps) {
    SceneDef exact = untuned(scene);
    auto& options = exact.solver.options.as<DescentOptions>();
    options.acceleration = AccelerationKind::none;
    options.step_length = StepLengthKind::line_search;
    options.direction =
        model.n_tets() > largest_factor ? DirectionKind::newton_cg : DirectionKind::newton;
    options.precision = Precision::twofold;
    options.iterations = options.direction == DirectionKind::newton ? 60 : 5000;
    options.rel_tolerance = 1e-9;
    options.check_every = 1;
    const auto world = world_of(exact, model);
    std::vector<Sample> out;
    for (int k = 0; k < steps; ++k) {
        Sample sample{world->state(), 0, {}};
        const Values values = step_with_values(*world);
        if (values.failed || !std::isfinite(values.least)) break;
        sample.least = values.least;
        sample.x = world->state().x;
        out.push_back(std::move(sample));
    }
    return out;
}

/// Means over some steps.
struct Errors {
    double energy = 0;  // (ε − ε*) / (ε_0 − ε*), what the tuner makes small
    double motion = 0;  // |x − x*| / |x* − x_n|
    int count = 0;
    void add(double e, double m) {
        energy = (energy * count + e) / (count + 1);
        motion = (motion * count + m) / (count + 1);
        ++count;
    }
    bool below(const Errors& other) const {
        return count > 0 && energy < other.energy && motion < other.motion;
    }
};
/// What a trial leaves in the steps of the pre-simulation: each is entered with the positions and
/// velocities of that, and with what the trial remembers of its own steps before.
struct TrialErrors {
    Errors chosen, later;  // in the steps of the tuner without the first third, and in those after
    double value() const { return chosen.count > 0 ? chosen.energy : not_known; }
    bool below(const TrialErrors& other) const {
        return chosen.below(other.chosen) && later.below(other.later);
    }
};
TrialErrors errors_of(const SceneDef& scene, const Model& model, std::span<const Sample> samples,
                      std::size_t n_chosen) {
    SceneDef trial = scene;
    trial.solver.options.as<DescentOptions>().precision = Precision::twofold;
    const auto world = world_of(trial, model);
    TrialErrors out;
    // The first third only shows how long steps may be.
    for (std::size_t k = 0; k < samples.size(); ++k) {
        const Sample& sample = samples[k];
        world->state() = sample.before;
        const Values values = step_with_values(*world);
        if (values.failed || !std::isfinite(values.last)) return {};
        const double fall = values.first - sample.least;
        if (3 * k + 2 < n_chosen || !(fall > 0)) continue;
        Errors& errors = k < n_chosen ? out.chosen : out.later;
        errors.add((values.last - sample.least) / fall,
                   distance(world->state().x, sample.x) / distance(sample.x, sample.before.x));
    }
    return out;
}

/// What the tuner found, against the scene as it is.
struct Finding {
    ChebyshevPhases phases;  // empty: nothing better than the scene's own
    TrialErrors before, after;
    int trials = 0, cycles = 0;
    bool improved() const { return !phases.rho.empty(); }
};

/// Never worse than what the scene has: the phases must leave less of the energy and of the way,
/// in the steps they were chosen by and in those after them.
Finding find_phases(const SceneDef& scene, const Model& model, const DescentOptions& options) {
    // Momentum grows careful and bold again over many steps: what a few show need not last.
    const std::vector<Sample> samples =
        pre_simulate(scene, model, steps_to_check * options.tune_steps);
    const std::size_t n = std::min<std::size_t>(options.tune_steps, samples.size());
    const std::span<const Sample> chosen(samples.data(), n);
    Finding out;
    out.before = errors_of(untuned(scene), model, samples, n);
    out.trials = 1;
    if (!std::isfinite(out.before.value())) return out;
    const int phases = std::min(options.tune_phases, std::max(1, options.iterations / 8));
    ChebyshevPhases start{
        std::vector<double>(phases, options.rho.empty() ? 0.9998 : options.rho[0]),
        std::vector<int>(phases, options.iterations / phases)};
    start.length.back() += options.iterations % phases;
    TuneOptions tuning;
    tuning.max_cycles = max_cycles;
    const TuneResult result = tune_chebyshev(
        start,
        [&](const ChebyshevPhases& trial) {
            return errors_of(with(scene, trial), model, chosen, n).value();
        },
        tuning);
    out.after = errors_of(with(scene, result.phases), model, samples, n);
    out.trials += result.trials + 1;
    out.cycles = result.cycles;
    if (out.after.below(out.before)) out.phases = result.phases;
    return out;
}

std::string text_of(const Finding& found, std::uint64_t hash, int steps) {
    std::string text = fmt::format(
        "# Phases of Chebyshev's method by a pre-simulation of {} steps; without this file it runs "
        "again.\nscene = \"{:016x}\"\nimproved = {}\nrho = [{}]\nphases = [{}]\n",
        steps, hash, found.improved(), fmt::join(found.phases.rho, ", "),
        fmt::join(found.phases.length, ", "));
    return text + fmt::format(
                      "# {} trials in {} cycles: error {:.3g}, {:.3g} as the scene is; in "
                      "steps it was not chosen by {:.3g}, {:.3g}\n",
                      found.trials, found.cycles, found.after.value(), found.before.value(),
                      found.after.later.energy, found.before.later.energy);
}

/// The phases in a text of this scene, none where nothing was found. False: it belongs to another
/// one, or is none.
bool read(const std::string& text, std::uint64_t hash, ChebyshevPhases& phases) {
    try {
        const Value file = parse_toml(text, "tuned.toml");
        const Value *of = file.find("scene"), *rho = file.find("rho"),
                    *length = file.find("phases"), *better = file.find("improved");
        if (!of || !rho || !length || !better || of->text != fmt::format("{:016x}", hash))
            return false;
        for (const Value& r : rho->items) {
            if (!r.is_number() || !(r.as_double() > 0 && r.as_double() < 1)) return false;
            phases.rho.push_back(r.as_double());
        }
        for (const Value& n : length->items) {
            if (!n.is(ValueKind::integer) || n.integer < 1) return false;
            phases.length.push_back(static_cast<int>(n.integer));
        }
        return better->boolean == !phases.rho.empty() && phases.rho.size() == phases.length.size();
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

bool wants_tuning(const SceneDef& scene) {
    const DescentOptions* options = descent_of(scene);
    return options && options->tune && scene.time.analysis != Analysis::modal;
}

TunedScene tuned(const SceneDef& scene, const Model& model, const std::string& cached) {
    const std::uint64_t hash = scene_hash(scene);
    const DescentOptions& options = *descent_of(scene);
    TunedScene out;
    ChebyshevPhases phases;
    if (read(cached, hash, phases)) {
        out.text = cached;
        out.note = "phases from tuned.toml";
    } else {
        const Finding found = find_phases(scene, model, options);
        out.text = text_of(found, hash, options.tune_steps);
        // By way of the text, so that a run that finds it there has the same bits.
        phases = {};
        read(out.text, hash, phases);
        out.note = found.improved()
                       ? fmt::format("tuned in {} trials, error {:.3g} ({:.3g} before)",
                                     found.trials, found.after.value(), found.before.value())
                       : fmt::format("the tuner found nothing better than rho = {:g} in {} trials",
                                     options.rho.empty() ? 0.0 : options.rho[0], found.trials);
    }
    out.improved = !phases.rho.empty();
    out.scene = out.improved ? with(scene, phases) : untuned(scene);
    return out;
}

}  // namespace limber
