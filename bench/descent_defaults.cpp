// SPDX-License-Identifier: Apache-2.0
// `kind = "descent"` with every option at its default, in the cases where defaults once went wrong:
// one table, every line with what is right.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/distance.h"
#include "limber/core/parallel.h"
#include "limber/scene/build/model.h"
#include "limber/scene/format/document.h"
#include "limber/scene/scene.h"
#include "limber/study/contestant.h"
#include "limber/study/ruined.h"
#include "limber/study/step_errors.h"
#include "registry.h"

namespace limber::bench {

namespace {

struct Setting {
    std::string law = "mooney_rivlin", more;  // of the material
    std::string time = "step = 0.033333333333333333";
    std::string solver = "kind = \"descent\"";
    std::string body = "shape = \"beam\"\nsize = [1, 0.2, 0.2]\ncells = [8, 2, 2]\n";  // 192 tets
    std::string rest = "[[pin]]\nbody = \"bar\"\nselect = { side = \"x-\" }\n";
    std::string gravity = "gravity = [0, -9.81, 0]";
};

std::unique_ptr<World> world_of(const Setting& s) {
    const std::string text = "limber = 1\n" + s.gravity + "\n[time]\n" + s.time +
                             "\nsteps = 1\n[solver]\n" + s.solver +
                             "\n[material.rubber]\nkind = \"" + s.law + "\"\n" + s.more +
                             "\n[[body]]\nname = \"bar\"\nmaterial = \"rubber\"\n" + s.body +
                             s.rest + "[contact]\nmethod = \"none\"\n";
    const SceneDef scene = make_scene(parse_toml(text, "bench"), "bench");
    BuildReport report;
    return make_world(scene, build_model(scene, report));
}
Setting by_newton(Setting s) {
    s.solver = "kind = \"newton\"\nrel_tolerance = 1e-10";
    return s;
}
/// Mean error of a step in parts of its motion, every tenth of them, against Newton's.
double mean_error(const Setting& s, int steps) {
    return step_errors(*world_of(s), *world_of(by_newton(s)), steps, 10).mean;
}

/// Of the total energy over a run [J].
struct Energies {
    double first = 0, last = 0, rise = 0, kinetic = 0;
};
Energies energies(const Setting& s, int steps) {
    const auto world = world_of(s);
    Energies out;
    for (int k = 0; k < steps; ++k) {
        const StepReport r = world->step();
        const double now = r.kinetic + r.elastic + r.potential;
        if (k == 0) out.first = now;
        if (k > 0) out.rise = std::max(out.rise, now - out.last);
        out.last = now;
        out.kinetic = r.kinetic;
    }
    return out;
}

/// Cubes flattened, scrambled, mirrored or shrunk to a point, under two laws.
struct Returned {
    int n = 0, rest = 0, told = 0;
};
Returned ruins(int per_kind) {
    const ThreadLimit one(1);
    Returned out;
    for (const char* law : {"neo_hookean", "mooney_rivlin"})
        for (const Ruin kind : all_ruins)
            for (int seed = 0; seed < per_kind; ++seed) {
                Setting s;
                s.law = law;
                s.more =
                    "young = 1e5\npoisson = 0.35\ndensity = 1000\ninvertible = true\n"
                    "damping = { mass = 1 }";
                s.body = "shape = \"box\"\nsize = [1, 1, 1]\ncells = [3, 3, 3]\n";
                s.rest = "";
                s.gravity = "gravity = [0, 0, 0]";
                const auto world = world_of(s);
                ruin(kind, static_cast<unsigned>(seed), world->state().x);
                bool at_rest = false, told = false;
                for (int k = 0; k < 300 && !at_rest; ++k) {
                    const StepReport r = world->step();
                    told = told || r.has(StepFlag::stuck);
                    at_rest = r.elastic + r.kinetic < 1;
                }
                ++out.n;
                out.rest += at_rest;
                out.told += !at_rest && told;
            }
    return out;
}

}  // namespace

BenchResult descent_defaults(const BenchOptions& options) {
    BenchResult out;
    MarkdownTable table({"case", "reported of 0.1", "ours", "right", ""});
    nlohmann::ordered_json json;
    const auto row = [&](const std::string& name, const std::string& before,
                         const std::string& ours, const std::string& right, bool holds) {
        table.add({name, before, ours, right, holds ? "yes" : "NO"});
        out.claims.push_back({name + ": " + right, holds, ours});
        json.push_back({{"case", name}, {"before", before}, {"ours", ours}, {"holds", holds}});
    };

    options.tell("the bar");
    Setting bar;
    bar.more = "young = 1e5\npoisson = 0.35\ndensity = 1000";
    const double error = mean_error(bar, 100);
    row("bar of 192 tets, Mooney-Rivlin, h = 1/30: mean error of a step in parts of its motion",
        "0.41", digits(error), "below 1e-3", error < 1e-3);

    options.tell("the hanging bar");
    Setting hanging;
    hanging.law = "corotated";
    hanging.more = "young = 1e6\npoisson = 0.4\ndensity = 1000";
    hanging.body = "shape = \"box\"\nsize = [0.1, 1, 0.1]\ncells = [2, 20, 2]\n";
    hanging.rest = "[[pin]]\nbody = \"bar\"\nselect = { side = \"y+\" }\n";
    const Energies euler = energies(hanging, 150), euler_newton = energies(by_newton(hanging), 150);
    row("hanging bar, backward Euler, 150 steps: total energy at the end, and its largest rise [J]",
        "+223 from -2.7", fmt::format("{} (rise {})", digits(euler.last), digits(euler.rise)),
        fmt::format("Newton's, {}, within 1e-4; rises below 1e-9 of it", digits(euler_newton.last)),
        std::abs(euler.last - euler_newton.last) < 1e-4 * std::abs(euler_newton.last) &&
            euler.rise < 1e-9 * std::abs(euler_newton.last));
    hanging.time += "\nintegrator = \"trapezoid\"";
    const Energies trapezoid = energies(hanging, 150),
                   trapezoid_newton = energies(by_newton(hanging), 150);
    row("the same, trapezoid [J]", "2.8e12", digits(trapezoid.last),
        fmt::format("Newton's, {}, within 1 %", digits(trapezoid_newton.last)),
        std::abs(trapezoid.last - trapezoid_newton.last) < 0.01 * std::abs(trapezoid_newton.last));

    options.tell("bars pushed through themselves");
    for (const char* law : {"neo_hookean", "stvk", "fung"}) {
        Setting pushed;
        pushed.law = law;
        pushed.more = "young = 1e6\npoisson = 0.49\ndensity = 1000\ninvertible = true";
        pushed.body = "shape = \"beam\"\nsize = [1, 0.2, 0.2]\ncells = [10, 2, 2]\n";
        pushed.gravity = "gravity = [0, 0, 0]";
        pushed.rest +=
            "[[pin]]\nbody = \"bar\"\nselect = { side = \"x+\" }\n"
            "motion = { times = [0, 1], translate = [[0, 0, 0], [-1.5, 0, 0]] }\n";
        const Energies ours = energies(pushed, 120), newton = energies(by_newton(pushed), 120);
        row(fmt::format("bar pushed through itself, invertible, nu 0.49, {}: kinetic energy 3 s "
                        "after [J]",
                        law),
            std::string(law) == "neo_hookean" ? "1.4e29" : "", digits(ours.kinetic),
            fmt::format("calm, below 1e-3 (Newton {})", digits(newton.kinetic)),
            ours.kinetic < 1e-3);
    }

    options.tell("many iterations");
    Setting many = bar;
    many.law = "neo_hookean";
    std::vector<double> left;
    for (const int iterations : {512, 1024, 2048}) {
        many.solver = fmt::format("kind = \"descent\"\niterations = {}", iterations);
        left.push_back(mean_error(many, 30));
    }
    row("neo-Hookean bar: error left by 512, 1024 and 2048 iterations a step",
        "1.8e-2 by 2048, more by twice as many",
        fmt::format("{}, {}, {}", digits(left[0]), digits(left[1]), digits(left[2])),
        "below 3e-7, rounding of the energy", *std::max_element(left.begin(), left.end()) < 3e-7);

    options.tell("a moving pin alone");
    Setting pulled = many;
    pulled.gravity = "gravity = [0, 0, 0]";
    pulled.solver = "kind = \"descent\"\nrel_tolerance = 1e-6";
    pulled.rest =
        "[[pin]]\nbody = \"bar\"\nselect = { side = \"x-\" }\n"
        "motion = { times = [0, 1], translate = [[0, 0, 0], [0, 0.3, 0]] }\n";
    double worst = 0;
    for (const char* solver : {"kind = \"descent\"\nrel_tolerance = 1e-6",
                               "kind = \"vertex_block_descent\"\nrel_tolerance = 1e-6\n"
                               "iterations = 2000"}) {
        pulled.solver = solver;
        worst = std::max(worst, world_of(pulled)->step().solve.residual);
    }
    row("first step, driven by a moving pin alone: residual (descent, vertex block descent)",
        "1e288", digits(worst), "below 1e-6", worst < 1e-6);

    options.tell("far from the origin");
    std::vector<std::vector<Vec3d>> ends;
    for (const char* at : {"[0, 0, 0]", "[1000, 0, -1000]"}) {
        Setting far = many;
        far.time = "step = 0.001";
        far.solver = "kind = \"descent\"";
        far.body += fmt::format("translate = {}\n", at);
        const auto world = world_of(far);
        const Vec3d origin = world->state().x[0];
        for (int k = 0; k < 100; ++k) world->step();
        ends.push_back(world->state().x);
        for (Vec3d& x : ends.back()) x -= origin;
    }
    const auto rest = world_of(many)->state().x;
    std::vector<Vec3d> start = rest;
    for (Vec3d& x : start) x -= rest[0];
    const double drift = distance(ends[0], ends[1]) / distance(ends[0], start);
    row("1 km from the origin, h = 1/1000, 100 steps: difference from the same at the origin, in "
        "parts of the motion",
        "does not fall", digits(drift), "below 1e-5", drift < 1e-5);

    options.tell("ruined meshes");
    const Returned ruined = ruins(options.pick(3, 25, 100));
    row("ruined meshes that return, and others that are told of", "24 of 80; 33 of 56",
        fmt::format("{} of {}; {} of {}", ruined.rest, ruined.n, ruined.told,
                    ruined.n - ruined.rest),
        "99 of 100; all", ruined.rest >= 0.99 * ruined.n && ruined.told == ruined.n - ruined.rest);

    out.markdown = table.text();
    out.json = json.dump();
    return out;
}

}  // namespace limber::bench
