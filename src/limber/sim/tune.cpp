// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "limber/scene/document.h"
#include "limber/scene/registry.h"
#include "limber/sim/world.h"
#include "limber/solve/descent.h"

namespace limber {

namespace {

constexpr int n_samples = 3;        // steps whose errors count
constexpr int to_convergence = 16;  // times the iterations: what stands for the minimum
constexpr int max_cycles = 12;      // of the tuner

const DescentOptions* descent_of(const SceneDef& scene) {
    const std::string& name = scene.solver.options.name;
    const bool descends = name == "descent" || name == "projective_dynamics";
    return descends ? &scene.solver.options.as<DescentOptions>() : nullptr;
}

SceneDef with(const SceneDef& scene, const ChebyshevPhases& phases) {
    SceneDef out = scene;
    auto& options = out.solver.options.as<DescentOptions>();
    options.tune = false;
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

/// A step that candidates are compared in.
struct Sample {
    std::vector<std::byte> record;  // of the world before it
    double first = 0, least = 0;    // values of its objective [J]
};

/// First and last value of the objective in the step after `sample`.
std::array<double, 2> values_of(World& world, const Sample& sample) {
    std::array<double, 2> out{std::numeric_limits<double>::quiet_NaN(), 0};
    ByteReader reader(sample.record, "a state of the pre-simulation");
    world.load(reader);
    auto& stepper = dynamic_cast<DescentStepper&>(world.stepper());
    stepper.watch([&](int k, double value) { out[k == 0 ? 0 : 1] = value; });
    const StepReport report = world.step();
    stepper.watch({});
    if (report.failed) out[1] = std::numeric_limits<double>::quiet_NaN();
    return out;
}

/// The pre-simulation, and the minima of the steps that count.
std::vector<Sample> pre_simulate(const SceneDef& scene, const Model& model, int steps) {
    std::vector<Sample> out;
    const auto world = world_of(scene, model);
    for (int k = 0; k < steps; ++k) {
        // The last of each third.
        const int third = (k + 1) * n_samples / steps;
        if (third > k * n_samples / steps) {
            ByteWriter record;
            world->save(record);
            out.push_back({record.bytes()});
        }
        if (world->step().failed) break;
    }
    SceneDef long_run = scene;
    auto& options = long_run.solver.options.as<DescentOptions>();
    options.iterations *= to_convergence;
    const auto converged = world_of(long_run, model);
    for (Sample& sample : out) {
        const auto [first, last] = values_of(*converged, sample);
        sample.first = first;
        sample.least = last;
    }
    std::erase_if(out, [](const Sample& s) { return !(s.first > s.least); });
    return out;
}

std::string text_of(const TuneResult& result, std::uint64_t hash, int steps) {
    return fmt::format(
        "# Phases of Chebyshev's method by a pre-simulation of {} steps; without this file it runs "
        "again.\nscene = \"{:016x}\"\nimproved = {}\nrho = [{}]\nphases = [{}]\n"
        "# {} trials in {} cycles: error {:.3g}, {:.3g} before\n",
        steps, hash, result.improved(), fmt::join(result.phases.rho, ", "),
        fmt::join(result.phases.length, ", "), result.trials, result.cycles, result.error,
        result.first_error);
}

/// The phases in a text of this scene. False: it belongs to another one, or is none.
bool read(const std::string& text, std::uint64_t hash, ChebyshevPhases& phases, bool& improved) {
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
        improved = better->boolean;
        return !phases.rho.empty() && phases.rho.size() == phases.length.size();
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
    if (read(cached, hash, phases, out.improved)) {
        out.text = cached;
        out.note = "phases from tuned.toml";
    } else {
        const int n = std::min(options.tune_phases, std::max(1, options.iterations / 8));
        const double rho = options.rho.empty() ? 0.9998 : options.rho[0];
        ChebyshevPhases start{std::vector<double>(n, rho),
                              std::vector<int>(n, options.iterations / n)};
        start.length.back() += options.iterations % n;
        const std::vector<Sample> samples =
            pre_simulate(with(scene, start), model, options.tune_steps);
        TuneOptions tuning;
        tuning.max_cycles = samples.empty() ? 0 : max_cycles;
        const TuneResult result = tune_chebyshev(
            start,
            [&](const ChebyshevPhases& trial) {
                const auto world = world_of(with(scene, trial), model);
                double sum = 0;
                for (const Sample& s : samples)
                    sum += (values_of(*world, s)[1] - s.least) / (s.first - s.least);
                return samples.empty() ? 1.0 : sum / static_cast<double>(samples.size());
            },
            tuning);
        out.text = text_of(result, hash, options.tune_steps);
        // By way of the text, so that a run that finds it there has the same bits.
        phases = {};
        read(out.text, hash, phases, out.improved);
        out.note = out.improved ? fmt::format("tuned in {} trials, error {:.3g} ({:.3g} before)",
                                              result.trials, result.error, result.first_error)
                                : fmt::format(
                                      "the tuner found nothing better than rho = {:g} in "
                                      "{} trials",
                                      rho, result.trials);
    }
    out.scene = with(scene, phases);
    return out;
}

}  // namespace limber
