// SPDX-License-Identifier: Apache-2.0
#include "limber/study/line_up.h"

#include <gtest/gtest.h>

#include "limber/contact/methods/penalty.h"
#include "study/study_scene.h"

namespace limber {
namespace {

using test::Folder;
using test::has;
using test::input_error;

struct LinedUpSolvers : testing::Test {
    Folder folder;
    LineUp line(const std::string& scene, const std::string& solvers,
                const std::vector<std::string>& sets = {}, const std::string& reference = "") {
        StudyScene study = test::study_scene(folder, scene);
        study.load.sets = sets;
        return line_up(study, parse_solvers(solvers, "--solvers"),
                       reference.empty() ? std::nullopt : std::optional(test::spec_of(reference)));
    }
    static std::string running(const LineUp& line) {
        std::string out;
        for (const LinedUp& solver : line.solvers) out += solver.scene ? '1' : '0';
        return out;
    }
    static std::string method(const LineUp& line) {
        return line.first_scene().contact.options.name;
    }
};

TEST_F(LinedUpSolvers, that_do_not_take_the_law_are_left_out_with_the_reason) {
    const LineUp r = line(test::rubber_scene, "cholesky,newton,xpbd,descent");
    EXPECT_EQ(running(r), "0101");
    EXPECT_TRUE(has(r.solvers[0].refusal->what(), "bar.toml:")) << r.solvers[0].refusal->what();
    EXPECT_TRUE(has(r.solvers[0].refusal->message(), "mooney_rivlin"));
    EXPECT_TRUE(has(r.solvers[2].refusal->message(), "xpbd"));
    EXPECT_EQ(r.contact_note, "");
}

TEST_F(LinedUpSolvers, of_any_family_take_a_law_that_the_scenes_own_solver_does_not) {
    const LineUp r = line(test::bar_scene, "newton", {"material.rubber.kind=stvk"});
    EXPECT_EQ(running(r), "1");
}

TEST_F(LinedUpSolvers, have_one_contact_where_auto_would_give_them_several) {
    const std::string floor =
        test::bar_scene +
        "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\nposition = [0, -1, 0]\n"
        "[contact]\nfriction = 0.7\n";
    const LineUp same = line(floor, "cholesky,newton");
    EXPECT_EQ(method(same), "lagrange");
    EXPECT_EQ(same.contact_note, "");
    const LineUp mixed = line(floor, "cholesky,corotational");
    EXPECT_EQ(running(mixed), "11");
    for (const LinedUp& solver : mixed.solvers) {
        ASSERT_EQ(solver.scene->contact.options.name, "penalty");
        EXPECT_EQ(solver.scene->contact.options.as<PenaltyOptions>().friction, 0.7);
    }
    EXPECT_TRUE(has(mixed.contact_note, "`corotational` cannot have contact by constraints"))
        << mixed.contact_note;
    const LineUp asked = line(floor, "cholesky,corotational", {"contact.method=\"lagrange\""});
    EXPECT_EQ(running(asked), "10");
}

TEST_F(LinedUpSolvers, none_of_which_can_run_are_an_input_error) {
    const std::string one = input_error([&] { line(test::rubber_scene, "cholesky"); });
    EXPECT_TRUE(has(one, "bar.toml:")) << one;
    EXPECT_TRUE(has(one, "mooney_rivlin")) << one;
    const std::string two = input_error([&] { line(test::rubber_scene, "cholesky,xpbd"); });
    EXPECT_TRUE(has(two, "no solver of the list can run")) << two;
    EXPECT_TRUE(has(two, "cholesky: ") && has(two, "xpbd: ")) << two;
}

TEST_F(LinedUpSolvers, with_a_wrong_option_are_an_input_error_at_once) {
    EXPECT_TRUE(input_error([&] {
                    line(test::bar_scene, "newton,corotational:max_iterations=-1");
                }).starts_with("--solvers corotational:max_iterations=-1: error:"));
    EXPECT_TRUE(input_error([&] {
                    line(test::bar_scene, "cholesky:linear=pcg,newton");
                }).starts_with("--solvers cholesky:linear=pcg: error:"));
}

TEST_F(LinedUpSolvers, need_the_reference_that_was_asked_for) {
    const std::string error =
        input_error([&] { line(test::rubber_scene, "newton", {}, "cholesky"); });
    EXPECT_TRUE(has(error, "mooney_rivlin")) << error;
}

TEST_F(LinedUpSolvers, have_nothing_to_compare_in_modes) {
    const std::string error = input_error([&] {
        line(test::replaced(test::bar_scene, "steps = 20", "analysis = \"modal\"\nmodes = 3"),
             "newton");
    });
    EXPECT_TRUE(has(error, "modal")) << error;
}

TEST_F(LinedUpSolvers, keep_the_scenes_contact_where_all_take_it) {
    const std::string solvers = "cholesky,newton,warp_canceling,async";
    for (const char* name : {"none", "penalty", "projection", "lagrange"}) {
        const LineUp r = line(test::block_scene(name), solvers);
        EXPECT_EQ(running(r), "1111") << name;
        EXPECT_EQ(method(r), name);
        EXPECT_EQ(r.contact_note, "");
    }
    EXPECT_EQ(method(line(test::block_scene("repulsion"), "newton,descent")), "repulsion");
}

TEST_F(LinedUpSolvers, all_get_the_method_that_all_take) {
    for (const char* name : {"lagrange", "repulsion"}) {
        const LineUp r = line(test::block_scene(name) + "self = true\n",
                              "cholesky,newton,descent,xpbd,corotational");
        EXPECT_EQ(running(r), "11111") << name;
        for (const LinedUp& solver : r.solvers) {
            ASSERT_EQ(solver.scene->contact.options.name, "penalty") << name;
            const auto& options = solver.scene->contact.options.as<PenaltyOptions>();
            EXPECT_TRUE(options.self) << "an option that both methods have stays";
            EXPECT_EQ(options.friction, std::string(name) == "lagrange" ? 0.3 : 0);
            EXPECT_EQ(options.form, PenaltyForm::implicit_form);
        }
        EXPECT_TRUE(has(r.contact_note, name)) << r.contact_note;
        EXPECT_TRUE(has(r.contact_note, "`xpbd`")) << r.contact_note;
        EXPECT_FALSE(has(r.contact_note, "`newton`")) << r.contact_note;
    }
}

TEST_F(LinedUpSolvers, that_do_not_take_a_method_asked_for_are_left_out) {
    const LineUp r = line(test::block_scene("penalty"), "cholesky,descent,corotational",
                          {"contact.method=lagrange"});
    EXPECT_EQ(running(r), "100");
    EXPECT_EQ(method(r), "lagrange");
    EXPECT_TRUE(has(r.solvers[1].refusal->message(), "lagrange"));
}

TEST_F(LinedUpSolvers, are_left_out_where_the_scene_needs_its_method) {
    const std::string rigid = test::block_scene("lagrange") + R"([[body]]
name = "stone"
shape = "box"
size = [0.1, 0.1, 0.1]
cells = [1, 1, 1]
material = "soft"
translate = [1, 0.2, 0]
rigid = true
)";
    const LineUp r = line(rigid, "cholesky,descent");
    EXPECT_EQ(running(r), "10");
    EXPECT_EQ(method(r), "lagrange");
}

TEST_F(LinedUpSolvers, share_explicit_forces_where_one_takes_no_others) {
    const auto form = [](const LinedUp& solver) {
        return solver.scene->contact.options.as<PenaltyOptions>().form;
    };
    const std::string solvers = "cholesky,warp_canceling:linearise=false";
    const LineUp r = line(test::block_scene("penalty"), solvers);
    for (const LinedUp& solver : r.solvers) EXPECT_EQ(form(solver), PenaltyForm::explicit_form);
    EXPECT_TRUE(has(r.contact_note, "`warp_canceling:linearise=false`")) << r.contact_note;
    const LineUp asked = line(test::block_scene("penalty"), solvers, {"contact.form=implicit"});
    for (const LinedUp& solver : asked.solvers) EXPECT_EQ(form(solver), PenaltyForm::implicit_form);
    EXPECT_EQ(asked.contact_note, "");
}

TEST_F(LinedUpSolvers, run_with_their_documented_defaults) {
    // No option is changed that nobody gave.
    const LineUp r = line(test::bar_scene,
                          "newton,descent,vertex_block_descent,xpbd,cholesky,"
                          "warp_canceling,stiffness_warping,async");
    for (const LinedUp& solver : r.solvers) {
        ASSERT_TRUE(solver.scene) << solver.spec.text;
        for (const Setting& s :
             settings_of(stepper_entry(solver.spec.kind).options, solver.scene->solver.options))
            EXPECT_TRUE(s.by_default) << solver.spec.kind << ": " << s.key << " = " << s.value;
    }
    const LineUp changed = line(test::bar_scene, "newton:rel_tolerance=1e-3");
    int n_changed = 0;
    for (const Setting& s :
         settings_of(stepper_entry("newton").options, changed.solvers[0].scene->solver.options))
        if (!s.by_default) {
            ++n_changed;
            EXPECT_EQ(s.key, "rel_tolerance");
            EXPECT_EQ(s.value, "0.001");
        }
    EXPECT_EQ(n_changed, 1);
}

}  // namespace
}  // namespace limber
