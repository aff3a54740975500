// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "limber/solve/async.h"
#include "limber/solve/corotational.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;
using test::good_scene;
using test::input_error;
using test::replaced;
using test::scene_of;

std::vector<std::string> shipped_scenes() {
    std::vector<std::string> out;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(LIMBER_SOURCE_DIR) + "/scenes"))
        if (entry.path().extension() == ".toml" || entry.path().extension() == ".json")
            out.push_back(entry.path().string());
    return out;
}

TEST(Scenes, the_first_ones_load_and_build_without_a_warning) {
    // The others are run by tests/program/test_scenes.cpp; some are coarse as their sources are,
    // and say so.
    for (const char* name :
         {"bar_gravity.toml", "bar_gravity.json", "twisted_beam.toml", "sphere_drop.toml"}) {
        const std::string path = std::string(LIMBER_SOURCE_DIR) + "/scenes/" + name;
        BuildReport report;
        const SceneDef scene = load_scene(path);
        const Model model = build_model(scene, report);
        EXPECT_GT(model.n_tets(), 0) << path;
        EXPECT_GT(scene.time.n_steps(), 0) << path;
        EXPECT_TRUE(report.warnings.empty()) << path << ": " << report.warnings[0];
    }
}

TEST(Scenes, the_json_twin_is_the_same_scene) {
    const std::string base = std::string(LIMBER_SOURCE_DIR) + "/scenes/bar_gravity";
    const SceneDef toml = load_scene(base + ".toml"), json = load_scene(base + ".json");
    EXPECT_EQ(resolved_toml(toml), resolved_toml(json));
    EXPECT_EQ(scene_hash(toml), scene_hash(json));
}

TEST(LoadScene, values_arrive_with_their_units) {
    const SceneDef s = scene_of(R"(limber = 1
up = "z"
[time]
step = "10 ms"
end = 0.25
[solver]
kind = "cholesky"
[material.m]
kind = "linear"
young = "2 MPa"
density = "1 g/cm^3"
damping = { stiffness = "1 ms" }
[[body]]
name = "b"
shape = "box"
size = ["10 cm", 0.1, 0.1]
scale = "1 mm"
rotate = { axis = [0, 0, 2], angle = 90 }
[[pin]]
body = "b"
select = { side = "z+" }
axes = "xz"
motion = { times = [0, 1], angle = [0, "0.5 turn"] }
)");
    EXPECT_EQ(s.time.step, 0.01);
    EXPECT_EQ(s.time.n_steps(), 25);
    EXPECT_EQ(*s.gravity, (Vec3d{0, 0, -9.81}));
    EXPECT_EQ(s.solver.options.name, "cholesky");
    EXPECT_EQ(s.solver.options.as<CorotationalOptions>().linear, LinearKind::supernodal);
    const MaterialDef& m = s.materials.at("m");
    EXPECT_EQ(m.kind, "linear");
    EXPECT_EQ(m.young, 2e6);
    EXPECT_EQ(m.density, 1000);
    EXPECT_EQ(m.damping.stiffness, 1e-3);
    EXPECT_EQ(s.bodies[0].shape->kind, ShapeKind::box);
    EXPECT_EQ(s.bodies[0].shape->size->x, 0.1);
    EXPECT_EQ(s.bodies[0].scale->factor.y, 1e-3);
    EXPECT_DOUBLE_EQ(s.bodies[0].rotate->axis_angle->angle, std::numbers::pi / 2);
    EXPECT_EQ(s.pins[0].axes, Axes::xz);
    EXPECT_DOUBLE_EQ((*s.pins[0].motion->angle)[1], std::numbers::pi);
    EXPECT_EQ(s.contact.options.name, "lagrange");
}

TEST(LoadScene, sixty_steps_a_second_fill_whole_seconds) {
    TimeDef time;
    for (int end = 1; end < 2000; ++end) {
        time.end = end;
        EXPECT_EQ(time.n_steps(), 60 * end);
    }
    time.end = 0.0251;
    EXPECT_EQ(time.n_steps(), 2);  // the last step passes the end
}

// ---- extends

TEST(LoadScene, a_count_may_be_left_to_the_program) {
    const auto with = [](const std::string& lag) {
        return scene_of(good_scene + "[solver]\nkind = \"async\"\nlag = " + lag + "\n");
    };
    const auto lag = [](const SceneDef& s) { return s.solver.options.as<AsyncOptions>().lag; };
    EXPECT_EQ(lag(with("7")).count, 7);
    EXPECT_FALSE(lag(with("7")).automatic);
    EXPECT_TRUE(lag(with("\"auto\"")).automatic);
    EXPECT_NE(resolved_toml(with("\"auto\"")).find("lag = \"auto\""), std::string::npos);
    EXPECT_NE(resolved_toml(with("7")).find("lag = 7"), std::string::npos);
    EXPECT_NE(input_error([&] { with("0"); }).find(">= 1"), std::string::npos);
    EXPECT_NE(input_error([&] { with("\"soon\""); }).find("auto"), std::string::npos);
}

TEST(Extends, tables_merge_named_entries_merge_and_others_are_appended) {
    Folder folder;
    folder.write("base.toml", good_scene + "[[pin]]\nbody = \"bar\"\nselect = { side = \"x-\" }\n");
    const SceneDef s = load_scene(folder.write("child.toml", R"(extends = "base.toml"
[time]
end = 2
[material.rubber]
young = 5
[[body]]
name = "bar"
translate = [1, 2, 3]
[[body]]
name = "other"
shape = "sphere"
[[pin]]
body = "other"
select = { side = "y-" }
)"));
    EXPECT_FALSE(s.time.steps);  // end drops the base's steps
    EXPECT_EQ(s.time.end, 2);
    EXPECT_EQ(s.time.step, 0.01);
    EXPECT_EQ(s.materials.at("rubber").young, 5);
    EXPECT_EQ(s.materials.at("rubber").poisson, 0.4);
    ASSERT_EQ(s.bodies.size(), 2u);
    EXPECT_EQ(s.bodies[0].translate, (Vec3d{1, 2, 3}));
    EXPECT_EQ(s.bodies[0].shape->kind, ShapeKind::beam);
    ASSERT_EQ(s.pins.size(), 2u);
    EXPECT_EQ(s.pins[0].body, "bar");
}

TEST(Extends, a_new_kind_drops_the_options_of_the_old_one) {
    Folder folder;
    folder.write("base.toml", good_scene + "[contact]\nmethod = \"penalty\"\nstiffness = 5\n");
    const SceneDef s = load_scene(
        folder.write("child.toml", "extends = \"base.toml\"\n[contact]\nmethod = \"none\"\n"));
    EXPECT_EQ(s.contact.options.name, "none");
}

TEST(Extends, errors_name_the_file_they_stand_in) {
    Folder folder;
    const std::string base = folder.write("sub/base.toml", replaced(good_scene, "0.4", "0.9"));
    const std::string child = folder.write("child.toml", "extends = \"sub/base.toml\"\n");
    const std::string error = input_error([&] { load_scene(child); });
    EXPECT_EQ(error.rfind(base + ":7:", 0), 0u) << error;
}

TEST(Extends, paths_are_relative_to_the_file_that_mentions_them) {
    Folder folder;
    folder.write("sub/base.toml",
                 "limber = 1\n[time]\nsteps = 1\n[[body]]\nname = \"b\"\nmesh = \"b.msh\"\n");
    const std::string child = folder.write("child.toml", "extends = \"sub/base.toml\"\n");
    EXPECT_EQ(load_scene(child).bodies[0].mesh, FilePath(folder.path("sub/b.msh").c_str()));
    const SceneDef set = load_scene(child, {.sets = {"body.b.mesh=\"c.msh\""}, .sandbox = false});
    EXPECT_EQ(set.bodies[0].mesh, FilePath(folder.path("c.msh").c_str()));
}

TEST(Extends, a_cycle_is_shown) {  // S24
    Folder folder;
    const std::string a = folder.write("a.toml", "extends = \"b.toml\"\n");
    const std::string b = folder.write("b.toml", "limber = 1\nextends = \"c.toml\"\n");
    const std::string c = folder.write("c.toml", "extends = \"a.toml\"\n");
    const std::string error = input_error([&] { load_scene(a); });
    EXPECT_EQ(error.rfind(c + ":1:", 0), 0u) << error;
    EXPECT_NE(error.find("the file includes itself: " + a + " -> " + b + " -> " + c + " -> " + a),
              std::string::npos)
        << error;
    const std::string self = folder.write("self.toml", "extends = \"./self.toml\"\n");
    EXPECT_NE(input_error([&] { load_scene(self); }).find("includes itself"), std::string::npos);
}

TEST(Extends, long_chains_and_missing_bases_are_refused) {
    Folder folder;
    for (int i = 0; i < 40; ++i)
        folder.write(fmt::format("f{}.toml", i), fmt::format("extends = \"f{}.toml\"\n", i + 1));
    EXPECT_NE(input_error([&] { load_scene(folder.path("f0.toml")); }).find("deeper than 16"),
              std::string::npos);
    const std::string lost = folder.write("lost.toml", "\nextends = \"absent.toml\"\n");
    const std::string error = input_error([&] { load_scene(lost); });
    EXPECT_EQ(error.rfind(lost + ":2:", 0), 0u) << error;
    EXPECT_NE(error.find("there is no file"), std::string::npos) << error;
}

// ---- defaults

TEST(Defaults, fill_what_an_entry_does_not_say) {
    const SceneDef s = scene_of(good_scene + R"([defaults.body]
material = "rubber"
mesh = "never.msh"
velocity = [1, 0, 0]
[defaults.material]
density = 500
young = 7
[defaults.obstacle]
friction = 0.7
radius = 2
[material.steel]
poisson = 0.3
[material.lame]
mu = 1
lambda = 1
[[body]]
name = "two"
shape = "box"
velocity = [0, 0, 0]
[[obstacle]]
shape = "plane"
[[obstacle]]
shape = "sphere"
)");
    EXPECT_EQ(s.bodies[1].material, "rubber");
    EXPECT_FALSE(s.bodies[1].mesh);  // a shape of its own drops the default mesh
    EXPECT_EQ(s.bodies[0].velocity.x, 1);
    EXPECT_EQ(s.bodies[1].velocity.x, 0);
    EXPECT_EQ(s.materials.at("rubber").density, 1000);
    EXPECT_EQ(s.materials.at("steel").density, 500);
    EXPECT_EQ(s.materials.at("steel").young, 7);
    EXPECT_FALSE(s.materials.at("lame").young);
    EXPECT_EQ(s.obstacles[0].friction, 0.7);  // and a plane takes no radius
    EXPECT_EQ(s.obstacles[1].shape.name, "sphere");
}

TEST(Defaults, are_checked_even_where_no_entry_uses_them) {
    const std::string error =
        input_error([] { scene_of(good_scene + "[defaults.probe]\nbody = 5\n"); });
    EXPECT_EQ(error.rfind("scene.toml:16:", 0), 0u) << error;
    EXPECT_NE(error.find("defaults.probe.body: found a whole number 5"), std::string::npos);
}

// ---- --set

TEST(Set, reaches_tables_arrays_and_named_entries) {
    const SceneDef s = scene_of(
        good_scene, {.sets = {"solver.max_iterations=5", "time.end=1", "body.0.translate=[0,1,0]",
                              "body.bar.mass=consistent", "material.rubber.young=\"2 kPa\"",
                              "material.new.poisson=0.1", "gravity=[0,0,0]", "gravity.1=-2"},
                     .sandbox = false});
    EXPECT_EQ(s.solver.options.as<CorotationalOptions>().pcg.max_iterations, 5);
    EXPECT_EQ(s.time.end, 1);
    EXPECT_FALSE(s.time.steps);
    EXPECT_EQ(s.bodies[0].translate.y, 1);
    EXPECT_EQ(s.bodies[0].mass, MassKind::consistent);
    EXPECT_EQ(s.materials.at("rubber").young, 2000);
    EXPECT_EQ(s.materials.at("new").poisson, 0.1);
    EXPECT_EQ(s.gravity->y, -2);
}

TEST(Set, errors_name_the_argument) {
    const std::pair<const char*, const char*> cases[] = {
        {"solver.max_iterations=-5", "solver.max_iterations = -5; allowed"},
        {"solver.max_iteration=5", "did you mean 'max_iterations'?"},
        {"time.step", "wanted path=value"},
        {"=5", "wanted path=value"},
        {"time..step=5", "wanted a path of keys"},
        {"time.step=[1", "not valid TOML"},
        {"time.step=", "not valid TOML"},
        {"time.step=1\nx=2", "more than one value"},
        {"body.3.mass=lumped", "there is no entry '3'; allowed: 0 to 0, or a name: bar"},
        {"body.barr.mass=lumped", "did you mean 'bar'?"},
        {"limber.x=1", "'x' is no key of a whole number 1"},
        {"body.bar.mesh=\"http://a/b\"", "URLs are not read"},
    };
    for (const auto& [argument, says] : cases) {
        const std::string error =
            input_error([&] { scene_of(good_scene, {.sets = {argument}, .sandbox = false}); });
        EXPECT_EQ(error.rfind("--set " + printable(argument) + ": error: ", 0), 0u) << error;
        EXPECT_NE(error.find(says), std::string::npos) << error;
    }
}

// ---- S23: paths

std::string with_mesh(const std::string& path) {
    return "limber = 1\n[time]\nsteps = 1\n[[body]]\nname = \"b\"\nmesh = \"" + path + "\"\n";
}

TEST(Paths, nul_and_urls_are_always_refused) {
    for (const auto& [path, says] :
         {std::pair{"a\\u0000b", "NUL"}, std::pair{"https://x.org/a.msh", "URLs are not read"},
          std::pair{"file:///etc/passwd", "URLs are not read"}}) {
        const std::string error = input_error([&] { scene_of(with_mesh(path)); });
        EXPECT_EQ(error.rfind("scene.toml:6:", 0), 0u) << error;
        EXPECT_NE(error.find(says), std::string::npos) << error;
    }
    EXPECT_NE(input_error([] { scene_of(with_mesh(std::string(5000, 'a'))); }).find("4096"),
              std::string::npos);
}

TEST(Paths, a_sandboxed_scene_stays_in_its_folder) {
    Folder folder;
    std::filesystem::create_directories(folder.path("scene"));
    std::filesystem::create_directory_symlink("/etc", folder.path("scene/link"));
    folder.write("scene/in.msh", "");
    const auto load = [&](const std::string& mesh, bool sandbox) {
        const std::string path = folder.write("scene/s.toml", with_mesh(mesh));
        return input_error([&] { load_scene(path, {.sets = {}, .sandbox = sandbox}); });
    };
    for (const char* outside : {"/etc/passwd", "../x.msh", "a/../../x.msh", "link/passwd"}) {
        EXPECT_NE(load(outside, true).find("path outside scene folder"), std::string::npos)
            << outside;
        EXPECT_EQ(load(outside, false), "") << outside;
    }
    EXPECT_EQ(load("in.msh", true), "");
    const std::string child = folder.write("scene/child.toml", "extends = \"../base.toml\"\n");
    EXPECT_NE(input_error([&] {
                  load_scene(child, {.sets = {}, .sandbox = true});
              }).find("path outside scene folder"),
              std::string::npos);
}

// ---- resolved scenes and hashes

const std::string full_scene = good_scene + R"(rotate = [10, 20.7, 33.3]
scale = [1, 2, 3]
regions = [{ select = { box = [[0, 0, 0], [0.5, 1, 1]], relative = true }, material = "hard" }]
[material.hard]
mu = 1.1e5
lambda = 3.3e4
[[pin]]
body = "bar"
select = { sphere = { center = [0, 0, 0], radius = 9 } }
motion = { times = [0, 0.1], angle = [0, 77.7], translate = [[0,0,0],[0.1,0.2,0.3]] }
[[force]]
body = "bar"
traction = [0.1, 0, 0]
times = [0, 0.3]
scale = [0, 1]
[[obstacle]]
shape = "torus"
radius = 1
tube = 0.3
rotate = { axis = [1, 1, 0], angle = 12.34 }
[[probe]]
name = "p"
body = "bar"
select = { nodes = [1, 2] }
[contact]
form = "explicit"
[output]
formats = []
)";

TEST(Resolved, reads_back_to_the_same_scene_bit_for_bit) {
    std::vector<SceneDef> scenes{scene_of(full_scene), scene_of(good_scene)};
    for (const std::string& path : shipped_scenes()) scenes.push_back(load_scene(path));
    for (const SceneDef& scene : scenes) {
        const std::string text = resolved_toml(scene);
        const SceneDef again = make_scene(parse_toml(text, "run/scene.toml"), "run/scene.toml");
        // What `auto` took is named in the file: the second time there is nothing to choose.
        const std::size_t first = text.starts_with("# auto") ? text.find("\nlimber") + 1 : 0;
        EXPECT_EQ(resolved_toml(again), text.substr(first));
        EXPECT_EQ(scene_hash(again), scene_hash(scene));
        EXPECT_TRUE(same(to_value(again), to_value(scene)));
    }
}

TEST(Resolved, writes_the_defaults_out) {
    const std::string text = resolved_toml(scene_of(good_scene));
    for (const char* part :
         {"kind = \"warp_canceling\"", "contact_passes = ", "method = \"lagrange\"",
          "gravity = [0.0, -9.81, 0.0]", "checkpoint_every = 0"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(SceneHash, follows_the_physics_and_not_the_output) {
    const auto hash = [](std::vector<std::string> sets) {
        return scene_hash(scene_of(full_scene, {.sets = std::move(sets), .sandbox = false}));
    };
    const std::uint64_t plain = hash({});
    EXPECT_EQ(hash({"output.every=7"}), plain);
    EXPECT_EQ(hash({"output.checkpoint_every=7"}), plain);
    EXPECT_EQ(hash({"time.steps=99"}), plain);
    EXPECT_EQ(hash({"time.end=99"}), plain);
    EXPECT_NE(hash({"time.step=0.02"}), plain);
    EXPECT_NE(hash({"material.rubber.young=2e6"}), plain);
    EXPECT_NE(hash({"solver.max_iterations=3"}), plain);
    EXPECT_NE(hash({"body.bar.velocity=[0,0,1]"}), plain);
}

TEST(SceneHash, follows_the_contents_of_files) {
    Folder folder;
    const std::string path = folder.write("s.toml", with_mesh("m.msh"));
    folder.write("m.msh", "one");
    const auto first = scene_hash(load_scene(path));
    folder.write("m.msh", "two");
    EXPECT_NE(scene_hash(load_scene(path)), first);
    folder.write("m.msh", "one");
    EXPECT_EQ(scene_hash(load_scene(path)), first);
}

}  // namespace
}  // namespace limber
