// SPDX-License-Identifier: Apache-2.0
//
// All mistakes of a file are told at once, in the order of the file, each with its place.

#include <gtest/gtest.h>

#include <sstream>

#include "limber/scene/build/model.h"
#include "limber/scene/format/error_list.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;
using test::good_scene;
using test::input_error;
using test::replaced;
using test::scene_of;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The error of a scene that loads or builds, as lines.
std::vector<std::string> errors_of(const std::string& toml) {
    return lines_of(input_error([&] {
        BuildReport report;
        build_model(scene_of(toml), report);
    }));
}

void expect_lines(const std::string& toml, const std::vector<std::string>& starts) {
    const std::vector<std::string> lines = errors_of(toml);
    ASSERT_EQ(lines.size(), starts.size()) << testing::PrintToString(lines);
    for (std::size_t i = 0; i < starts.size(); ++i)
        EXPECT_EQ(lines[i].rfind("scene.toml:" + starts[i], 0), 0u) << lines[i];
}

TEST(AllErrors, of_keys_and_values_are_told_in_the_order_of_the_file) {
    std::string scene = replaced(good_scene, "young = 1e6", "yougn = 1e6");
    scene = replaced(scene, "poisson = 0.4", "poisson = 0.7");
    scene = replaced(scene, "shape = \"beam\"", "shape = \"baem\"");
    scene = replaced(scene, "step = 0.01", "step = \"fast\"");
    expect_lines(scene, {"3:8: error: time.step: found a string",
                         "6:1: error: material.rubber: unknown key 'yougn'",
                         "7:11: error: material.rubber.poisson = 0.7; allowed:",
                         "11:9: error: body[0].shape = \"baem\"; allowed:"});
}

TEST(AllErrors, of_missing_keys_and_of_groups_are_told_beside_the_others) {
    std::string scene = replaced(good_scene, "name = \"bar\"\n", "");
    scene += "[[pin]]\nbody = \"bar\"\n[[force]]\nbody = \"bar\"\ntotal = [0, 1]\n";
    expect_lines(scene, {"9:1: error: body[0]: required key 'name' is missing",
                         "14:1: error: pin[0]: required key is missing; allowed: exactly one of: "
                         "select, file",
                         "18:9: error: force[0].total: found an array of 2"});
}

TEST(AllErrors, do_not_follow_from_each_other_where_a_kind_is_wrong) {
    expect_lines(good_scene + "[solver]\nkind = \"newtom\"\nmax_iterations = 3\n",
                 {"16:8: error: solver.kind = \"newtom\""});
}

TEST(AllErrors, of_meaning_are_told_together) {
    std::string scene = replaced(good_scene, "material = \"rubber\"", "material = \"ruber\"");
    scene +=
        "[[pin]]\nbody = \"bra\"\nselect = { side = \"x-\" }\n"
        "[[force]]\nbody = \"bar\"\ntotal = [0, 1, 0]\ntimes = [1, 0]\nscale = [0, 1]\n"
        "[[obstacle]]\nshape = \"plane\"\nnormal = [0, 0, 0]\n"
        "[contact]\nmethod = \"lagrange\"\n[solver]\nkind = \"corotational\"\n";
    expect_lines(scene, {"14:1: error: body[0].material = \"ruber\": there is no such material",
                         "16:1: error: pin[0].body = \"bra\": there is no such body",
                         "21:1: error: force[0].times[1] = 0 comes after 1",
                         "25:1: error: obstacle[0].normal = [0, 0, 0]",
                         "27:1: error: contact.method = \"lagrange\" cannot go with"});
}

TEST(AllErrors, of_selections_are_told_together) {
    expect_lines(good_scene +
                     "[[pin]]\nbody = \"bar\"\nselect = { group = \"left\" }\n"
                     "[[probe]]\nname = \"tip\"\nbody = \"bar\"\nselect = { nodes = [9999] }\n",
                 {"17:12: error: pin[0].select.group = \"left\"",
                  "21:12: error: probe[0].select.nodes: body 'bar' has no node 9999"});
}

TEST(AllErrors, of_several_sets_are_told_together) {
    const std::string error = input_error([] {
        scene_of(good_scene, {.sets = {"body.car.mesh=\"a\"", "nothing"}, .sandbox = false});
    });
    EXPECT_NE(error.find("--set body.car.mesh"), std::string::npos) << error;
    EXPECT_NE(error.find("\n--set nothing"), std::string::npos) << error;
}

TEST(AllErrors, beyond_twenty_are_counted) {
    ErrorList errors;
    for (int i = 30; i > 0; --i) errors.add({{"f", i, 1}, "line " + std::to_string(i)});
    errors.add({{"f", 1, 1}, "line 1"});  // a second time
    const auto lines = lines_of(input_error([&] { errors.throw_if_any(); }));
    ASSERT_EQ(lines.size(), 21u);
    EXPECT_EQ(lines[0], "f:1:1: error: line 1");
    EXPECT_EQ(lines[19], "f:20:1: error: line 20");
    EXPECT_EQ(lines[20], "and 10 more errors");
}

// ---- the key that was meant

struct Slip {
    const char *from, *to, *says;
};

TEST(KeyHints, know_the_names_of_textbooks_and_other_programs) {
    const Slip slips[] = {
        {"young = 1e6", "E = 1e6", "unknown key 'E'"},
        {"young = 1e6", "E = 1e6", "did you mean 'young'?"},
        {"young = 1e6", "youngs_modulus = 1e6", "did you mean 'young'?"},
        {"poisson = 0.4", "nu = 0.4", "did you mean 'poisson'?"},
        {"density = 1000", "rho = 1000", "did you mean 'density'?"},
        {"step = 0.01", "dt = 0.01", "did you mean 'step'?"},
        {"step = 0.01", "timestep = 0.01", "did you mean 'step'?"},
        {"[time]", "g = [0, -9.81, 0]\n[time]", "did you mean 'gravity'?"},
        {"cells = [4, 1, 1]", "position = [0, 1, 0]", "did you mean 'translate'?"},
        {"step = 0.01", "gravity = [0, 0, 0]\nstep = 0.01",
         "'gravity' stands at the top of the file, before the first [table]"},
        {"[time]", "end = 1\n[time]", "'end' belongs to [time]"},
    };
    for (const Slip& slip : slips) {
        const std::string error =
            input_error([&] { scene_of(replaced(good_scene, slip.from, slip.to)); });
        EXPECT_NE(error.find(slip.says), std::string::npos) << slip.to << ": " << error;
    }
}

TEST(KeyHints, suggest_no_key_of_which_no_letter_was_written) {
    const std::string error =
        input_error([] { scene_of(replaced(good_scene, "young = 1e6", "q = 1e6")); });
    EXPECT_EQ(error.find("did you mean"), std::string::npos) << error;
}

// ---- slips that TOML itself explains badly

TEST(TomlHints, say_how_units_words_and_fractions_are_written) {
    const Slip slips[] = {
        {"young = 1e6", "young = 500 kPa", "young = \"500 kPa\""},
        {"young = 1e6", "young = 500kPa  # soft", "young = \"500kPa\""},
        {"density = 1000", "density = 1.1 g/cm^3", "density = \"1.1 g/cm^3\""},
        {"size = [1, 0.2, 0.2]", "size = [1, 20 cm, 0.2]", "in quotes: \"20 cm\""},
        {"density = 1000", "damping = { mass = 1, stiffness = 2 ms }", "stiffness = \"2 ms\""},
        {"shape = \"beam\"", "shape = beam", "text stands in quotes: shape = \"beam\""},
        {"step = 0.01", "step = 1/50", "TOML does not divide: step = 0.02"},
    };
    for (const Slip& slip : slips) {
        const std::string error =
            input_error([&] { scene_of(replaced(good_scene, slip.from, slip.to)); });
        EXPECT_NE(error.find(slip.says), std::string::npos) << slip.to << ": " << error;
        EXPECT_NE(error.find("not valid TOML"), std::string::npos) << error;
    }
}

TEST(TomlHints, are_silent_where_something_else_is_wrong) {
    for (const char* line : {"young = \"1 MPa", "young 5", "young = [1, 2", "young = 1 = 2"}) {
        const std::string error =
            input_error([&] { scene_of(replaced(good_scene, "young = 1e6", line)); });
        EXPECT_NE(error.find("not valid TOML"), std::string::npos) << line;
        EXPECT_EQ(error.find("quotes:"), std::string::npos) << error;
    }
}

}  // namespace
}  // namespace limber
