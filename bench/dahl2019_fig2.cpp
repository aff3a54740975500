// SPDX-License-Identifier: Apache-2.0
// Dahl & Bargteil 2019, Fig. 2: the same frame of the bowling scene with 10 conjugate gradient
// iterations from the guesses 0, v(t) and v(t) + h M⁻¹ f, from the top; the converged run below.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dahl2019.h"
#include "limber/render/picture.h"

namespace limber::bench {

namespace {

constexpr int width = 960, height = 420;  // of one picture [px]

Picture picture_of(const Model& model, std::span<const Vec3d> x, const PictureCamera& camera) {
    Picture picture;
    picture.width = width;
    picture.height = height;
    picture.up_axis = model.up_axis;
    picture.camera = camera;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        PictureBody drawn;
        drawn.points.assign(x.begin() + body.node_begin, x.begin() + body.node_end);
        for (Triangle triangle : body.surface) {
            for (Index& node : triangle) node -= body.node_begin;
            drawn.triangles.push_back(triangle);
        }
        drawn.colour = body_colour(b);
        picture.bodies.push_back(std::move(drawn));
    }
    for (const Obstacle& o : model.obstacles)
        if (const auto* plane = std::get_if<PlaneShape>(&o.shape))
            picture.planes.push_back({o.position, o.orientation * plane->normal});
    return picture;
}

/// The view of all three: the converged frame in the middle.
PictureCamera camera_for(std::span<const Vec3d> x) {
    Vec3d lo = x[0], hi = x[0];
    for (const Vec3d& p : x)
        for (int k = 0; k < 3; ++k) {
            lo[k] = std::min(lo[k], p[k]);
            hi[k] = std::max(hi[k], p[k]);
        }
    PictureCamera camera;
    const Vec3d target = 0.5 * (lo + hi);
    camera.target = target;
    camera.eye = target + 0.95 * norm(hi - lo) * Vec3d{-0.55, 0.5, 1.0};
    return camera;
}

Image stacked(const std::vector<Image>& images) {
    Image out;
    for (const Image& image : images) {
        out.width = image.width;
        out.height += image.height;
        out.rgb.insert(out.rgb.end(), image.rgb.begin(), image.rgb.end());
    }
    return out;
}

struct FrameRun {
    std::vector<Vec3d> x;
    double kinetic = 0;      // [J]
    double most_energy = 0;  // kinetic + elastic [J]
    std::int64_t step = 0;
    bool unstable = false;
};

/// Up to step `last`, or to the last state with an energy that can be drawn.
FrameRun run_to(const DahlScene& scene, const SolverSpec& spec, std::int64_t last,
                double allowed_energy) {
    const auto world =
        make_world(scene_with(scene.study, spec, "the figure's solver"), scene.model);
    FrameRun out;
    while (world->state().step < last) {
        out.x = world->state().x;
        out.step = world->state().step;
        const StepReport report = world->step();
        out.unstable =
            report.failed || report.has(StepFlag::substepped) || report.kinetic > allowed_energy;
        if (out.unstable) return out;
        out.kinetic = report.kinetic;
        out.most_energy = std::max(out.most_energy, report.kinetic + report.elastic);
    }
    out.x = world->state().x;
    out.step = world->state().step;
    return out;
}

}  // namespace

BenchResult dahl2019_fig2(const BenchOptions& options) {
    const DahlScene scene = load_dahl(options, "bowling");
    // The ball has gone through the pins; a whole frame.
    const std::int64_t step = options.pick<std::int64_t>(60, scene.n_steps * 2 / 5, scene.n_steps) /
                              steps_a_frame * steps_a_frame;
    const StateMeter meter(scene.model);
    options.tell("converged");
    const FrameRun truth = run_to(scene, dahl_solver_per_body("velocity", 0), step, 1e300);
    const PictureCamera camera = camera_for(truth.x);
    MarkdownTable table(
        {"guess", "picture", "kinetic energy / converged", "rms error / body size", "status"});
    nlohmann::ordered_json json;
    std::vector<Image> images;
    std::array<double, 3> kept{};
    constexpr std::array<std::size_t, 3> order = {0, 2, 1};  // of the figure
    constexpr std::array<const char*, 3> place = {"first", "second", "third"};
    for (std::size_t k = 0; k < order.size(); ++k) {
        const DahlGuess& guess = dahl_guesses[order[k]];
        options.tell("guess " + std::string(guess.paper));
        const FrameRun run =
            run_to(scene, dahl_solver_per_body(guess.ours, 10), step, 10 * truth.most_energy);
        const double error = run.unstable ? std::nan("") : meter(run.x, truth.x).rms;
        kept[order[k]] = run.unstable ? std::nan("") : run.kinetic / truth.kinetic;
        images.push_back(render_frame(picture_of(scene.model, run.x, camera)));
        table.add({std::string(guess.paper), place[k], digits(kept[order[k]]), digits(error),
                   run.unstable
                       ? fmt::format("unstable at step {}; the picture is of the step before",
                                     run.step + 1)
                       : "done"});
        json["runs"].push_back({{"guess", guess.ours},
                                {"kinetic", run.kinetic},
                                {"error_rms", run.unstable ? nlohmann::ordered_json(nullptr)
                                                           : nlohmann::ordered_json(error)},
                                {"unstable", run.unstable}});
    }
    images.push_back(render_frame(picture_of(scene.model, truth.x, camera)));
    table.add({"v(t), converged", "last", "1", "0", "done"});
    BenchResult out;
    write_png(options.out + "/dahl2019-fig2.png", stacked(images));
    out.files.push_back("dahl2019-fig2.png");
    out.markdown = fmt::format("Step {} ({:.2f} s), 10 iterations.\n\n{}", step,
                               static_cast<double>(step) * scene.model.h, table.text());
    out.claims = {{"0 shows more artificial damping than v(t) at 10 iterations",
                   kept[0] < kept[2] && std::fabs(kept[0] - 1) > std::fabs(kept[2] - 1),
                   fmt::format("kinetic energy {} from 0 and {} from v(t), converged 1",
                               digits(kept[0]), digits(kept[2]))}};
    json["step"] = step;
    out.json = json.dump();
    return out;
}

}  // namespace limber::bench
