// SPDX-License-Identifier: Apache-2.0
// What users of penalty contact complain of, in figures: slopes, stacks that walk, gaps that open,
// friction that drives. The tests hold the same at small sizes.

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "contact_run.h"
#include "limber/contact/contact_read_back.h"
#include "zeng2022.h"

namespace limber::bench {

namespace {

std::unique_ptr<World> world_of(const std::string& text) {
    return world_of_text(text, "contact-accuracy");
}

std::string head(double h, const Vec3d& gravity, const std::string& contact) {
    return fmt::format(
        "limber = 1\ngravity = [{}, {}, {}]\n[time]\nstep = {}\nend = 1000\n[solver]\nkind = "
        "\"cholesky\"\n[[obstacle]]\nshape = \"plane\"\n[contact]\nmethod = \"lagrange\"\n{}\n",
        gravity.x, gravity.y, gravity.z, h, contact);
}

std::string box(const std::string& name, const Vec3d& size, const std::string& cells, double y,
                double young, double density, double damping = 1) {
    return fmt::format(
        "[material.{0}]\nyoung = {6}\npoisson = 0.3\ndensity = {7}\ndamping = {{ mass = {8}, "
        "stiffness = 0.005 }}\n[[body]]\nname = \"{0}\"\nmaterial = \"{0}\"\nshape = "
        "\"box\"\nsize = [{1}, {2}, {3}]\ncells = {4}\ntranslate = [0, {5}, 0]\n",
        name, size.x, size.y, size.z, cells, y, young, density, damping);
}

Vec3d centre_of(const World& world, const Body& body) {
    Vec3d sum{};
    double mass = 0;
    for (Index i = body.node_begin; i < body.node_end; ++i) {
        sum += world.model().mass[i] * world.state().x[i];
        mass += world.model().mass[i];
    }
    return (1 / mass) * sum;
}

/// The worst over a run.
struct Worst {
    double gap = 0, penetration = 0, work = 0;  // [m], [m], [W]
    int capped = 0, steps = 0;

    void add(const World& world, const StepReport& r) {
        ++steps;
        capped += r.has(StepFlag::contact_cap);
        gap = std::min(gap, r.constraints.smallest_gap);
        penetration = std::max(penetration, r.max_penetration);
        for (const Contact& c : world.contacts().contacts) {
            const Vec3d u = c.at.gather(world.state().v) - c.surface_velocity;
            work = std::max(work, dot(friction_force(c), u - dot(c.normal, u) * c.normal));
        }
    }
};

/// A block on a slope of 30 degrees at three scales: acceleration against g (sin - mu cos).
void slopes(const BenchOptions& options, BenchResult& result, nlohmann::json& json) {
    const double angle = std::numbers::pi / 6, t = std::tan(angle);
    MarkdownTable table({"size m", "mu / tan", "acceleration", "formula", "error",
                         "smallest gap / size", "friction work W"});
    double worst = 0, creep = 0;
    for (const double L : {1e-3, 1.0, 100.0})
        for (const double mu : {0.0, 0.8 * t, 0.98 * t, 1.02 * t}) {
            options.tell(fmt::format("slope, {} m, mu {}", L, digits(mu)));
            const double h = 0.01 * std::max(1.0, std::sqrt(L));
            const auto world = world_of(
                head(h, {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0},
                     fmt::format("friction = {}\ntolerance = 1e-9", mu)) +
                box("block", {0.4 * L, 0.2 * L, 0.4 * L}, "[4, 2, 4]", 0.1 * L, 1e7 * L, 1000, 0));
            Worst w;
            std::vector<double> x;
            for (int k = 0; k < 140; ++k) {
                w.add(*world, world->step());
                x.push_back(centre_of(*world, world->model().bodies[0]).x);
            }
            // v(140) - v(100) over 40 steps, by differences of positions.
            const double a = ((x[139] - x[138]) - (x[99] - x[98])) / (40 * h * h);
            const double expected = std::max(0.0, 9.81 * (std::sin(angle) - mu * std::cos(angle)));
            const double error = expected > 0 ? std::abs(a / expected - 1) : 0;
            if (expected > 0) worst = std::max(worst, error);
            if (expected == 0) creep = std::max(creep, std::abs(x[139] - x[99]) / L);
            table.add({digits(L), digits(mu / t), digits(a), digits(expected), digits(error),
                       digits(w.gap / L), digits(w.work)});
            json["slopes"].push_back({{"size", L}, {"mu", mu}, {"a", a}, {"formula", expected}});
        }
    result.markdown += "Blocks on a slope of 30 degrees\n\n" + table.text() + '\n';
    result.claims.push_back({"blocks slide with g (sin - mu cos) within 1 % at 1 mm, 1 m and 100 m",
                             worst < 0.01, fmt::format("{} % at most", digits(100 * worst))});
    result.claims.push_back({"blocks below the friction angle do not creep", creep < 1e-6,
                             fmt::format("{} of their size in 40 steps", digits(creep))});
}

void stacks(const BenchOptions& options, BenchResult& result, nlohmann::json& json) {
    const int steps = options.pick(500, 2000, 10000);
    MarkdownTable table({"stack", "steps", "walk m", "deepest m", "capped", "friction work W"});
    const auto run = [&](const std::string& name, const std::string& text) {
        options.tell(name);
        const auto world = world_of(text);
        Worst w;
        std::vector<Vec3d> before;
        double walk = 0;
        for (int k = 0; k < steps; ++k) {
            w.add(*world, world->step());
            if (k == 300)
                for (const Body& b : world->model().bodies) before.push_back(centre_of(*world, b));
        }
        for (std::size_t b = 0; b < before.size(); ++b) {
            Vec3d d = centre_of(*world, world->model().bodies[b]) - before[b];
            d.y = 0;
            walk = std::max(walk, norm(d));
        }
        table.add({name, std::to_string(steps), digits(walk), digits(w.penetration),
                   std::to_string(w.capped), digits(w.work)});
        json["stacks"].push_back({{"stack", name}, {"walk", walk}, {"deepest", w.penetration}});
        result.claims.push_back({name + ": stands without walking", walk < 1e-5,
                                 fmt::format("{} m sideways in {} steps", digits(walk), steps)});
    };
    std::string heavy = head(0.01, {0, -9.81, 0}, "friction = 0.5");
    for (int i = 0; i < 10; ++i)
        heavy += box("box" + std::to_string(i), {0.2, 0.2, 0.2}, "[1, 1, 1]", 0.1 + 0.2 * i, 2e8,
                     100 * std::pow(256.0, i / 9.0));
    run("ten boxes, 256 : 1, heaviest on top", heavy);
    std::string pads = head(0.01, {0, -9.81, 0}, "friction = 0.5");
    for (int i = 0; i < 5; ++i)
        pads += box("pad" + std::to_string(i), {0.3, 0.06, 0.3}, "[3, 1, 3]", 0.03 + 0.06 * i,
                    i % 2 ? 1e6 : 1e5, 1000);
    run("five pads, ten times stiffer in turn", pads);
    result.markdown += "Stacks\n\n" + table.text() + '\n';
}

/// Tangent planes cut the corners of hollow obstacles by (v h)² / 2R.
void hollows(const BenchOptions& options, BenchResult& result, nlohmann::json& json) {
    MarkdownTable table({"h s", "relinearise", "deepest m"});
    std::vector<double> h_of, depth;
    double after = 0;
    for (const int passes : {0, 3})
        for (const double h : {0.02, 0.01, 0.005}) {
            options.tell(fmt::format("ring, h {}", h));
            const auto world = world_of(
                fmt::format("limber = 1\ngravity = [0, 0, 0]\n[time]\nstep = {}\nend = "
                            "10\n[solver]\nkind = \"cholesky\"\n[[obstacle]]\nshape = "
                            "\"torus\"\nradius = 1\ntube = 0.25\n[contact]\nmethod = "
                            "\"lagrange\"\nfriction = 0\nrelinearise = {}\n[[body]]\nname = "
                            "\"block\"\nshape = \"box\"\nsize = [0.1, 0.05, 0.1]\ncells = [2, 1, "
                            "2]\ntranslate = [0.65, 0, 0]\nvelocity = [0, 0, 2]\n",
                            h, passes));
            double deepest = 0;
            for (int k = 0; k < 0.8 / h; ++k)
                deepest = std::max(deepest, world->step().max_penetration);
            table.add({digits(h), std::to_string(passes), digits(deepest)});
            json["hollow"].push_back({{"h", h}, {"passes", passes}, {"deepest", deepest}});
            if (passes == 0) {
                h_of.push_back(h);
                depth.push_back(deepest);
            } else {
                after = std::max(after, deepest / depth[0]);
            }
        }
    result.markdown += "A block along the inner wall of a ring of 0.75 m\n\n" + table.text() + '\n';
    const double order = exponent(h_of, depth);
    result.claims.push_back({"the true gap of hollow obstacles is of second order in h",
                             order > 1.5, "order " + digits(order)});
    result.claims.push_back({"three more passes close it", after < 0.02,
                             fmt::format("to {} of the largest", digits(after))});
}

}  // namespace

BenchResult contact_accuracy(const BenchOptions& options) {
    BenchResult result;
    nlohmann::json json;
    slopes(options, result, json);
    stacks(options, result, json);
    hollows(options, result, json);
    result.json = json.dump(2);
    return result;
}

}  // namespace limber::bench
