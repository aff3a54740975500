// SPDX-License-Identifier: Apache-2.0
// Materials with fibres and files of their directions.
#include "limber/scene/build/fibres.h"

#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;
using test::input_error;
using test::replaced;
using test::scene_of;

const std::string material =
    "[material.muscle]\nkind = \"fibre\"\nyoung = 1e5\npoisson = 0.4\ndensity = 1000\n"
    "fibre = [0, 0, -2]\nfibre_young = \"300 kPa\"\n";
/// Five tets, which the shape numbers 0 to 4 (or as its mesh does).
const std::string scene =
    "limber = 1\n[time]\nstep = 0.01\nsteps = 2\n" + material +
    "[[body]]\nname = \"b\"\nshape = \"box\"\nsize = [1, 1, 1]\n"
    "cells = [1, 1, 1]\nmaterial = \"muscle\"\n[contact]\nmethod = \"none\"\n";

struct Files {
    Folder folder;
    Model model(const std::string& toml) const {
        BuildReport report;
        return build_model(load_scene(folder.write("s.toml", toml)), report);
    }
    std::string error(const std::string& toml) const {
        return input_error([&] { model(toml); });
    }
};
std::string with(const std::string& keys) {
    return replaced(scene, "material = \"muscle\"\n", "material = \"muscle\"\n" + keys);
}
void expect_says(const std::string& message, std::initializer_list<const char*> parts) {
    for (const char* part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << part << "\nnot in: " << message;
}
Vec3d direction_of(const Model& model, Index tet) {
    const TetData& d = model.tet_data.at(tet);
    EXPECT_TRUE(d.has_value());
    return d ? Vec3d{(*d)[0], (*d)[1], (*d)[2]} : Vec3d{};
}
/// A line for every tet of the model, the directions x, y, z, x, ...; `other` in place of a tet's.
std::string rows(const Model& model, Index tet = -1, const std::string& other = "") {
    const char* axes[] = {"2,0,0", "0,1,0", "0,0,1e-200"};
    std::string text = "tet,x,y,z\n";
    for (Index t = 0; t < model.n_tets(); ++t)
        text += t == tet ? other : std::to_string(model.mesh.tet_ids[t]) + ',' + axes[t % 3] + '\n';
    return text;
}

TEST(FibreMaterial, has_a_direction_of_length_one_and_a_modulus) {
    const Files files;
    const Model model = files.model(scene);
    const auto& law = std::get<FibreReinforced>(model.materials[0].law);
    EXPECT_EQ(law.a, (Vec3d{0, 0, -1}));
    EXPECT_EQ(law.k, 3e5);
    EXPECT_NEAR(law.small_strain().young(), 1e5, 1e-6);
    EXPECT_TRUE(model.tet_data.empty());
}

TEST(FibreMaterial, says_what_it_takes_for_keys_that_are_not_given) {
    std::string assumed;
    const SceneDef def = scene_of(
        replaced(replaced(scene, "fibre = [0, 0, -2]\n", ""), "fibre_young = \"300 kPa\"\n", ""));
    const Material m = make_material("muscle", def.materials.at("muscle"), assumed);
    EXPECT_NEAR(std::get<FibreReinforced>(m.law).k, 1e5, 1e-6);
    expect_says(assumed, {"fibre_young = 1e+05 Pa", "fibre = [1, 0, 0]"});
}

TEST(FibreMaterial, refuses_what_is_no_direction_and_keys_of_other_laws) {
    const auto refusal = [](const std::string& from, const std::string& to) {
        return input_error([&] { scene_of(replaced(scene, from, to)); });
    };
    expect_says(refusal("[0, 0, -2]", "[0, 0, 0]"),
                {"scene.toml:10:", "material.muscle.fibre = [0, 0, 0]", "not zero"});
    expect_says(refusal("\"300 kPa\"", "0"), {"fibre_young = 0", "> 0"});
    expect_says(refusal("kind = \"fibre\"", "kind = \"stvk\""),
                {"kind = \"stvk\" has no fibres", "belongs to kind = \"fibre\""});
}

TEST(FibreMaterial, is_for_tets_and_for_solvers_that_minimise) {
    const auto refusal = [](const std::string& text) {
        return input_error([&] { scene_of(text); });
    };
    for (const char* solver : {"corotational", "warp_canceling", "xpbd", "projective_dynamics"})
        expect_says(refusal(scene + "[solver]\nkind = \"" + solver + "\"\n"),
                    {"kind = \"fibre\"", solver});
    for (const char* solver : {"newton", "descent", "vertex_block_descent", "auto"})
        EXPECT_EQ(refusal(scene + "[solver]\nkind = \"" + solver + "\"\n"), "") << solver;
    expect_says(refusal(replaced(scene, "steps = 2\n", "modes = 2\nanalysis = \"modal\"\n") +
                        "[solver]\nkind = \"newton\"\n"),
                {"kind = \"fibre\"", "modal", "never push"});
    const std::string rigid = replaced(with("rigid = true\n"), "\"none\"", "\"lagrange\"");
    expect_says(refusal(rigid), {"kind = \"fibre\" cannot go with rigid = true"});
    expect_says(refusal(replaced(with("cloth = { thickness = 0.001 }\n"),
                                 "shape = \"box\"\nsize = [1, 1, 1]\ncells = [1, 1, 1]",
                                 "shape = \"cloth_sheet\"\ncells = [2, 2]")),
                {"kind = \"fibre\" cannot go with cloth"});
}

TEST(FibreDirections, turn_and_stretch_with_the_body) {
    const Files files;
    const double c = std::sqrt(0.5);
    // The material's: z goes to x.
    Model model = files.model(with("rotate = { axis = [0, 1, 0], angle = \"90 deg\" }\n"));
    for (Index t = 0; t < model.n_tets(); ++t)
        EXPECT_LT(norm(direction_of(model, t) - Vec3d{-1, 0, 0}), 1e-15);
    // A factor for each axis turns what is askew.
    model = files.model(replaced(with("scale = [3, 1, 1]\n"), "[0, 0, -2]", "[1, 3, 0]"));
    EXPECT_LT(norm(direction_of(model, 0) - Vec3d{c, c, 0}), 1e-15);
    // Moved and made larger, directions stay, and nothing is kept of them.
    EXPECT_TRUE(files.model(with("scale = 2\ntranslate = [1, 2, 3]\n")).tet_data.empty());
    // Those of a file alike.
    files.folder.write("f.csv", rows(model));
    model = files.model(
        with("fibres = \"f.csv\"\nrotate = { axis = [0, 0, 1], angle = \"90 deg\" }\n"));
    EXPECT_LT(norm(direction_of(model, 0) - Vec3d{0, 1, 0}), 1e-15);
    EXPECT_LT(norm(direction_of(model, 1) - Vec3d{-1, 0, 0}), 1e-15);
    EXPECT_LT(norm(direction_of(model, 2) - Vec3d{0, 0, 1}), 1e-15);
}

TEST(FibreDirections, of_one_body_leave_the_others_theirs) {
    const Files files;
    const Model one = files.model(scene);
    files.folder.write("f.csv", rows(one));
    const auto body = [](const std::string& name, const std::string& keys) {
        return "[[body]]\nname = \"" + name +
               "\"\nshape = \"box\"\nsize = [1, 1, 1]\ncells = [1, 1, 1]\nmaterial = \"muscle\"\n"
               "translate = [" +
               name + ", 0, 0]\n" + keys;
    };
    const Model model = files.model("limber = 1\n[time]\nstep = 0.01\nsteps = 2\n" + material +
                                    "[contact]\nmethod = \"none\"\n" + body("2", "") +
                                    body("4", "fibres = \"f.csv\"\n") + body("6", ""));
    const Index n = one.n_tets();
    ASSERT_EQ(model.tet_data.size(), static_cast<std::size_t>(3 * n));
    for (Index t = 0; t < 3 * n; ++t) EXPECT_EQ(model.tet_data[t].has_value(), t / n == 1) << t;
    EXPECT_EQ(direction_of(model, n), (Vec3d{1, 0, 0}));
}

TEST(FibreDirections, are_for_the_tets_of_the_body_that_have_fibres_each_once) {
    const Files files;
    const Model model = files.model(scene);
    const auto refusal = [&](const std::string& text) {
        files.folder.write("f.csv", text);
        return files.error(with("fibres = \"f.csv\"\n"));
    };
    const std::string id = std::to_string(model.mesh.tet_ids[2]);
    expect_says(refusal(rows(model, 2)),
                {"f.csv: error: body[0].fibres: 1 tets with fibres have no line",
                 ("tet " + id + " of body 'b'").c_str()});
    expect_says(refusal(rows(model) + id + ",1,0,0\n"),
                {("tet " + id + " is given twice; first at line 4").c_str()});
    expect_says(refusal(rows(model) + "999,1,0,0\n"),
                {"body 'b' has no tet 999", "tet ids between"});
    expect_says(refusal(rows(model, 2, id + ",0,0,0\n")), {"f.csv:4:1: error:", "[0, 0, 0]"});
    expect_says(refusal(rows(model, 2, id + ",0,nan,0\n")), {"f.csv:4:1: error:", "finite number"});
    expect_says(refusal("node,x,y,z\n1,1,0,0\n"),
                {"f.csv:1:1: error: found the column 'node'", "tet,x,y,z"});
    expect_says(refusal("tet,x,y\n1,1,0\n"), {"found 3 columns", "tet,x,y,z"});
    expect_says(refusal(""), {"the file has no tets"});
}

TEST(FibreDirections, are_refused_where_nothing_has_fibres) {
    const Files files;
    files.folder.write("f.csv", "tet,x,y,z\n1,1,0,0\n");
    const std::string plain = "[material.fat]\nkind = \"neo_hookean\"\nyoung = 1e4\n";
    expect_says(
        files.error(replaced(with("fibres = \"f.csv\"\n"), "\"muscle\"", "\"fat\"") + plain),
        {"fibres needs a material with kind = \"fibre\""});
    const Model model = files.model(scene);
    files.folder.write("f.csv", rows(model));
    expect_says(
        files.error(with("fibres = \"f.csv\"\nregions = [{ select = { box = [[-9, -9, -9], [9, 9, "
                         "9]] }, material = \"fat\" }]\n") +
                    plain),
        {"is of material 'fat', which has no fibres"});
}

TEST(FibreDirections, belong_to_the_scene_hash_and_are_found_from_anywhere) {
    const Files files;
    const Model model = files.model(scene);
    files.folder.write("f.csv", rows(model));
    const std::string path = files.folder.write("s.toml", with("fibres = \"f.csv\"\n"));
    const SceneDef def = load_scene(path);
    const std::uint64_t before = scene_hash(def);
    const std::string copy = files.folder.write("elsewhere/scene.toml", resolved_toml(def));
    EXPECT_EQ(scene_hash(load_scene(copy)), before);
    EXPECT_EQ(input_files(def).size(), 1u);
    files.folder.write("f.csv", rows(model) + "# the same\n");
    EXPECT_NE(scene_hash(load_scene(path)), before);
}

}  // namespace
}  // namespace limber
