// SPDX-License-Identifier: Apache-2.0
// limber render: one frame of a run folder as a picture, without a display.

#include <CLI/CLI.hpp>
#include <algorithm>

#include "commands.h"
#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/core/parallel.h"
#include "limber/render/frame.h"
#include "limber/render/tessellate.h"
#include "limber/scene/build_model.h"
#include "limber/scene/scene.h"
#include "options.h"

namespace limber::app {

namespace {

struct Arguments {
    std::string dir, frame = "last", out, colour = "body", threads;
    int width = 1280, height = 720;
    bool edges = false, no_skins = false;
    std::vector<double> eye, target;
};

/// A step number, or "last".
std::int64_t step_of(const Arguments& a) {
    const std::vector<std::int64_t> steps = frame_steps(a.dir);
    if (steps.empty())
        throw InputError(a.dir + " holds no frames; was it run with output.formats = [\"vtu\"]?");
    if (a.frame == "last") return steps.back();
    const auto step = parse_whole(a.frame);
    if (!step || *step < 0)
        throw InputError("--frame '" + printable(a.frame) +
                         "': a step number or 'last' is allowed");
    return *step;
}

void add_obstacle(const Obstacle& o, double time, Picture& picture) {
    const Mat3d R = o.motion.rotation(time) * o.orientation;
    const Vec3d position = o.motion.apply(o.position, time);
    const auto solid = [&](TriangleSurface surface) {
        place(surface, R, position);
        picture.bodies.push_back(obstacle_picture(surface));
    };
    if (const auto* plane = std::get_if<PlaneShape>(&o.shape))
        picture.planes.push_back({position, R * plane->normal});
    else if (const auto* sphere = std::get_if<SphereShape>(&o.shape))
        solid(tessellate_sphere(sphere->radius));
    else if (const auto* box = std::get_if<BoxShape>(&o.shape))
        solid(tessellate_box(box->half));
    else if (const auto* cylinder = std::get_if<CylinderShape>(&o.shape))
        solid(tessellate_cylinder(cylinder->radius, cylinder->half_height));
    else if (const auto* torus = std::get_if<TorusShape>(&o.shape))
        solid(tessellate_torus(torus->major, torus->minor));
    else if (const auto* mesh = std::get_if<MeshShape>(&o.shape))
        solid({mesh->mesh.nodes, mesh->mesh.triangles});
}

int render(const Arguments& a) {
    const ThreadLimit limit(thread_limit(a.threads));
    const std::int64_t step = step_of(a);
    const SceneDef scene = load_scene(a.dir + "/scene.toml");
    Picture picture;
    picture.width = a.width;
    picture.height = a.height;
    picture.up_axis = scene.up == UpAxis::z ? 2 : 1;
    if (!a.eye.empty()) picture.camera.eye = Vec3d{a.eye[0], a.eye[1], a.eye[2]};
    if (!a.target.empty()) picture.camera.target = Vec3d{a.target[0], a.target[1], a.target[2]};
    constexpr auto names = enum_names(ColourBy{});
    const auto colour =
        static_cast<ColourBy>(std::find(names.begin(), names.end(), a.colour) - names.begin());
    // Stress is known in the tets only; skins show the rest.
    const bool skins = !a.no_skins && colour != ColourBy::von_mises;
    add_bodies(read_frame(a.dir, step, skins), colour, a.edges, picture);
    std::vector<std::string> said_when_it_ran;
    for (const Obstacle& obstacle : make_obstacles(scene, said_when_it_ran))
        add_obstacle(obstacle, static_cast<double>(step) * scene.time.step, picture);
    if (picture.planes.empty()) add_floor(picture);
    write_png(a.out, render_frame(picture));
    std::printf("%s: step %lld of %s\n", a.out.c_str(), static_cast<long long>(step),
                a.dir.c_str());
    return 0;
}

}  // namespace

void add_render(CLI::App& program, Action& action) {
    auto a = std::make_shared<Arguments>();
    constexpr auto names = enum_names(ColourBy{});
    CLI::App* command = program.add_subcommand("render", "a picture of one frame of a run");
    command->add_option("dir", a->dir, "run folder")->required()->type_name("DIR");
    command->add_option("--frame", a->frame, "step number of the frame, or last")->type_name("N");
    command->add_option("-o,--out", a->out, "picture to write")->required()->type_name("OUT.png");
    command->add_option("--color", a->colour, "what the colours show")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())));
    command->add_option("--width", a->width, "pixels")->check(CLI::Range(16, 8192));
    command->add_option("--height", a->height, "pixels")->check(CLI::Range(16, 8192));
    command->add_option("--eye", a->eye, "where the camera stands [m]")->expected(3);
    command->add_option("--target", a->target, "what it looks at [m]")->expected(3);
    command->add_flag("--edges", a->edges, "draw the edges of the mesh");
    command->add_flag("--no-skins", a->no_skins, "draw the tets of bodies that have a skin");
    add_threads(*command, a->threads);
    command->footer("Example: limber render out/drop --frame last --color von_mises -o drop.png");
    command->callback([a, &action] { action = [a] { return render(*a); }; });
}

}  // namespace limber::app
