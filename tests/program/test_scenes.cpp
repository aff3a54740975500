// SPDX-License-Identifier: Apache-2.0
// Every scene that comes with limber: it loads, it has the size its source gives, its first steps
// stay finite. `limber run` does it, as a user would.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "limber/scene/scene.h"
#include "program.h"

namespace limber::test {
namespace {

enum class Count { nodes, tets, dofs };

struct Row {
    const char* name;
    Count what;
    double wanted;  // what the source prints
    double extra;   // what the scene has in addition: balls
    int steps;      // to run
};

// The sources: Dahl and Bargteil 2019, Table 1; Hecht et al. 2012, Tables I, IV and V; Wang and
// Yang 2016, Table 1; Zeng et al. 2022, Figs. 9 and 10, Table 3. Hecht's dragon has no printed
// count: see the scene.
constexpr Row rows[] = {
    {"bowling", Count::nodes, 475, 0, 20},
    {"snowman", Count::nodes, 508, 0, 20},
    {"cars_spin", Count::nodes, 4734, 0, 5},
    {"cars_sideways", Count::nodes, 4734, 0, 5},
    {"dragon_drop", Count::tets, 26000, 0, 5},
    {"bear_squash", Count::tets, 30490, 0, 5},
    {"sheet_on_sphere", Count::tets, 15000, 0, 2},
    {"trampoline", Count::tets, 22500, 0, 2},
    {"hanging_sheet", Count::tets, 7500, 384, 2},
    {"spider", Count::tets, 12683, 0, 2},
    {"sculpture_small", Count::tets, 6681, 0, 5},
    {"sculpture_small_5e7", Count::tets, 6681, 0, 5},
    {"sculpture_small_5e8", Count::tets, 6681, 0, 5},
    {"sculpture_medium", Count::tets, 115712, 0, 2},
    {"sculpture_medium_5e7", Count::tets, 115712, 0, 2},
    {"sculpture_medium_5e8", Count::tets, 115712, 0, 2},
    {"sculpture_large", Count::tets, 329131, 0, 2},
    {"sculpture_large_5e7", Count::tets, 329131, 0, 2},
    {"sculpture_large_5e8", Count::tets, 329131, 0, 2},
    {"three_torus_stiff", Count::tets, 19172, 0, 5},
    {"three_torus_soft", Count::tets, 19172, 0, 5},
    {"bowl_of_bears", Count::tets, 244625, 0, 1},
    {"dragon_twist", Count::tets, 58000, 0, 2},
    {"armadillo_pull", Count::tets, 55000, 0, 2},
    {"box_stretch", Count::tets, 72000, 0, 2},
    {"box_compress", Count::tets, 72000, 0, 2},
    {"box_twist", Count::tets, 72000, 0, 2},
    {"dragon_rubber", Count::tets, 58000, 0, 2},
    {"armadillo_rubber", Count::tets, 55000, 0, 2},
    {"box_rubber", Count::tets, 72000, 0, 2},
    {"helix_rubber", Count::tets, 41000, 0, 2},
    {"dress", Count::nodes, 15000, 0, 2},
    {"double_helix_41k", Count::tets, 41000, 0, 2},
    {"double_helix_82k", Count::tets, 82000, 0, 2},
    {"double_helix_158k", Count::tets, 158000, 0, 2},
    {"double_helix_316k", Count::tets, 316000, 0, 2},
    {"raptor_plane_36k", Count::dofs, 36069, 0, 2},
    {"raptor_plane_59k", Count::dofs, 59529, 0, 2},
    {"armadillo_torus", Count::dofs, 31302, 0, 2},
    {"ten_tori", Count::dofs, 10 * 3357, 0, 2},
    {"rolling_cylinder", Count::dofs, 26082, 0, 2},
    {"heterogeneous_armadillo", Count::dofs, 31302, 0, 2},
    {"pad_on_sphere", Count::dofs, 6561, 0, 5},
    {"stack", Count::dofs, 30240, 0, 2},
    {"heterogeneous_stack", Count::dofs, 2205, 0, 20},
    {"needle", Count::dofs, 12555, 0, 2},
    {"gripper", Count::dofs, 30033 + 2 * 474, 0, 2},
    {"pick_and_place", Count::dofs, 30033 + 2 * 474, 0, 2},
};

/// Scenes of limber's own, with no count to hold.
const std::set<std::string> own = {"bar_gravity", "hanging_cloth", "modes_beam",
                                   "pneunet",     "rubber_twist",  "soft_finger",
                                   "sphere_drop", "static_beam",   "twisted_beam"};

fs::path file_of(const std::string& name) {
    return fs::path(LIMBER_SOURCE_DIR) / "scenes" / (name + ".toml");
}

double count(const nlohmann::json& summary, Count what) {
    double sum = 0;
    for (const auto& body : summary["bodies"])
        sum += what == Count::tets ? body["tets"].get<double>()
                                   : body["nodes"].get<double>() * (what == Count::dofs ? 3 : 1);
    return sum;
}

class SceneFile : public testing::TestWithParam<Row> {};

/// One run for all that it can tell: making the larger meshes takes seconds. Ten iterations of a
/// solve are enough to see whether it is sound.
TEST_P(SceneFile, has_the_size_of_its_source_and_finite_first_steps) {
    const Row& row = GetParam();
    const TempFolder folder;
    constexpr int patience = 280;  // [s]: sanitizers make the largest scenes slow
    const SceneDef scene = load_scene(file_of(row.name).string());
    const std::string& kind = scene.solver.options.name;
    std::vector<std::string> command = {
        "run",     file_of(row.name).string(), "-o",    (folder / "run").string(),
        "--steps", std::to_string(row.steps),  "--set", "output.formats=[]"};
    if (kind == "descent" || kind == "corotational") {
        command.emplace_back("--set");
        command.push_back(std::string("solver.") +
                          (kind == "descent" ? "iterations" : "max_iterations") + "=10");
    }
    const ProgramResult result = limber(command, {}, patience);
    ASSERT_EQ(result.code, 0) << result.err;
    const auto summary = nlohmann::json::parse(text_of(folder / "run/summary.json"));
    EXPECT_NEAR(count(summary, row.what), row.wanted + row.extra, 0.1 * row.wanted);
    EXPECT_EQ(summary["steps"], row.steps);
    EXPECT_EQ(summary["finite"], true);
    EXPECT_TRUE(std::isfinite(summary["energy"]["last"].get<double>()));
}

INSTANTIATE_TEST_SUITE_P(Of, SceneFile, testing::ValuesIn(rows),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SceneFiles, are_all_in_the_table) {
    std::set<std::string> known = own;
    for (const Row& row : rows) known.insert(row.name);
    for (const auto& entry : fs::directory_iterator(file_of("x").parent_path())) {
        if (entry.path().extension() != ".toml") continue;
        EXPECT_TRUE(known.contains(entry.path().stem().string())) << entry.path();
    }
}

TEST(SceneFiles, name_their_source_and_write_at_most_a_hundred_frames) {
    for (const Row& row : rows) {
        const std::string text = text_of(file_of(row.name));
        const std::string first = text.substr(0, text.find('\n'));
        EXPECT_EQ(first.substr(0, 2), "# ");
        const bool figure = first.find("Fig") != std::string::npos;
        const bool table = first.find("Table") != std::string::npos;
        EXPECT_TRUE((figure || table) && first.find(" 20") != std::string::npos) << first;
        const SceneDef scene = load_scene(file_of(row.name).string());
        EXPECT_LE(scene.time.n_steps() / scene.output.every, 100) << row.name;
    }
}

/// Hecht's Table I: three meshes, three moduli; the nine files differ in nothing else.
TEST(SceneFiles, of_the_sculpture_are_the_nine_cells_of_the_table) {
    for (const char* mesh : {"small", "medium", "large"}) {
        const SceneDef soft = load_scene(file_of(std::string("sculpture_") + mesh).string());
        for (const auto& [suffix, young] : {std::pair{"_5e7", 5e7}, std::pair{"_5e8", 5e8}}) {
            const SceneDef stiff =
                load_scene(file_of(std::string("sculpture_") + mesh + suffix).string());
            EXPECT_EQ(stiff.bodies[0].shape->tets, soft.bodies[0].shape->tets);
            EXPECT_EQ(stiff.materials.at("rubber").young, young);
        }
        EXPECT_EQ(soft.materials.at("rubber").young, 5e6);
    }
}

TEST(ListScenes, prints_the_folder_names_and_first_comments) {
    const ProgramResult result = limber({"list", "scenes"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out.substr(0, result.out.find('\n')),
              std::string(LIMBER_SOURCE_DIR) + "/scenes:");
    EXPECT_NE(result.out.find("snowman.toml                 A snowman sways"), std::string::npos);
}

TEST(ListScenes, looks_where_the_environment_says) {
    const TempFolder folder;
    write_text(folder / "mine.toml", "# About mine.\nlimber = 1\n");
    write_text(folder / "notes.txt", "no scene");
    const auto set = [&] { setenv("LIMBER_SCENES", folder.path().c_str(), 1); };
    EXPECT_EQ(limber({"list", "scenes"}, set).out,
              folder.path().string() + ":\nmine.toml                    About mine.\n");
    const ProgramResult wrong =
        limber({"list", "scenes"}, [] { setenv("LIMBER_SCENES", "/no/such/folder", 1); });
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.err.find("LIMBER_SCENES '/no/such/folder' is not a folder"), std::string::npos);
}

/// Runs a copy of the program at `place` instead.
ProgramResult limber_at(const fs::path& place, const std::vector<std::string>& arguments) {
    return limber(arguments, [&] {
        std::vector<char*> argv = {const_cast<char*>("limber")};
        for (const std::string& argument : arguments)
            argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        unsetenv("LIMBER_SCENES");
        execv(place.c_str(), argv.data());
        _exit(126);
    });
}

/// A copy of the program, in folders that are made for it.
fs::path copy_program(const fs::path& place) {
    fs::create_directories(place.parent_path());
    fs::copy_file(LIMBER_PROGRAM, place);
    return place;
}

TEST(ListScenes, are_found_from_a_program_that_was_moved) {
    const TempFolder folder;
    const auto first_line = [&](const fs::path& program) {
        const ProgramResult r = limber_at(program, {"list", "scenes"});
        EXPECT_EQ(r.code, 0) << r.err;
        return r.out.substr(0, r.out.find('\n'));
    };
    const fs::path program = copy_program(folder / "tree/build/release/limber");
    EXPECT_EQ(first_line(program), std::string(LIMBER_SOURCE_DIR) + "/scenes:")
        << "the program alone: the tree it was built from";
    const auto add_scenes = [&](const fs::path& scenes) {
        fs::create_directories(scenes);
        write_text(scenes / "mine.toml", "# About mine.\nlimber = 1\n");
        return scenes.string() + ":";
    };
    fs::create_directories(folder / "tree/build/share/limber/scenes");  // empty: not believed
    const std::string of_the_tree = add_scenes(folder / "tree/scenes");
    EXPECT_EQ(first_line(program), of_the_tree) << "the whole tree was moved";
    const std::string beside = add_scenes(folder / "tree/build/release/scenes");
    EXPECT_EQ(first_line(program), beside);
    const std::string installed = add_scenes(folder / "tree/build/share/limber/scenes");
    EXPECT_EQ(first_line(program), installed);
}

TEST(Benches, say_how_to_build_them_where_they_are_not) {
    const TempFolder folder;
    const fs::path program = copy_program(folder / "bin/limber");
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"bench", "dahl2019-fig3"}, {"list", "benches"}}) {
        const ProgramResult r = limber_at(program, arguments);
        EXPECT_EQ(r.code, 2);
        EXPECT_NE(r.err.find((folder / "bin/limber-bench").string() + " is not there"),
                  std::string::npos)
            << r.err;
        EXPECT_NE(r.err.find("--target limber_bench"), std::string::npos) << r.err;
    }
}

}  // namespace
}  // namespace limber::test
