// SPDX-License-Identifier: Apache-2.0
// limber check on meshes: what it prints, what it writes as JSON, and with which code it ends.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace limber::test {
namespace {

using nlohmann::json;

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Two tets with a face in common; `second` gives the nodes of the second.
std::string two_tets(const std::string& second) {
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
           "5 1 1 1\n6 30 0 0\n$EndNodes\n$Elements\n2\n7 4 2 1 1 1 2 3 4\n9 4 2 1 1 " +
           second + "\n$EndElements\n";
}

struct Check : testing::Test {
    TempFolder folder;
    std::string file(const std::string& text) {
        const fs::path path = folder / "mesh.msh";
        write_text(path, text);
        return path.string();
    }
};

TEST_F(Check, prints_a_report_that_fits_a_terminal) {
    const std::string mesh = (folder / "ball.msh").string();
    ASSERT_EQ(limber({"mesh", "--shape", "sphere", "--tets", "700", "-o", mesh}).code, 0);
    const ProgramResult result = limber({"check", mesh, "--density", "500"});
    EXPECT_EQ(result.code, 0) << result.err;
    for (const char* part :
         {"volume", "mass", "dihedral angles [degrees]", "radius ratio", "worst elements",
          "stable explicit step", "condition", "density 500 kg/m3", "suggestions", "solver:"})
        EXPECT_TRUE(has(result.out, part)) << part << "\n" << result.out;
    std::istringstream lines(result.out);
    std::string line;
    std::getline(lines, line);  // holds the path
    while (std::getline(lines, line)) EXPECT_LE(line.size(), 100u) << line;
}

TEST_F(Check, json_has_all_of_it) {
    const std::string mesh = (folder / "box.msh").string();
    ASSERT_EQ(limber({"mesh", "--shape", "box", "--tets", "500", "-o", mesh}).code, 0);
    const json report = json::parse(limber({"check", mesh, "--json"}).out)[0];
    EXPECT_EQ(report["kind"], "mesh");
    EXPECT_NEAR(report["volume_m3"].get<double>(), 1, 1e-12);
    EXPECT_NEAR(report["mass_kg"].get<double>(), 1000, 1e-9);
    EXPECT_EQ(report["parts"], 1);
    EXPECT_EQ(report["worst"].size(), 10u);
    long angles = 0;
    for (const json& n : report["dihedral_histogram"]["counts"]) angles += n.get<long>();
    EXPECT_EQ(angles, 6 * report["tets"].get<long>());
    EXPECT_EQ(report["radius_ratio_histogram"]["counts"].size(), 10u);
    EXPECT_GT(report["estimates"]["explicit_step_s"].get<double>(), 0);
    EXPECT_GT(report["estimates"]["condition_of_step"].get<double>(), 1);
    EXPECT_TRUE(report["findings"].is_array());
    EXPECT_FALSE(report["suggestions"].empty());
}

TEST_F(Check, what_was_fixed_is_told_and_strict_refuses_it) {  // M12, M14
    const std::string mesh = file(two_tets("3 2 4 5"));
    const ProgramResult plain = limber({"check", mesh});
    EXPECT_EQ(plain.code, 0) << plain.err;
    EXPECT_TRUE(
        has(plain.out, "fixed   M12  1 tetrahedron is inside out and was turned: element 9"))
        << plain.out;
    EXPECT_TRUE(has(plain.out, "fixed   M14  1 node belongs to no tetrahedron"));
    const ProgramResult strict = limber({"check", mesh, "--strict"});
    EXPECT_EQ(strict.code, 2);
    EXPECT_TRUE(has(strict.err, "error: 1 tetrahedron is inside out: element 9")) << strict.err;
}

TEST_F(Check, what_cannot_be_simulated_is_listed_and_ends_with_2) {  // M08
    const std::string mesh = file(two_tets("2 3 1 4"));
    const ProgramResult result = limber({"check", mesh});
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(has(result.out, "error   M08  elements 7 and 9 are the same tetrahedron"))
        << result.out;
    EXPECT_EQ(result.err.rfind(mesh + ": error: ", 0), 0u) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
    const json report = json::parse(limber({"check", mesh, "--json"}).out)[0];
    EXPECT_EQ(report["findings"][0]["code"], "M08");
    EXPECT_EQ(report["findings"][0]["elements"], (std::vector<int>{7, 9}));
    EXPECT_TRUE(has(report["error"].get<std::string>(), "same tetrahedron"));

    const fs::path scene = folder / "scene.toml";
    write_text(scene,
               "limber = 1\n[time]\nsteps = 1\n[material.m]\nkind = \"corotated\"\n[[body]]\n"
               "name = \"b\"\nmesh = \"mesh.msh\"\nmaterial = \"m\"\n");
    const ProgramResult run = limber({"run", scene.string(), "-o", (folder / "out").string()});
    EXPECT_EQ(run.code, 2);
    EXPECT_TRUE(has(run.err, "elements 7 and 9 are the same tetrahedron")) << run.err;
}

TEST_F(Check, scenes_tell_what_their_materials_make_of_the_bodies) {
    const fs::path scene = folder / "scene.toml";
    write_text(scene,
               "limber = 1\n[time]\nstep = 0.01\nsteps = 1\n[material.m]\nkind = \"corotated\""
               "\nyoung = 4e6\npoisson = 0.3\ndensity = 1000\n[[body]]\nname = \"b\"\n"
               "shape = \"box\"\ncells = [2, 2, 2]\nmaterial = \"m\"\n");
    const ProgramResult text = limber({"check", scene.string()});
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_TRUE(has(text.out, "stable explicit step")) << text.out;
    const json body = json::parse(limber({"check", scene.string(), "--json"}).out)[0]["bodies"][0];
    // The box of the same size as a mesh of 1 MPa: twice the wave speed, half the step.
    const std::string mesh = (folder / "box.msh").string();
    ASSERT_EQ(limber({"mesh", "--shape", "box", "--tets", "48", "-o", mesh}).code, 0);
    const json plain = json::parse(limber({"check", mesh, "--json"}).out)[0];
    ASSERT_EQ(plain["tets"], body["tets"]);
    EXPECT_NEAR(body["explicit_step_s"].get<double>(),
                plain["estimates"]["explicit_step_s"].get<double>() / 2, 1e-12);
    EXPECT_TRUE(body["findings"].empty());
}

}  // namespace
}  // namespace limber::test
