// SPDX-License-Identifier: Apache-2.0
// limber mesh as a user meets it.

#include <gtest/gtest.h>

#include <cmath>

#include "program.h"

namespace limber::test {
namespace {

/// A ball of 8 x 16 patches as OBJ, with a hole of one patch where wanted.
std::string ball_obj(bool hole) {
    constexpr int rings = 8, around = 16;
    constexpr double pi = 3.14159265358979;
    std::string text = "v 0 1 0\n";
    for (int i = 1; i < rings; ++i)
        for (int j = 0; j < around; ++j) {
            const double a = pi * i / rings, b = 2 * pi * j / around;
            text += "v " + std::to_string(std::sin(a) * std::cos(b)) + ' ' +
                    std::to_string(std::cos(a)) + ' ' + std::to_string(-std::sin(a) * std::sin(b)) +
                    '\n';
        }
    text += "v 0 -1 0\n";
    const auto id = [](int i, int j) { return std::to_string(2 + (i - 1) * around + j % around); };
    const std::string last = std::to_string(2 + (rings - 1) * around);
    for (int j = 0; j < around; ++j) {
        text += "f 1 " + id(1, j) + ' ' + id(1, j + 1) + '\n';
        text += "f " + last + ' ' + id(rings - 1, j + 1) + ' ' + id(rings - 1, j) + '\n';
        for (int i = 1; i + 1 < rings; ++i)
            if (!hole || i != 3 || j != 0)
                text += "f " + id(i, j) + ' ' + id(i + 1, j) + ' ' + id(i + 1, j + 1) + ' ' +
                        id(i, j + 1) + '\n';
    }
    return text;
}

/// The number before " tets" in the last line.
double tets_of(const std::string& out) {
    const std::size_t end = out.rfind(" tets");
    const std::size_t begin = out.rfind(' ', end - 1);
    return end == std::string::npos ? 0 : std::stod(out.substr(begin + 1, end - begin));
}

TEST(MeshCommand, fills_a_closed_surface_with_the_number_of_tets_asked_for) {
    const TempFolder folder;
    write_text(folder / "ball.obj", ball_obj(false));
    const ProgramResult r = limber({"mesh", (folder / "ball.obj").string(), "--tets", "5000", "-o",
                                    (folder / "ball.msh").string()});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_NEAR(tets_of(r.out), 5000, 250);
    EXPECT_TRUE(has(r.out, "surface distance: mean")) << r.out;
    EXPECT_TRUE(has(r.out, "dihedral angles")) << r.out;
    EXPECT_FALSE(has(r.err, "\x1b")) << "no progress bar without a terminal";
    EXPECT_EQ(limber({"check", (folder / "ball.msh").string()}).code, 0);
    // What has tets cannot be filled again.
    const ProgramResult again = limber({"mesh", (folder / "ball.msh").string(), "--tets", "500",
                                        "-o", (folder / "again.msh").string()});
    EXPECT_EQ(again.code, 2);
    EXPECT_TRUE(has(again.err, "already a tet mesh")) << again.err;
}

TEST(MeshCommand, says_what_it_assumed_about_a_surface_with_a_hole) {
    const TempFolder folder;
    write_text(folder / "ball.obj", ball_obj(true));
    const ProgramResult r = limber({"mesh", (folder / "ball.obj").string(), "--cell", "0.2",
                                    "--graded", "-o", (folder / "ball.vtu").string()});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.err, "warning: ")) << r.err;
    EXPECT_TRUE(has(r.err, "hole")) << r.err;
}

TEST(MeshCommand, refuses_what_has_no_inside_or_needs_too_much_memory) {
    const TempFolder folder;
    write_text(folder / "flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text(folder / "ball.obj", ball_obj(false));
    const std::string out = (folder / "out.msh").string();
    const ProgramResult flat = limber({"mesh", (folder / "flat.obj").string(), "-o", out});
    EXPECT_EQ(flat.code, 2);
    EXPECT_TRUE(has(flat.err, "flat.obj: error: ")) << flat.err;
    const ProgramResult huge =
        limber({"mesh", (folder / "ball.obj").string(), "--cell", "1e-5", "-o", out});
    EXPECT_EQ(huge.code, 2);
    EXPECT_TRUE(has(huge.err, "GB of memory")) << huge.err;
    EXPECT_EQ(limber({"mesh", "--shape", "bear", "--size", "1", "1", "1", "-o", out}).code, 2);
    EXPECT_EQ(limber({"mesh", "--shape", "bear", "--with", "gmsh", "-o", out}).code, 2);
    EXPECT_FALSE(fs::exists(out));
}

TEST(MeshCommand, makes_a_shape_with_its_regions) {
    const TempFolder folder;
    const std::string out = (folder / "spider.msh").string();
    const ProgramResult r = limber({"mesh", "--shape", "spider", "--tets", "12000", "-o", out});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_NEAR(tets_of(r.out), 12000, 600);
    const std::string text = text_of(out);
    for (const char* name : {"\"joints\"", "\"thread\"", "\"thread_top\""})
        EXPECT_TRUE(has(text, name)) << name;
}

TEST(MeshCommand, names_the_package_of_a_mesher_that_is_not_installed) {
    const TempFolder folder;
    write_text(folder / "ball.obj", ball_obj(false));
    for (const char* program : {"tetgen", "gmsh"}) {
        const ProgramResult r = limber({"mesh", (folder / "ball.obj").string(), "--with", program,
                                        "-o", (folder / "ball.msh").string()},
                                       [] { setenv("PATH", "/nowhere", 1); });
        EXPECT_EQ(r.code, 2);
        EXPECT_TRUE(has(r.err, std::string("apt-get install ") + program)) << r.err;
    }
}

TEST(MeshCommand, takes_the_mesh_of_another_mesher_where_it_is_installed) {
    const TempFolder folder;
    write_text(folder / "ball.obj", ball_obj(false));
    bool any = false;
    for (const char* program : {"tetgen", "gmsh"}) {
        if (!fs::exists(std::string("/usr/bin/") + program)) continue;
        any = true;
        const ProgramResult r = limber({"mesh", (folder / "ball.obj").string(), "--with", program,
                                        "--tets", "2000", "-o", (folder / "ball.msh").string()});
        ASSERT_EQ(r.code, 0) << program << ": " << r.err;
        EXPECT_GT(tets_of(r.out), 300) << r.out;
        EXPECT_EQ(limber({"check", (folder / "ball.msh").string()}).code, 0);
    }
    if (!any) GTEST_SKIP() << "neither tetgen nor gmsh is installed";
}

}  // namespace
}  // namespace limber::test
