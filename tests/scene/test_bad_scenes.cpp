// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of bad scenes: each is refused at its place, with what was found and what is
// allowed. S23, S24 and what needs a mesh have tests of their own.

#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::good_scene;
using test::input_error;
using test::replaced;
using test::scene_of;

struct Bad {
    const char* name;
    std::string text;               // the scene
    int line;                       // where the error is
    std::vector<const char*> says;  // parts of the message
};
void PrintTo(const Bad& bad, std::ostream* out) {
    *out << bad.name;
}

Bad change(const char* name, const std::string& from, const std::string& to, int line,
           std::vector<const char*> says) {
    return {name, replaced(good_scene, from, to), line, std::move(says)};
}
/// Lines 15 and on.
Bad more(const char* name, const std::string& text, int line, std::vector<const char*> says) {
    return {name, good_scene + text, line, std::move(says)};
}

const char* const pin = "[[pin]]\nbody = \"bar\"\n";      // lines 15, 16
const char* const force = "[[force]]\nbody = \"bar\"\n";  // lines 15, 16

/// The body of lines 9 and on as cloth, under a solver that takes it.
Bad cloth(const char* name, const std::string& body, int line, std::vector<const char*> says,
          const std::string& solver = "newton") {
    return {name,
            "limber = 1\n[time]\nstep = 0.01\nsteps = 10\n[solver]\nkind = \"" + solver +
                "\"\n[material.linen]\ndamping = { stiffness = 0.1 }\n[[body]]\nname = \"flag\"\n" +
                body,
            line, std::move(says)};
}
const char* const thin = "cloth = { thickness = 0.001 }\n";

std::vector<Bad> catalogue() {
    return {
        // Cloth
        cloth("cloth_linear", "shape = \"cloth_sheet\"\n" + std::string(thin), 12,
              {"body[0].cloth cannot go with solver.kind = \"cholesky\"",
               "allowed: a solver that minimises (newton"},
              "cholesky"),
        cloth("cloth_missing", "shape = \"dress\"\n", 11,
              {"shape = \"dress\" is a surface of triangles", "cloth = { thickness"}),
        cloth("cloth_solid", "shape = \"box\"\n" + std::string(thin), 11,
              {"shape cannot go with cloth", "allowed: \"cloth_sheet\", \"dress\""}),
        cloth("cloth_thickness", "shape = \"dress\"\ncloth = {}\n", 12,
              {"required key 'thickness' is missing"}),
        cloth("cloth_mass", "shape = \"dress\"\nmass = \"consistent\"\n" + std::string(thin), 12,
              {"mass cannot go with cloth", "lumped"}),
        cloth("cloth_damping", "shape = \"dress\"\nmaterial = \"linen\"\n" + std::string(thin), 8,
              {"damping.stiffness is for tets; body 'flag' is cloth", "damping.viscous"}),
        cloth("cloth_tets", "shape = \"dress\"\ntets = 100\n" + std::string(thin), 12,
              {"key 'tets' belongs to"}),
        cloth("cloth_projective", "shape = \"dress\"\n" + std::string(thin), 12,
              {"constant matrix for springs and flat hinges alone", "stretch = \"springs\""},
              "projective_dynamics"),
        more("viscous_linear",
             "[solver]\nkind = \"corotational\"\n[material.honey]\ndamping = { viscous = 1 "
             "}\n[[body]]\nname = \"b\"\nshape = \"box\"\n"
             "material = \"honey\"\n",
             18,
             {"damping.viscous cannot go with solver.kind = \"corotational\"",
              "a solver that minimises"}),
        // S03 unknown keys
        change("S03_material", "young =", "yougn =", 6,
               {"material.rubber: unknown key 'yougn'", "did you mean 'young'?", "allowed:"}),
        change("S03_top", "limber = 1", "limber = 1\ngravty = [0,0,0]", 2,
               {"scene: unknown key 'gravty'", "did you mean 'gravity'?"}),
        more("S03_solver", "[solver]\nmax_iteration = 5\n", 16,
             {"solver (kind = \"corotational\"): unknown key 'max_iteration'",
              "did you mean 'max_iterations'?"}),
        more("S03_select", std::string(pin) + "select = { sied = \"x-\" }\n", 17,
             {"pin[0].select: unknown key 'sied'", "did you mean 'side'?"}),
        more("S03_defaults", "[defaults.body]\nmateriel = \"a\"\n", 16,
             {"defaults.body: unknown key 'materiel'", "did you mean 'material'?"}),
        // S04 required keys
        change("S04_version", "limber = 1\n", "", 1, {"scene: required key 'limber' is missing"}),
        change("S04_time", "[time]\nstep = 0.01\nsteps = 10\n", "", 1,
               {"scene: required key 'time' is missing"}),
        change("S04_end", "steps = 10\n", "", 2,
               {"time: required key is missing", "exactly one of: end, steps"}),
        change("S04_body_name", "name = \"bar\"\n", "", 9,
               {"body[0]: required key 'name' is missing"}),
        change("S04_mesh", "shape = \"beam\"\nsize = [1, 0.2, 0.2]\ncells = [4, 1, 1]\n", "", 9,
               {"body[0]: required key is missing", "exactly one of: mesh, shape"}),
        more("S04_select", pin, 15,
             {"pin[0]: required key is missing; allowed: exactly one of: select, file"}),
        more("S04_radius", "[[obstacle]]\nshape = \"sphere\"\n", 15,
             {"obstacle[0]: required key 'radius' is missing"}),
        more("S04_tag_by_another_name", "[[obstacle]]\nkind = \"plane\"\n", 16,
             {"obstacle[0]: unknown key 'kind'", "did you mean 'shape'?"}),
        // S05 types
        change("S05_text", "young = 1e6", "young = \"stiff\"", 6,
               {"material.rubber.young: found a string \"stiff\"", "wanted a number > 0"}),
        change("S05_no_unit_here", "poisson = 0.4", "poisson = \"0.4\"", 7,
               {"found a string \"0.4\"; wanted a number"}),
        change("S05_unit", "young = 1e6", "young = \"1 mPA\"", 6,
               {"unknown unit 'mPA'", "allowed: Pa, kPa, MPa", "did you mean 'MPa'?"}),
        change("S05_vector", "size = [1, 0.2, 0.2]", "size = [1, 0.2]", 12,
               {"body[0].size: found an array of 2; wanted an array of 3 numbers"}),
        change("S05_whole_number", "steps = 10", "steps = 1.5", 4,
               {"time.steps: found a number 1.5; wanted a whole number"}),
        change("S05_boolean", "steps = 10", "steps = 10\n[output]\nenergy = 1", 6,
               {"output.energy: found a whole number 1; wanted true or false"}),
        change("S05_table", "[time]\nstep = 0.01\nsteps = 10", "time = 5", 2,
               {"time: found a whole number 5; wanted a table"}),
        change("S05_name", "name = \"bar\"", "name = \"../bar\"", 10,
               {"body[0].name = \"../bar\"", "letters, digits"}),
        // S06 to S09 materials
        change("S06_zero", "young = 1e6", "young = 0", 6,
               {"material.rubber.young = 0; allowed: a number > 0 and <= 1e+15 [Pa]"}),
        change("S06_negative", "young = 1e6", "young = \"-1 MPa\"", 6,
               {"material.rubber.young = \"-1 MPa\"", "> 0"}),
        change("S06_nan", "young = 1e6", "young = nan", 6,
               {"material.rubber.young = nan; allowed: a finite number > 0"}),
        change("S06_huge", "young = 1e6", "young = 1e300", 6,
               {"material.rubber.young = 1e+300", "<= 1e+15"}),
        change("S07_half", "poisson = 0.4", "poisson = 0.5", 7,
               {"material.rubber.poisson = 0.5; allowed: a number > -1 and < 0.5"}),
        change("S07_more", "poisson = 0.4", "poisson = 0.7", 7, {"poisson = 0.7", "< 0.5"}),
        change("S07_minus_one", "poisson = 0.4", "poisson = -1", 7, {"poisson = -1", "> -1"}),
        change("S07_nan", "poisson = 0.4", "poisson = nan", 7, {"poisson = nan", "finite"}),
        change("S08_zero", "density = 1000", "density = 0", 8, {"density = 0", "> 0"}),
        change("S08_negative", "density = 1000", "density = -5", 8, {"density = -5", "> 0"}),
        change("S09_bulk", "young = 1e6\npoisson = 0.4", "mu = 3e5\nlambda = -2.5e5", 7,
               {"material.rubber: mu = 3e+05 and lambda = -250000", "bulk modulus of -50000 Pa",
                "> 0"}),
        change("S09_mixed", "poisson = 0.4", "mu = 1e5\nlambda = 1e5", 7,
               {"material.rubber: young, mu are given together", "at most one of: young, mu"}),
        change("S09_half_a_pair", "young = 1e6\npoisson = 0.4", "mu = 1e5", 6,
               {"key 'mu' needs the key 'lambda'"}),
        // S11 time
        change("S11_zero", "step = 0.01", "step = 0", 3, {"time.step = 0", "> 0 and <= 1 [s]"}),
        change("S11_negative", "step = 0.01", "step = -0.01", 3, {"time.step = -0.01"}),
        change("S11_nan", "step = 0.01", "step = nan", 3, {"time.step = nan"}),
        change("S11_huge", "step = 0.01", "step = 1e9", 3, {"time.step = 1e+09", "<= 1"}),
        change("S11_steps", "steps = 10", "steps = -1", 4, {"time.steps = -1", ">= 0"}),
        change("S11_steps_2_63", "steps = 10", "steps = 9223372036854775808", 4,
               {"not valid TOML"}),
        change("S11_steps_huge", "steps = 10", "steps = 9223372036854775807", 4,
               {"time.steps = 9223372036854775807", "<= 1e+15"}),
        change("S11_end_and_steps", "steps = 10", "steps = 10\nend = 1", 4,
               {"time: end, steps are given together"}),
        // S12 unknown names
        change("S12_law", "young =", "kind = \"rubbery\"\nyoung =", 6,
               {"material.rubber.kind = \"rubbery\"; allowed: one of: corotated, linear"}),
        more("S12_solver", "[solver]\nkind = \"corotationl\"\n", 16,
             {"solver.kind = \"corotationl\"; allowed: one of: auto, corotational, cholesky",
              "did you mean 'corotational'?"}),
        more("S12_preconditioner", "[solver]\npreconditioner = \"ilu\"\n", 16,
             {"solver.preconditioner = \"ilu\"", "identity, mass, jacobi, block_jacobi"}),
        more("S12_contact", "[contact]\nmethod = \"penalti\"\n", 16,
             {"contact.method = \"penalti\"", "none, penalty", "did you mean 'penalty'?"}),
        change(
            "S12_analysis", "step = 0.01", "step = 0.01\nanalysis = \"statics\"", 4,
            {"time.analysis = \"statics\"; allowed: one of: dynamic, quasi_static, static, modal"}),
        change("S12_modal_without_modes", "step = 0.01", "step = 0.01\nanalysis = \"modal\"", 4,
               {"needs time.modes"}),
        change("S12_static_under_a_linear_solver", "[time]",
               "[solver]\nkind = \"corotational\"\n[time]\nanalysis = \"static\"", 5,
               {"cannot go with solver.kind = \"corotational\"", "newton"}),
        change("S12_material", "material = \"rubber\"", "material = \"ruber\"", 14,
               {"body[0].material = \"ruber\": there is no such material", "allowed: rubber",
                "did you mean 'rubber'?"}),
        change("S12_shape", "shape = \"beam\"", "shape = \"beem\"", 11,
               {"body[0].shape = \"beem\"", "did you mean 'beam'?"}),
        // S13 names that do not go together
        more("S13_direct_matrix_free",
             "[solver]\nlinear = \"eigen_ldlt\"\noperator = \"matrix_free\"\n", 17,
             {"cannot go with linear = \"eigen_ldlt\"", "needs the assembled matrix"}),
        more("S13_cholesky_pcg", "[solver]\nkind = \"cholesky\"\nlinear = \"pcg\"\n", 17,
             {"kind = \"cholesky\" cannot go with linear = \"pcg\""}),
        change("S13_shape_key", "size = [1, 0.2, 0.2]", "radius = 1", 12,
               {"key 'radius' belongs to cylinder, sphere, not to shape = \"beam\""}),
        // S14 selections
        more("S14_empty", std::string(pin) + "select = { box = [[5,5,5],[6,6,6]] }\n", 17,
             {"pin[0].select selects no node of body 'bar'"}),
        more("S14_group", std::string(pin) + "select = { group = \"X-\" }\n", 17,
             {"pin[0].select.group = \"X-\"", "no such node group", "did you mean 'x-'?"}),
        more("S14_id", std::string(pin) + "select = { nodes = [0, 999] }\n", 17,
             {"pin[0].select.nodes: body 'bar' has no node 999", "between 0 and 19"}),
        more("S14_twice", std::string(pin) + "select = { nodes = [3, 4, 3] }\n", 17,
             {"pin[0].select.nodes: node 3 is given twice"}),
        more("S14_two_forms", std::string(pin) + "select = { side = \"x-\", nodes = [1] }\n", 17,
             {"pin[0].select: side, nodes are given together"}),
        more("S14_body", "[[pin]]\nbody = \"baar\"\nselect = { side = \"x-\" }\n", 16,
             {"pin[0].body = \"baar\": there is no such body", "did you mean 'bar'?"}),
        more("S14_box_order", std::string(pin) + "select = { box = [[1,1,1],[0,0,0]] }\n", 17,
             {"pin[0].select.box: the first corner [1, 1, 1] lies beyond the second [0, 0, 0]"}),
        // S15 fixed and moved
        more("S15",
             std::string(pin) + "select = { side = \"x-\" }\n" + pin +
                 "select = { side = \"x-\" }\nmotion = { times = [0, 1], translate = "
                 "[[0,0,0],[1,0,0]] }\n",
             18, {"of body 'bar' is held along x by pin[0] (line 15) and pin[1] (line 18)"}),
        // S18 loads
        more("S18_set", std::string(force) + "select = { group = \"top\" }\ntotal = [0,-1,0]\n", 17,
             {"force[0].select.group = \"top\"", "no such node group"}),
        more("S18_nan", std::string(force) + "total = [0, nan, 0]\n", 17,
             {"force[0].total[1] = nan; allowed: a finite number"}),
        more("S18_times",
             std::string(force) + "each = [0,1,0]\ntimes = [0, 2, 1]\nscale = [0, 1, 2]\n", 18,
             {"force[0].times[2] = 1 comes after 2; allowed: increasing times"}),
        more("S18_lengths", std::string(force) + "each = [0,1,0]\ntimes = [0, 2]\nscale = [0]\n",
             19, {"force[0].scale has 1 entries for 2 times"}),
        more("S18_two_kinds", std::string(force) + "each = [0,1,0]\ntotal = [0,1,0]\n", 17,
             {"force[0]: total, each are given together"}),
        more("S18_no_face", std::string(force) + "select = { nodes = [0] }\ntraction = [0,1,0]\n",
             18, {"force[0]: no boundary face of body 'bar' has all three nodes selected"}),
        more("S18_motion",
             std::string(pin) +
                 "select = { side = \"x-\" }\n[pin.motion]\ntimes = [0, 0]\nangle = [0, 1]\n",
             19, {"pin[0].motion.times[1] = 0 comes after 0"}),
        // S19 friction
        more("S19_negative", "[[obstacle]]\nshape = \"plane\"\nfriction = -0.1\n", 17,
             {"obstacle[0].friction = -0.1; allowed: a number >= 0"}),
        more("S19_nan", "[[obstacle]]\nshape = \"plane\"\nfriction = nan\n", 17,
             {"obstacle[0].friction = nan"}),
        more("S19_huge", "[contact]\nfriction = 1e9\n", 16, {"contact.friction = 1e+09", ">= 0"}),
        // S21 normals and axes
        more("S21_zero", "[[obstacle]]\nshape = \"plane\"\nnormal = [0, 0, 0]\n", 17,
             {"obstacle[0].normal = [0, 0, 0]; allowed: a finite vector that is not zero"}),
        more("S21_nan", "[[obstacle]]\nshape = \"plane\"\nnormal = [0, nan, 0]\n", 17,
             {"obstacle[0].normal[1] = nan"}),
        more("S21_huge", "[[obstacle]]\nshape = \"plane\"\nnormal = [0, 1e300, 0]\n", 17,
             {"obstacle[0].normal = [0, 1e+300, 0]"}),
        more("S21_select",
             std::string(pin) + "select = { plane = { point = [0,0,0], normal = [0,0,0] } }\n", 17,
             {"pin[0].select.plane.normal = [0, 0, 0]"}),
        more("S21_axis",
             std::string(pin) + "select = { side = \"x-\" }\nmotion = { times = [0], angle = [1], "
                                "axis = [0,0,0] }\n",
             18, {"pin[0].motion.axis = [0, 0, 0]"}),
        // S22 names
        more("S22", "[[body]]\nname = \"bar\"\nshape = \"box\"\n", 16,
             {"two bodies are named 'bar': scene.toml:10 and scene.toml:16"}),
        // S25 transforms
        more("S25_zero", "scale = 0\n", 15, {"body[0].scale", "determinant 0"}),
        more("S25_mirror", "scale = [-1, 1, 1]\n", 15, {"body[0].scale", "determinant -1"}),
        more("S25_two_mirrors", "scale = [-1, -1, 1]\n", 15, {"body[0].scale", "positive"}),
        more("S25_skewed", "rotate = [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]\n", 15,
             {"body[0].rotate: determinant 1, orthogonality error 0.5"}),
        more("S25_mirror_matrix", "rotate = [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]\n", 15,
             {"body[0].rotate: determinant -1, orthogonality error 0"}),
        more("S25_axis", "rotate = { axis = [0, 0, 0], angle = 5 }\n", 15,
             {"body[0].rotate = [0, 0, 0]"}),
        // S28 solver figures
        more("S28_budget", "[solver]\nmax_iterations = -1\n", 16,
             {"solver.max_iterations = -1; allowed: a whole number >= 0"}),
        more("S28_tolerance_0", "[solver]\nrel_tolerance = 0\n", 16,
             {"solver.rel_tolerance = 0; allowed: a number > 0 and < 1"}),
        more("S28_tolerance_1", "[solver]\nrel_tolerance = 1\n", 16, {"solver.rel_tolerance = 1"}),
        more("S28_tolerance_nan", "[solver]\nrel_tolerance = nan\n", 16,
             {"solver.rel_tolerance = nan"}),
        more("S28_huge_budget", "[solver]\nmax_iterations = 3000000000\n", 16,
             {"solver.max_iterations = 3000000000"}),
        // Shapes and parts
        change("shape_cells", "cells = [4, 1, 1]", "cells = [4]", 11, {"body[0]: ", "cells"}),
        more("contact_ignores_nobody", "[contact]\nignore = [[\"bar\", \"flor\"]]\n", 16,
             {"contact.ignore", "flor", "no such body or obstacle"}),
        more("contact_ignores_two_obstacles",
             "[contact]\nignore = [[\"a\", \"b\"]]\n[[obstacle]]\nname = \"a\"\nshape = \"plane\"\n"
             "[[obstacle]]\nname = \"b\"\nshape = \"plane\"\n",
             16, {"contact.ignore", "a pair with a body in it"}),
        more("parts", "parts = 2\n", 15, {"has 1 connected parts; the scene says parts = 2"}),
    };
}

class BadScene : public testing::TestWithParam<Bad> {};

TEST_P(BadScene, is_refused_at_its_place) {
    const Bad& bad = GetParam();
    const std::string error = input_error([&] {
        BuildReport report;
        build_model(scene_of(bad.text), report);
    });
    const std::string place = "scene.toml:" + std::to_string(bad.line) + ':';
    EXPECT_EQ(error.rfind(place, 0), 0u) << "wanted " << place << "\ngot    " << error;
    for (const char* part : bad.says)
        EXPECT_NE(error.find(part), std::string::npos) << "wanted " << part << "\ngot    " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, BadScene, testing::ValuesIn(catalogue()),
                         [](const auto& p) { return p.param.name; });

TEST(BadScenes, the_scene_they_start_from_is_good) {
    BuildReport report;
    EXPECT_NO_THROW(build_model(scene_of(good_scene), report));
    EXPECT_TRUE(report.warnings.empty());
}

TEST(BadScenes, an_iteration_budget_of_zero_is_allowed) {  // S28: it returns the initial guess
    EXPECT_NO_THROW(scene_of(good_scene + "[solver]\nmax_iterations = 0\n"));
}

TEST(BadScenes, json_reports_the_same_errors_with_its_own_places) {
    const std::string error = input_error([] {
        make_scene(parse_json("{\n \"limber\": 1,\n \"time\": {\"stpe\": 1, \"end\": 1},\n"
                              " \"body\": [{\"name\": \"a\", \"shape\": \"box\"}]\n}",
                              "s.json"),
                   "s.json");
    });
    EXPECT_EQ(error.rfind("s.json:3:11: error: time: unknown key 'stpe'", 0), 0u) << error;
    EXPECT_NE(error.find("did you mean 'step'?"), std::string::npos) << error;
}

TEST(BadScenes, a_whole_number_beyond_63_bits_in_json_is_out_of_range) {  // S11
    const std::string error = input_error([] {
        make_scene(parse_json("{\"limber\": 1, \"time\": {\"steps\": 9223372036854775808},\n"
                              " \"body\": [{\"name\": \"a\", \"shape\": \"box\"}]}",
                              "s.json"),
                   "s.json");
    });
    EXPECT_NE(error.find("time.steps = 9223372036854775808; allowed"), std::string::npos) << error;
}

TEST(BadScenes, control_characters_are_shown_escaped) {
    const std::string error = input_error([] { scene_of(good_scene + "\"\\u001b[31m\" = 1\n"); });
    EXPECT_NE(error.find("unknown key '\\x1b[31m'"), std::string::npos) << error;
}

/// Loads and builds; anything but success or an InputError fails the test by escaping.
void survive(const std::string& text) {
    try {
        BuildReport report;
        build_model(scene_of(text), report);
    } catch (const InputError& e) {
        EXPECT_GT(e.message().size(), 5u);
    }
}

const std::string wide_scene = good_scene + R"(scale = [1, 2, 3]
rotate = [10, 20, 30]
[solver]
max_iterations = 20
[[pin]]
body = "bar"
select = { sphere = { center = [0, 0, 0], radius = 1 } }
motion = { times = [0, 1], angle = [0, 90], axis = [1, 0, 0] }
[[force]]
body = "bar"
select = { nodes = [1, 2, 3] }
total = [0, 1, 0]
[[obstacle]]
shape = "torus"
radius = 1
tube = 0.3
)";

TEST(BadScenes, lines_taken_out_doubled_or_swapped_never_do_worse_than_an_input_error) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < wide_scene.size();) {
        const std::size_t end = wide_scene.find('\n', at) + 1;
        lines.push_back(wide_scene.substr(at, end - at));
        at = end;
    }
    const auto joined_lines = [](const std::vector<std::string>& parts) {
        std::string text;
        for (const std::string& part : parts) text += part;
        return text;
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::vector<std::string> changed = lines;
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
        survive(joined_lines(changed));
        changed = lines;
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
        survive(joined_lines(changed));
        changed = lines;
        std::swap(changed[i], changed[(i + 1) % lines.size()]);
        survive(joined_lines(changed));
    }
    for (std::size_t n = 0; n < wide_scene.size(); ++n) survive(wide_scene.substr(0, n));
}

TEST(BadScenes, strange_numbers_never_do_worse_than_an_input_error) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    for (std::size_t at = 0; at < wide_scene.size(); ++at) {
        if (!is_digit(wide_scene[at]) || is_digit(wide_scene[at - 1])) continue;
        std::size_t end = at;
        while (is_digit(wide_scene[end])) ++end;
        for (const char* number : {"0", "-1", "2147483648", "9223372036854775808", "1e400", "nan",
                                   "1e300", "1e-300", "", "\"a\"", "[]", "{}"})
            survive(wide_scene.substr(0, at) + number + wide_scene.substr(end));
    }
}

}  // namespace
}  // namespace limber
