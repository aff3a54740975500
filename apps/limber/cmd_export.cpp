// SPDX-License-Identifier: Apache-2.0
// limber export: the surfaces of a run for other programs.

#include <CLI/CLI.hpp>
#include <filesystem>

#include "commands.h"
#include "limber/core/errors.h"
#include "limber/io/surface_animation.h"
#include "limber/render/frame.h"
#include "limber/scene/scene.h"

namespace limber::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_targets = 250;  // frames of a GLB: its size grows with their square

struct ExportArguments {
    std::string dir, to, out;
    int every = 1;
};

std::vector<std::int64_t> chosen_steps(const ExportArguments& a) {
    const std::vector<std::int64_t> all = frame_steps(a.dir);
    if (all.empty())
        throw InputError(a.dir + " holds no frames; was it run with output.formats = [\"vtu\"]?");
    std::size_t stride = static_cast<std::size_t>(a.every);
    if (a.to == "glb" && (all.size() - 1) / stride + 1 > max_targets) {
        stride = (all.size() - 1) / (max_targets - 1) + 1;
        std::fprintf(stderr, "warning: %zu frames; every %zu. is written to keep the GLB small\n",
                     all.size(), stride);
    }
    std::vector<std::int64_t> out;
    for (std::size_t k = 0; k < all.size(); k += stride) out.push_back(all[k]);
    return out;
}

SurfaceAnimation read_animation(const ExportArguments& a, const std::vector<std::int64_t>& steps) {
    const SceneDef scene = load_scene(a.dir + "/scene.toml");
    SurfaceAnimation out;
    out.z_up = scene.up == UpAxis::z;
    std::vector<FrameSurface> surfaces;
    for (const std::int64_t step : steps) {
        const std::vector<FrameBody> bodies = read_frame(a.dir, step);
        if (out.bodies.empty())
            for (const FrameBody& body : bodies) {
                surfaces.push_back(frame_surface(body));
                out.bodies.push_back({body.name, surfaces.back().triangles, {}});
            }
        if (bodies.size() != out.bodies.size())
            throw InputError({a.dir, 0, 0, -1}, "the frame of step " + std::to_string(step) +
                                                    " has other bodies than the first one");
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            std::vector<float> frame;
            for (const Index i : surfaces[b].nodes)
                for (int k = 0; k < 3; ++k)
                    frame.push_back(
                        static_cast<float>(bodies[b].points.at(static_cast<std::size_t>(i))[k]));
            out.bodies[b].frames.push_back(std::move(frame));
        }
        out.times.push_back(static_cast<double>(step) * scene.time.step);
    }
    return out;
}

std::string numbered(const std::string& name, std::int64_t step) {
    std::string digits = std::to_string(step);
    digits.insert(0, 6 - std::min<std::size_t>(6, digits.size()), '0');
    return name + '_' + digits + ".obj";
}

int write_animation(const ExportArguments& a) {
    const std::vector<std::int64_t> steps = chosen_steps(a);
    const SurfaceAnimation animation = read_animation(a, steps);
    const fs::path folder = a.out.empty() ? fs::path(a.dir) / "export" : fs::path(a.out);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw SystemError(folder.string(), "create", error.value());
    std::size_t n_files = 0;
    const auto file = [&](const std::string& name) {
        ++n_files;
        return (folder / name).string();
    };
    if (a.to == "glb") write_glb(file("run.glb"), animation);
    if (a.to == "usd") write_usda(file("run.usda"), animation);
    for (const AnimatedSurface& body : animation.bodies) {
        if (a.to == "mdd") {
            write_obj_frame(file(body.name + ".obj"), body, 0);
            write_mdd(file(body.name + ".mdd"), body, animation.times);
        } else if (a.to == "obj") {
            for (std::size_t f = 0; f < steps.size(); ++f)
                write_obj_frame(file(numbered(body.name, steps[f])), body, f);
        }
    }
    std::printf("%s: %zu file%s, %zu frames of %zu bod%s\n", folder.c_str(), n_files,
                n_files == 1 ? "" : "s", steps.size(), animation.bodies.size(),
                animation.bodies.size() == 1 ? "y" : "ies");
    return 0;
}

}  // namespace

void add_export(CLI::App& program, Action& action) {
    auto a = std::make_shared<ExportArguments>();
    CLI::App* command =
        program.add_subcommand("export", "the surfaces of a run for other programs");
    command->add_option("dir", a->dir, "run folder")->required()->type_name("DIR");
    command
        ->add_option("--to", a->to,
                     "glb: one animated glTF file; obj: a file a frame; mdd: OBJ and point cache, "
                     "for Blender's Mesh Cache; usd: ASCII USD")
        ->required()
        ->check(CLI::IsMember({"glb", "obj", "mdd", "usd"}));
    command->add_option("-o,--out", a->out, "folder to write to; default: DIR/export")
        ->type_name("FOLDER");
    command->add_option("--every", a->every, "take every Nth frame")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    command->footer("Example: limber export out/drop --to glb");
    command->callback([a, &action] { action = [a] { return write_animation(*a); }; });
}

}  // namespace limber::app
