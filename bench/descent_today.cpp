// SPDX-License-Identifier: Apache-2.0
// The descent of Wang & Yang 2016 beside what users compare with today: vertex block descent (Chen
// et al. 2024), small steps of position based dynamics (Macklin et al. 2019), and Newton's method
// with conjugate gradients. One step of a swinging bar: error against time, as the budget of each
// method grows.

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/contact/methods/none.h"
#include "limber/core/cpu_time.h"
#include "limber/core/parallel.h"
#include "limber/mesh/shapes.h"
#include "limber/output/plot.h"
#include "limber/sim/world.h"
#include "limber/solve/descent.h"
#include "limber/solve/newton.h"
#include "limber/solve/vertex_block_descent.h"
#include "limber/solve/xpbd.h"
#include "limber/study/contestant.h"
#include "registry.h"

namespace limber::bench {

namespace {

Material rubber(double young) {
    Material material;
    material.name = "rubber";
    material.law = NeoHookean::from(Lame::from_young(young, 0.4));
    return material;
}

/// A bar along x, held at one end, with plates of a stiffer material where that is asked for.
Model bar(Index n, double young, double plates) {
    Model model = one_body("bar", make_box({1, 0.25, 0.25}, {4 * n, n, n}), rubber(young));
    model.materials.push_back(rubber(plates));
    for (Index t = 0; t < model.n_tets(); ++t) {
        double x = 0;
        for (Index node : model.mesh.tets[t]) x += model.mesh.nodes[node].x / 4;
        model.tet_material[t] = static_cast<int>(std::floor((x + 0.5) * 8)) % 2;
    }
    model.pins.push_back({"pin", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    model.h = 1.0 / 60;
    finish_model(model);
    return model;
}

template <class Solver>
std::unique_ptr<World> world_of(const Model& model, const typename Solver::Options& options) {
    auto own = std::make_unique<const Model>(model);
    auto stepper = std::make_unique<Solver>(*own, options);
    return std::make_unique<World>(std::move(own), std::move(stepper),
                                   std::make_unique<NoContact>(),
                                   WorldOptions{.measure_energy = false});
}

NewtonOptions converged() {
    NewtonOptions options;
    options.rel_tolerance = 1e-11;
    return options;
}

/// One budget of one method.
struct Run {
    int budget = 0;
    double ms = 0;      // of the step, thread time, least of a few
    double error = 0;   // |x − x*| / |x* − x_n|, x* the converged step of implicit Euler
    double motion = 0;  // the same against the motion itself, steps of a sixteenth
};
struct Method {
    std::string label, unit;
    std::vector<Run> runs;
    /// Least time with an error below a bound; infinite: never.
    double time_to(double bound, double Run::*error = &Run::error) const {
        double least = std::numeric_limits<double>::infinity();
        for (const Run& run : runs)
            if (run.*error <= bound) least = std::min(least, run.ms);
        return least;
    }
};

double distance(std::span<const Vec3d> a, std::span<const Vec3d> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += squared_norm(a[i] - b[i]);
    return std::sqrt(sum);
}

/// The step that everything is measured in.
struct Step {
    Model model;
    Snapshot from;
    std::vector<Vec3d> exact, motion;
};

Step make_step(const Model& model) {
    Step out{model, {}, {}, {}};
    const auto world = world_of<NewtonStepper>(model, converged());
    for (int k = 0; k < 12; ++k) world->step();
    out.from = snapshot_of(*world);
    world->step();
    out.exact = world->state().x;
    Model fine = model;
    fine.h = model.h / 16;
    fine.integrator = Integrator::trapezoid;
    const auto small = world_of<NewtonStepper>(fine, converged());
    small->state().x = out.from.state.x;
    small->state().v = out.from.state.v;
    for (int k = 0; k < 16; ++k) small->step();
    out.motion = small->state().x;
    return out;
}

template <class Solver, class Set>
Method measure(const Step& step, const std::string& label, const std::string& unit,
               const std::vector<int>& budgets, Set&& set) {
    Method out{label, unit, {}};
    for (int budget : budgets) {
        typename Solver::Options options;
        set(options, budget);
        const auto world = world_of<Solver>(step.model, options);
        Run run{budget, 1e300, 0, 0};
        for (int pass = 0; pass < 3; ++pass) {  // the first measures step lengths and the like
            restart(*world, step.from);
            const double start = thread_cpu_ms();
            world->step();
            if (pass > 0) run.ms = std::min(run.ms, thread_cpu_ms() - start);
        }
        const double moved = distance(step.exact, step.from.state.x);
        run.error = distance(world->state().x, step.exact) / moved;
        run.motion = distance(world->state().x, step.motion) / moved;
        out.runs.push_back(run);
    }
    return out;
}

std::vector<Method> measure_all(const Step& step) {
    std::vector<Method> out;
    const std::vector<int> iterations = {8, 16, 32, 64, 96, 192, 384, 768};
    out.push_back(measure<DescentStepper>(step, "descent, float", "iterations", iterations,
                                          [](DescentOptions& o, int n) { o.iterations = n; }));
    out.push_back(measure<DescentStepper>(step, "descent, double", "iterations", iterations,
                                          [](DescentOptions& o, int n) {
                                              o.iterations = n;
                                              o.precision = Precision::twofold;
                                          }));
    const std::vector<int> sweeps = {2, 5, 10, 20, 40, 80, 160};
    out.push_back(
        measure<VertexBlockStepper>(step, "vertex block descent", "sweeps", sweeps,
                                    [](VertexBlockOptions& o, int n) { o.iterations = n; }));
    out.push_back(measure<VertexBlockStepper>(step, "the same, rho = 0.999", "sweeps", sweeps,
                                              [](VertexBlockOptions& o, int n) {
                                                  o.iterations = n;
                                                  o.rho = 0.999;
                                              }));
    out.push_back(measure<XpbdStepper>(step, "xpbd", "sub-steps", {5, 10, 20, 40, 80, 160},
                                       [](XpbdOptions& o, int n) { o.substeps = n; }));
    out.push_back(measure<NewtonStepper>(step, "Newton, PCG", "Newton steps", {1, 2, 3, 5},
                                         [](NewtonOptions& o, int n) {
                                             o.max_iterations = n;
                                             o.linear.method = LinearMethod::pcg_block_jacobi;
                                             o.linear.rel_tolerance = 1e-3;
                                         }));
    out.push_back(measure<NewtonStepper>(step, "Newton, factor", "Newton steps", {1, 2, 3, 5},
                                         [](NewtonOptions& o, int n) { o.max_iterations = n; }));
    return out;
}

/// Who is first below some errors: 0 and 1 are descent, 2 and 3 vertex block descent, 4 xpbd.
void add_claims(const std::string& body, const std::vector<Method>& methods,
                std::vector<Claim>& claims) {
    const auto first = [&](std::initializer_list<std::size_t> who, double bound,
                           double Run::*error) {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t k : who) least = std::min(least, methods[k].time_to(bound, error));
        return least;
    };
    const auto add = [&](const std::string& what, double ours, double theirs) {
        claims.push_back({body + ": " + what, ours < theirs,
                          fmt::format("{} and {} ms", digits(ours), digits(theirs))});
    };
    for (const double bound : {0.05, 0.01}) {
        const double ours = first({0, 1}, bound, &Run::error);
        const std::string what = fmt::format("descent is below {:g} % before ", 100 * bound);
        add(what + "vertex block descent", ours, first({2, 3}, bound, &Run::error));
        add(what + "Newton with PCG", ours, first({5}, bound, &Run::error));
        add(what + "Newton with a factor", ours, first({6}, bound, &Run::error));
    }
    add("descent is within 10 % of the motion itself before xpbd", first({0, 1}, 0.1, &Run::motion),
        first({4}, 0.1, &Run::motion));
}

PlotPanel panel_of(const std::string& title, const std::vector<Method>& methods) {
    PlotPanel panel{title, "time of the step [ms]", "error", true, true, {}, {}, 1e-6, 2, {}};
    int number = 0;
    for (const Method& method : methods) {
        PlotCurve curve;
        curve.label = method.label;
        curve.style.number = number++;
        curve.marks = true;
        for (const Run& run : method.runs) {
            curve.x.push_back(run.ms);
            curve.y.push_back(std::max(run.error, 1e-7));
        }
        panel.curves.push_back(std::move(curve));
    }
    return panel;
}

}  // namespace

BenchResult descent_today(const BenchOptions& options) {
    const ThreadLimit one(1);  // thread time counts: others may use the machine meanwhile
    const Index n = options.pick(4, 10, 16);
    struct Body {
        const char* name;
        double young, plates;
    };
    const std::vector<Body> bodies = {
        {"soft", 1e5, 1e5}, {"stiff", 1e7, 1e7}, {"heterogeneous", 1e5, 1e7}};
    BenchResult out;
    Plot plot;
    plot.title = "One step, error against time";
    plot.note = "error = |x - x*| / |x* - x_n|, x* by Newton's method to 1e-11; one thread";
    plot.columns = 3;
    nlohmann::ordered_json json;
    for (const Body& body : bodies) {
        options.tell(body.name);
        const Step step = make_step(bar(n, body.young, body.plates));
        const std::vector<Method> methods = measure_all(step);
        MarkdownTable table({"method", "budget", "ms", "error", "error in time"});
        for (const Method& method : methods)
            for (const Run& run : method.runs) {
                table.add({method.label, fmt::format("{} {}", run.budget, method.unit),
                           digits(run.ms), digits(run.error), digits(run.motion)});
                json.push_back({{"body", body.name},
                                {"method", method.label},
                                {"budget", run.budget},
                                {"ms", run.ms},
                                {"error", run.error},
                                {"error_in_time", run.motion}});
            }
        out.markdown +=
            fmt::format("**{}**, {} tets, neo-Hookean, {:g} to {:g} Pa\n\n{}\n", body.name,
                        step.model.n_tets(), body.young, body.plates, table.text());
        plot.panels.push_back(panel_of(body.name, methods));
        add_claims(body.name, methods, out.claims);
    }
    out.markdown +=
        "`error` is against the converged step of implicit Euler, which xpbd does not solve: its "
        "own goes to the motion in time (`error in time`, against the trapezoidal rule in "
        "sixteenths of the step), where implicit Euler has an error of its own. Times are of one "
        "thread; a dash is never. Unlike the others xpbd takes one element at a time.\n";
    write_plot(options, "descent-today.svg", plot_svg(plot), out);
    out.json = nlohmann::ordered_json{{"runs", json}}.dump();
    return out;
}

}  // namespace limber::bench
