// SPDX-License-Identifier: Apache-2.0
#include "step_race.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "limber/core/cpu_time.h"
#include "limber/core/distance.h"
#include "limber/fem/elements/tet_potential.h"
#include "limber/scene/build/model.h"
#include "limber/scene/registry.h"
#include "limber/solve/descent/options.h"
#include "limber/solve/objective.h"

namespace limber::bench {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
// Beyond it the factor of a body takes more than half of 24 GiB.
constexpr Index largest_factor = 400000;  // [tets]

SolverSpec spec_of(const std::string& text) {
    return parse_solvers(text, "bench")[0];
}

std::string with_budget(const RaceMethod& method, int budget) {
    const char join = method.solver.find(':') == std::string::npos ? ':' : ',';
    return method.solver + join + method.budget_name + '=' + std::to_string(budget);
}

}  // namespace

RaceScene load_race(const BenchOptions& options, const std::string& file,
                    std::vector<std::string> sets) {
    RaceScene out;
    sets.emplace_back("output.formats=[]");
    out.study = {options.scenes + '/' + file + ".toml", {std::move(sets), false}};
    BuildReport report;
    const SceneDef def = scene_with(out.study, spec_of("descent"), "bench");
    out.model = build_model(def, report);
    // Contact that is chosen by itself differs from solver to solver, and what one method remembers
    // is no other's. Where there is nothing to touch, none.
    if (def.obstacles.empty() && def.bodies.size() == 1)
        out.study.load.sets.emplace_back("contact={method=\"none\"}");
    return out;
}

std::unique_ptr<World> world_of(const RaceScene& scene, const std::string& solver) {
    const SceneDef def = scene_with(scene.study, spec_of(solver), "bench");
    auto own = std::make_unique<const Model>(scene.model);
    auto stepper = make_stepper(def, *own);
    auto contact = make_contact(def, *own);
    return std::make_unique<World>(std::move(own), std::move(stepper), std::move(contact),
                                   WorldOptions{.measure_energy = false});
}

StepCost timed_step(World& world) {
    StepCost out;
    const double before = process_cpu_ms();
    out.report = world.step();
    out.cpu = process_cpu_ms() - before;
    out.wall = solve_ms(out.report);
    return out;
}

void place(World& world, const State& state) {
    Snapshot here = snapshot_of(world);
    here.state = state;
    restart(world, here);
}

RaceRun run_to(const BenchOptions& options, const RaceScene& scene, int first, int count,
               int stride, int lead_in) {
    RaceRun out;
    const auto world = world_of(
        scene, "descent:direction=newton_cg,precision=double,rel_tolerance=1e-4,iterations=2000");
    const int last = first + (count - 1) * stride;
    for (int step = 1; step <= last; ++step) {
        if (step % 10 == 1) options.tell(fmt::format("step {} of the run", step));
        if (step >= first - lead_in) out.states.push_back(world->state());
        if (step >= first && (step - first) % stride == 0)
            out.measured.push_back(out.states.size() - 1);
        world->step();
    }
    return out;
}

std::string minimiser_of(const Model& model) {
    return model.n_tets() > largest_factor
               ? "descent:direction=newton_cg,precision=double,rel_tolerance=1e-9,iterations=20000"
               : "newton:rel_tolerance=1e-10,max_iterations=60";
}

std::vector<RaceStep> find_minima(const BenchOptions& options, const RaceScene& scene,
                                  const RaceRun& run) {
    std::vector<RaceStep> out;
    const auto world = world_of(scene, minimiser_of(scene.model));
    ValueMeter meter(scene);
    const double eta = DescentOptions{}.eta, h = scene.model.h;
    for (std::size_t place_of : run.measured) {
        RaceStep step;
        step.number = run.number_of(place_of);
        options.tell(fmt::format("the minimum of step {}", step.number));
        step.before = run.states[place_of];
        place(*world, step.before);
        const StepReport report = world->step();
        step.residual = report.failed ? infinite : report.solve.residual;
        step.exact = world->state().x;
        step.moved = distance(step.exact, step.before.x);
        std::vector<Vec3d> guess = step.before.x;
        const std::vector<Vec3d>& earlier = run.states[place_of > 0 ? place_of - 1 : place_of].v;
        for (std::size_t i = 0; i < guess.size(); ++i) {
            const Vec3d& v = step.before.v[i];
            guess[i] += h * v + (eta * h) * (v - earlier[i]);
        }
        const std::vector<double> value =
            meter.values(step.before, step.exact, {step.exact, guess, step.before.x});
        step.least = value[0];
        step.first = std::isfinite(value[1]) ? value[1] : value[2];
        step.converted = meter.converted();
        out.push_back(std::move(step));
    }
    return out;
}

/// A solver that moves nothing and looks at the objective of its step.
struct ValueMeter::Probe final : Stepper {
    explicit Probe(const Model& model) : objective(model) {}
    std::string_view name() const override { return "value_meter"; }
    void free_motion(const StepInput& in, State& state, NodeForces&, StepReport&) override {
        objective.begin(in, state);
        objective.hold(exact);
        values.clear();
        for (const std::vector<Vec3d>& at : *x) {
            copy = at;
            objective.prescribe(copy);
            values.push_back(objective.value(copy));
        }
    }
    void integrate(const StepInput&, State&) const override {}

    Objective<double> objective;
    std::span<const Vec3d> exact;
    const std::vector<std::vector<Vec3d>>* x = nullptr;
    std::vector<Vec3d> copy;
    std::vector<double> values;
};

ValueMeter::ValueMeter(const RaceScene& scene) {
    const SceneDef def = scene_with(scene.study, spec_of("newton"), "bench");
    auto own = std::make_unique<const Model>(scene.model);
    auto probe = std::make_unique<Probe>(*own);
    probe_ = probe.get();
    auto contact = make_contact(def, *own);
    world_ = std::make_unique<World>(std::move(own), std::move(probe), std::move(contact),
                                     WorldOptions{.measure_energy = false});
}
ValueMeter::~ValueMeter() = default;

std::vector<double> ValueMeter::values(const State& before, std::span<const Vec3d> exact,
                                       const std::vector<std::vector<Vec3d>>& x) {
    place(*world_, before);
    probe_->exact = exact;
    probe_->x = &x;
    world_->step();
    return probe_->values;
}

int ValueMeter::converted() const {
    int n = 0;
    for (const auto& part : probe_->objective.potentials())
        if (const auto* tets = dynamic_cast<const TetPotential<double>*>(part.get()))
            for (double l : tets->interpolants()) n += l > 0;
    return n;
}

std::vector<Snapshot> histories(const RaceScene& scene, const RaceRun& run,
                                const std::string& solver, std::size_t last) {
    std::vector<Snapshot> out;
    const auto world = world_of(scene, solver);
    std::size_t k = 0;
    for (std::size_t until : run.measured) {
        if (until > last) k = std::max(k, until - last);
        for (; k < until; ++k) {
            place(*world, run.states[k]);
            world->step();
        }
        out.push_back(snapshot_of(*world));
        out.back().state = run.states[until];
    }
    return out;
}

std::vector<RaceResult> race(const BenchOptions& options, const RaceScene& scene,
                             const RaceRun& run, const std::vector<RaceStep>& steps,
                             const RaceMethod& method, const std::vector<double>& until) {
    options.tell(method.label);
    const std::vector<Snapshot> from = histories(scene, run, method.solver, method.history);
    const int passes = scene.model.n_tets() > 200000 ? 2 : 3;
    ValueMeter meter(scene);
    std::vector<RaceResult> out;
    int too_long = 0;
    for (int budget : method.budgets) {
        options.tell(fmt::format("{}, {} {}", method.label, method.budget_name, budget));
        const auto world = world_of(scene, with_budget(method, budget));
        RaceResult result{budget, {}, {}, {}, {}};
        bool fits = until.empty();
        for (std::size_t k = 0; k < steps.size(); ++k) {
            double ms = infinite, wall = infinite;
            for (int pass = 0; pass < passes; ++pass) {
                restart(*world, from[k]);
                const StepCost cost = timed_step(*world);
                ms = std::min(ms, cost.cpu);
                wall = std::min(wall, cost.wall);
            }
            const RaceStep& step = steps[k];
            const double value = meter.values(step.before, step.exact, {world->state().x})[0];
            result.ms.push_back(ms);
            result.wall_ms.push_back(wall);
            result.error.push_back(std::max(value - step.least, 0.0) / (step.first - step.least));
            result.distance.push_back(distance(world->state().x, step.exact) / step.moved);
            if (!until.empty() && ms <= until[k]) fits = true;
        }
        out.push_back(std::move(result));
        too_long += !fits;
        if (too_long > 1) break;
    }
    return out;
}

std::vector<double> errors_within(const std::vector<RaceResult>& results,
                                  const std::vector<double>& ms,
                                  std::vector<double> RaceResult::*what) {
    std::vector<double> out(ms.size(), infinite);
    for (const RaceResult& result : results)
        for (std::size_t k = 0; k < ms.size(); ++k)
            if (result.ms[k] <= ms[k]) out[k] = std::min(out[k], (result.*what)[k]);
    return out;
}

double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
double worst_of(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}

}  // namespace limber::bench
