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
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "options.h"

namespace limber::app {

namespace {

constexpr int max_side = 8192;  // pixels

struct RenderArguments {
    std::string dir, frame = "last", out, colour = "body", threads;
    int width = 1280, height = 720, bits = 8;
    bool edges = false, no_skins = false;
    std::vector<double> eye, target;
};

/// A step number, or "last".
std::int64_t step_of(const std::string& frame, std::int64_t last) {
    if (frame == "last") return last;
    const auto step = parse_whole(frame);
    if (!step || *step < 0)
        throw InputError("--frame '" + printable(frame) +
                         "': a step number or 'last' is allowed, several with commas between");
    return *step;
}

/// One step, or those of a strip.
std::vector<std::int64_t> steps_of(const RenderArguments& a) {
    const std::vector<std::int64_t> stored = frame_steps(a.dir);
    if (stored.empty())
        throw InputError(a.dir + " holds no frames; was it run with output.formats = [\"vtu\"]?");
    std::vector<std::int64_t> steps;
    for (std::size_t begin = 0; begin <= a.frame.size();) {
        const std::size_t end = std::min(a.frame.find(',', begin), a.frame.size());
        steps.push_back(step_of(a.frame.substr(begin, end - begin), stored.back()));
        begin = end + 1;
    }
    if (static_cast<std::int64_t>(steps.size()) * a.width > max_side)
        throw InputError("--frame: " + std::to_string(steps.size()) + " pictures of " +
                         std::to_string(a.width) + " pixels are wider than " +
                         std::to_string(max_side) + "; a smaller --width would do");
    return steps;
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

Picture picture_of(const RenderArguments& a, const SceneDef& scene, std::int64_t step) {
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
    return picture;
}

/// Every picture of a strip frames what all of them show, and colours mean the same in all: points
/// without triangles are framed but not drawn.
void share_view(std::vector<Picture>& pictures) {
    PictureBody all;
    float hi = 0;
    for (const Picture& picture : pictures) {
        hi = std::max(hi, picture.scale.hi);
        for (const PictureBody& body : picture.bodies)
            all.points.insert(all.points.end(), body.points.begin(), body.points.end());
    }
    for (Picture& picture : pictures) {
        picture.scale.hi = hi;
        picture.bodies.push_back(all);
    }
}

int render(const RenderArguments& a) {
    const ThreadLimit limit(thread_limit(a.threads));
    const std::vector<std::int64_t> steps = steps_of(a);
    const SceneDef scene = load_scene(a.dir + "/scene.toml");
    std::vector<Picture> pictures;
    for (const std::int64_t step : steps) pictures.push_back(picture_of(a, scene, step));
    if (pictures.size() > 1) share_view(pictures);
    std::vector<Image> images;
    for (Picture& picture : pictures) {
        if (picture.planes.empty()) add_floor(picture);
        images.push_back(render_frame(picture));
    }
    Image image = side_by_side(images);
    keep_bits(image, a.bits);
    write_png(a.out, image);
    std::string shown;
    for (const std::int64_t step : steps)
        shown += (shown.empty() ? "" : ", ") + std::to_string(step);
    std::printf("%s: step %s of %s\n", a.out.c_str(), shown.c_str(), a.dir.c_str());
    return 0;
}

}  // namespace

void add_render(CLI::App& program, Action& action) {
    auto a = std::make_shared<RenderArguments>();
    constexpr auto names = enum_names(ColourBy{});
    CLI::App* command = program.add_subcommand("render", "a picture of one frame of a run");
    command->add_option("dir", a->dir, "run folder")->required()->type_name("DIR");
    command
        ->add_option("--frame", a->frame,
                     "step number of the frame, or last; several with commas between make a strip")
        ->type_name("N");
    command->add_option("-o,--out", a->out, "picture to write")->required()->type_name("OUT.png");
    command->add_option("--color", a->colour, "what the colours show")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())));
    command->add_option("--width", a->width, "pixels")->check(CLI::Range(16, max_side));
    command->add_option("--height", a->height, "pixels")->check(CLI::Range(16, max_side));
    command->add_option("--bits", a->bits, "bits a colour channel; fewer make a smaller file")
        ->check(CLI::Range(1, 8));
    command->add_option("--eye", a->eye, "where the camera stands [m]")->expected(3);
    command->add_option("--target", a->target, "what it looks at [m]")->expected(3);
    command->add_flag("--edges", a->edges, "draw the edges of the mesh");
    command->add_flag("--no-skins", a->no_skins, "draw the tets of bodies that have a skin");
    add_threads(*command, a->threads);
    command->footer(
        "Examples: limber render out/drop --frame last --color von_mises -o drop.png\n"
        "          limber render out/drop --frame 0,40,80,last --width 320 --height 240 -o s.png");
    command->callback([a, &action] { action = [a] { return render(*a); }; });
}

}  // namespace limber::app
