// SPDX-License-Identifier: Apache-2.0
//
// Attachments, cables, cavities and needles of scenes: what they become, and what is refused.

#include <gtest/gtest.h>

#include "limber/io/formats.h"
#include "limber/mesh/shapes.h"
#include "limber/scene/build/model.h"
#include "limber/scene/registry.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::input_error;
using test::replaced;
using test::scene_of;

/// Two boxes, the second a tenth of a metre to the right of the first and rigid where asked.
std::string two_boxes(const std::string& more, bool rigid = false) {
    return std::string(R"(limber = 1
[time]
step = 0.01
steps = 100
[solver]
kind = "cholesky"
[contact]
method = "lagrange"
[[obstacle]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [0, 2, 0]
[[body]]
name = "left"
shape = "box"
cells = [2, 2, 2]
[[body]]
name = "right"
shape = "box"
cells = [2, 2, 2]
translate = [1, 0, 0]
)") + (rigid ? "rigid = true\n" : "") +
           more;
}

Model model_of(const std::string& text, std::vector<std::string>* warnings = nullptr) {
    BuildReport report;
    Model model = build_model(scene_of(text), report);
    if (warnings) *warnings = report.warnings;
    return model;
}

TEST(SceneJoints, a_point_inside_an_element_is_a_combination_of_its_corners) {
    const Model model = model_of(
        two_boxes("[[attach]]\nbody = \"left\"\nto = \"right\"\npoint = [0.5, 0.1, 0.2]\n", true));
    const auto& pair = std::get<AttachmentData>(model.joints[0]).pairs.at(0);
    for (const JointPoint* p : {&pair.a, &pair.b}) {
        double sum = 0;
        for (int k = 0; k < p->at.n; ++k) sum += p->at.weight[k];
        EXPECT_NEAR(sum, 1, 1e-14);
        EXPECT_LT(norm(p->position(model.mesh.nodes, 0) - Vec3d{0.5, 0.1, 0.2}), 1e-14);
    }
    EXPECT_EQ(pair.a.body, 0);
    EXPECT_EQ(pair.b.body, 1);
}

TEST(SceneJoints, nodes_are_glued_where_they_are_on_the_other_body) {
    const Model model = model_of(
        two_boxes("[[attach]]\nbody = \"left\"\nto = \"right\"\nselect = { side = \"x+\" }\n"));
    const auto& data = std::get<AttachmentData>(model.joints[0]);
    ASSERT_EQ(data.pairs.size(), 9u);
    for (const auto& pair : data.pairs)
        EXPECT_LT(norm(pair.a.position(model.mesh.nodes, 0) - pair.b.position(model.mesh.nodes, 0)),
                  1e-14);
}

TEST(SceneJoints, a_closed_hollow_is_found_by_itself) {
    test::Folder folder;
    TetMesh box = make_box({1, 1, 1}, {3, 3, 3}), hollow = box;
    hollow.tets.clear();
    hollow.tet_ids.clear();
    for (const Tet& tet : box.tets) {
        Vec3d m{};
        for (const Index node : tet) m += 0.25 * box.nodes[node];
        if (std::max({std::abs(m.x), std::abs(m.y), std::abs(m.z)}) < 1.0 / 6) continue;
        hollow.tet_ids.push_back(static_cast<FileId>(hollow.tets.size()));
        hollow.tets.push_back(tet);
    }
    write_gmsh41(folder.path("hollow.msh"), hollow);
    const std::string text =
        "limber = 1\n[time]\nstep = 0.01\nsteps = 1\n[[body]]\nname = \"b\"\n"
        "mesh = \"hollow.msh\"\n"
        "[[cavity]]\nbody = \"b\"\ntimes = [0]\npressure = [\"1 kPa\"]\n";
    BuildReport report;
    const Model model = build_model(load_scene(folder.write("scene.toml", text)), report);
    ASSERT_EQ(model.pressures.size(), 1u);
    EXPECT_NEAR(model.pressures[0].wall.volume(model.mesh.nodes), 1.0 / 27, 1e-12);
    EXPECT_EQ(model.pressures[0].wall.nodes().size(), 8u);
    EXPECT_EQ(model.pressures[0].pressure.value(0), 1000);
}

TEST(SceneJoints, an_open_chamber_is_closed_by_what_holds_its_rim) {
    const std::string finger =
        "limber = 1\n[time]\nstep = 0.01\nsteps = 1\n[solver]\nkind = \"cholesky\"\n"
        "[contact]\nmethod = \"lagrange\"\n[[body]]\n"
        "name = \"f\"\nshape = \"finger\"\n"
        "[[cavity]]\nbody = \"f\"\nselect = { group = \"cavity\" }\n"
        "times = [0]\npressure = [1000]\n";
    const std::string error =
        input_error([&] { model_of(replaced(finger, "pressure = [1000]", "volume = [1]")); });
    EXPECT_NE(error.find("the wall is open at"), std::string::npos) << error;
    EXPECT_NE(error.find("are not pinned"), std::string::npos) << error;
    const Model model = model_of(finger + "[[pin]]\nbody = \"f\"\nselect = { group = \"base\" }\n");
    // A capsule of 5.2 mm and 104 mm, about.
    EXPECT_NEAR(model.pressures.at(0).wall.volume(model.mesh.nodes), 9.1e-6, 0.5e-6);
}

TEST(SceneJoints, a_needle_that_misses_is_warned_about) {
    std::vector<std::string> warnings;
    const std::string needle =
        "[[needle]]\nname = \"n\"\nbody = \"left\"\nlength = 1\n"
        "direction = [0, -2, 0]\ntip = [0, 0.8, 0]\n";
    model_of(two_boxes(needle), &warnings);
    ASSERT_FALSE(warnings.empty());
    EXPECT_NE(warnings.back().find("the tip comes no nearer than 0.3 m to body 'left'"),
              std::string::npos)
        << warnings.back();
    model_of(
        two_boxes(needle + "motion = { times = [0, 0.5], translate = [[0, 0, 0], [0, -0.4, 0]] "
                           "}\n"),
        &warnings);
    for (const std::string& w : warnings) EXPECT_EQ(w.find("needle"), std::string::npos) << w;
    const Model inside =
        model_of(two_boxes(replaced(needle, "tip = [0, 0.8, 0]", "tip = [0, 0.1, 0]")));
    EXPECT_GE(std::get<NeedleData>(inside.joints[0]).inside.size(), 1u);
}

TEST(SceneJoints, a_needle_is_drawn_and_touches_nothing) {
    const Model model = model_of(
        two_boxes("[[needle]]\nname = \"n\"\nbody = \"left\"\nlength = 1\ndirection = [1, 0, 0]\n"
                  "tip = [-0.5, 0, 0]\n"));
    const Obstacle& shaft = model.obstacles.back();
    EXPECT_EQ(shaft.name, "n");
    EXPECT_FALSE(shaft.solid);
    EXPECT_NEAR(sample(shaft, {-1, 0, 0}, 0).distance, -0.02, 1e-12) << "in its middle";
    EXPECT_NEAR(sample(shaft, {-0.5, 0, 0}, 0).distance, 0, 1e-12) << "its tip";
}

TEST(SceneJoints, the_resolved_scene_says_the_same) {
    const SceneDef scene = scene_of(
        two_boxes("[[attach]]\nname = \"a\"\nbody = \"left\"\nto = \"right\"\n"
                  "hinge = [[0.5, 0, 0], [0.5, 0, 0.1]]\n"
                  "[[cable]]\nbody = \"left\"\npath = [[0, 0, 0], [0.2, 0, 0]]\ntimes = [0, 1]\n"
                  "pull = [0, \"1 cm\"]\n"
                  "[[cavity]]\nbody = \"left\"\ntimes = [0]\nvolume = [1]\n"
                  "[[needle]]\nname = \"n\"\nbody = \"left\"\nlength = 1\ndirection = [1, 0, 0]\n"
                  "tip = [-0.5, 0, 0]\nfriction = 3\n"));
    const std::string text = resolved_toml(scene);
    EXPECT_EQ(resolved_toml(scene_of(text)), text);
    EXPECT_EQ(scene_of(text).cables[0].pull[1], 0.01);
}

struct Bad {
    const char* name;
    std::string text;
    std::vector<const char*> says;
};
void PrintTo(const Bad& bad, std::ostream* out) {
    *out << bad.name;
}

std::vector<Bad> catalogue() {
    const std::string attach = "[[attach]]\nbody = \"left\"\n";
    const std::string cable = "[[cable]]\nbody = \"left\"\n";
    const std::string cavity = "[[cavity]]\nbody = \"left\"\n";
    const std::string needle = "[[needle]]\nname = \"n\"\nbody = \"left\"\nlength = 1\n";
    const std::string pin = "[[pin]]\nbody = \"left\"\nselect = { side = \"x+\" }\n";
    return {
        {"method",
         replaced(two_boxes(attach + "point = [0, 0, 0]\n"), "lagrange", "penalty"),
         {"attach[0]: an attachment is solved together with contact",
          "contact.method is "
          "\"penalty\""}},
        {"unknown_side",
         two_boxes(attach + "to = \"rihgt\"\npoint = [0, 0, 0]\n"),
         {"attach[0].to = \"rihgt\": there is no such body or obstacle", "did you mean 'right'"}},
        {"two_kinds",
         two_boxes(attach + "point = [0, 0, 0]\nselect = { side = \"x+\" }\n"),
         {"point", "select", "hinge"}},
        {"outside",
         two_boxes(attach + "point = [0.7, 0, 0]\n"),
         {"attach[0].point: the point [0.7, 0, 0] lies 0.2", "m outside of body 'left'"}},
        {"other_outside",
         two_boxes(attach + "to = \"right\"\npoint = [0, 0, 0]\n"),
         {"attach[0].point: the point [0, 0, 0] lies 0.5 m outside of body 'right'"}},
        {"nothing_in_reach",
         two_boxes(attach + "to = \"right\"\nselect = { side = \"x-\" }\nreach = \"1 cm\"\n"),
         {"no selected node is within reach = 0.01 m of body 'right'", "the nearest is 1 m away"}},
        {"no_axis",
         two_boxes(attach + "hinge = [[0, 0, 0], [0, 0, 0]]\n"),
         {"attach[0].hinge: the two points are the same"}},
        {"itself",
         two_boxes(attach + "to = \"left\"\npoint = [0, 0, 0]\n"),
         {"attach[0].to is the body itself"}},
        {"two_places",
         two_boxes(attach + "point = [0.1, 0, 0]\n" + attach +
                   "to = \"ball\"\npoint = [0.1, 0, 0]\nto_point = [0, 2, 0]\n"),
         {"attach[1].point: the point [0.1, 0, 0] of body 'left' is attached to a place by "
          "attach[0]",
          "one place for a point"}},
        {"pinned_and_attached",
         two_boxes(pin + attach + "select = { side = \"x+\" }\n"),
         {"attach[0].select: node", "of body 'left' is pinned, and so is what it is attached to"}},
        {"same_name",
         two_boxes("[[attach]]\nname = \"a\"\nbody = \"left\"\npoint = [0, 0, 0]\n"
                   "[[attach]]\nname = \"a\"\nbody = \"right\"\npoint = [1, 0, 0]\n"),
         {"attach[1] and attach[0] are both named 'a'"}},
        {"short_path", two_boxes(cable + "path = [[0, 0, 0]]\n"), {"at least two"}},
        {"bodies_of_path",
         two_boxes("[[cable]]\nbodies = [\"left\"]\npath = [[0, 0, 0], [1, 0, 0]]\n"),
         {"cable[0].bodies has 1 names for 2 points"}},
        {"pull_all",
         two_boxes(cable + "path = [[0, 0, 0], [0.1, 0, 0]]\ntimes = [0, 1]\npull = [0, 0.2]\n"),
         {"cable[0].pull = 0.2 m leaves nothing of a cable of 0.1 m"}},
        {"pull_times",
         two_boxes(cable + "path = [[0, 0, 0], [0.1, 0, 0]]\ntimes = [1, 0]\npull = [0, 0.05]\n"),
         {"cable[0]", "times"}},
        {"cable_fixed",
         two_boxes("[[cable]]\nbodies = [\"\", \"ball\"]\npath = [[0, 0, 0], [0, 2, 0]]\n"),
         {"cable[0].path: every point is fixed or pinned"}},
        {"no_hollow",
         two_boxes(cavity + "times = [0]\npressure = [1]\n"),
         {"cavity[0].body = \"left\" has no closed hollow inside"}},
        {"outer_wall",
         two_boxes(cavity + "select = { box = [[-1, -1, -1], [1, 1, 1]] }\ntimes = [0]\n"
                            "pressure = [1]\n"),
         {"cavity[0].select: the selected faces hold -1 m^3: they look outwards"}},
        {"both_kinds",
         two_boxes(cavity + "times = [0]\npressure = [1]\nvolume = [1]\n"),
         {"pressure", "volume"}},
        {"rigid_cavity",
         two_boxes("[[cavity]]\nbody = \"right\"\ntimes = [0]\npressure = [1]\n", true),
         {"cavity[0].body = \"right\" has no tets"}},
        {"needle_direction",
         two_boxes(needle + "tip = [0, 1, 0]\ndirection = [0, 0, 0]\n"),
         {"needle[0].direction"}},
        {"needle_rigid",
         two_boxes("[[needle]]\nname = \"n\"\nbody = \"right\"\nlength = 1\ntip = [1, 1, 0]\n"
                   "direction = [0, -1, 0]\n",
                   true),
         {"needle[0].body = \"right\" has no tets"}},
        {"needle_all_inside",
         two_boxes("[[needle]]\nname = \"n\"\nbody = \"left\"\nlength = 0.1\ntip = [0, 0, 0]\n"
                   "direction = [0, -1, 0]\n"),
         {"the whole needle is inside body 'left'"}},
        {"needle_force",
         two_boxes(needle + "tip = [0, 1, 0]\ndirection = [0, -1, 0]\n"
                            "puncture = -1\n"),
         {"needle[0].puncture = -1"}},
        {"modal",
         replaced(replaced(two_boxes(attach + "point = [0, 0, 0]\n"), "steps = 100",
                           "modes = 2\nanalysis = \"modal\""),
                  "", ""),
         {"cannot go with time.analysis = \"modal\""}},
    };
}

struct BadJoint : testing::TestWithParam<Bad> {};

TEST_P(BadJoint, is_refused_with_the_reason) {
    const std::string error = input_error([&] { model_of(GetParam().text); });
    ASSERT_FALSE(error.empty());
    EXPECT_EQ(error.rfind("scene.toml:", 0), 0u) << error;
    for (const char* part : GetParam().says)
        EXPECT_NE(error.find(part), std::string::npos) << part << "\nin: " << error;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, BadJoint, testing::ValuesIn(catalogue()),
                         [](const auto& bad) { return bad.param.name; });

}  // namespace
}  // namespace limber
