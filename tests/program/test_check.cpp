// SPDX-License-Identifier: Apache-2.0
// limber check on meshes: what it prints, what it writes as JSON, and with which code it ends.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace limber::test {
namespace {

using nlohmann::json;

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

TEST_F(Check, a_volume_mesh_without_tets_is_an_error_and_a_surface_gets_advice) {  // P26, M20
    const std::string mesh = file(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
        "$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n");
    const ProgramResult triangles = limber({"check", mesh});
    EXPECT_EQ(triangles.code, 2);
    EXPECT_TRUE(has(triangles.err, "error: no tetrahedra in mesh")) << triangles.err;
    EXPECT_TRUE(has(triangles.err, "limber mesh")) << triangles.err;
    const json report = json::parse(limber({"check", mesh, "--json"}).out)[0];
    EXPECT_TRUE(has(report["error"].get<std::string>(), "no tetrahedra in mesh"));

    const std::string nothing = file(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n0\n$EndNodes\n$Elements\n0\n$EndElements\n");
    EXPECT_EQ(limber({"check", nothing}).code, 2);

    const fs::path obj = folder / "part.obj";
    write_text(obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    const ProgramResult surface = limber({"check", obj.string()});
    EXPECT_EQ(surface.code, 0) << surface.err;
    EXPECT_TRUE(has(surface.out, "limber mesh")) << surface.out;
    EXPECT_TRUE(has(surface.out, "tets = 5000")) << surface.out;
}

TEST_F(Check, scenes_say_which_material_has_how_many_tets_and_by_what_they_are_scaled) {
    const fs::path scene = folder / "scene.toml";
    write_text(
        scene,
        "limber = 1\n[time]\nstep = 0.01\nsteps = 1\n[defaults.material]\npoisson = 0.3\n"
        "density = 1000\n[material.soft]\nyoung = 1e6\n[material.hard]\nyoung = 1e7\n"
        "[[body]]\nname = \"b\"\nshape = \"box\"\nsize = [400, 100, 100]\n"
        "cells = [4, 1, 1]\nmaterial = \"soft\"\nscale = \"1 mm\"\n"
        "regions = [{ select = { box = [[0.1, -1, -1], [1, 1, 1]] }, material = \"hard\" }]\n");
    const ProgramResult text = limber({"check", scene.string()});
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_TRUE(has(text.out, "tets of material: hard 6, soft 18; coordinates scaled by 0.001"))
        << text.out;
    // 400 mm are no 400 m once they are scaled.
    EXPECT_FALSE(has(text.out, "Q02")) << text.out;
    const json body = json::parse(limber({"check", scene.string(), "--json"}).out)[0]["bodies"][0];
    EXPECT_EQ(body["tets_of_material"]["hard"], 6);
    EXPECT_EQ(body["tets_of_material"]["soft"], 18);
    EXPECT_EQ(body["scale"], (std::vector<double>{1e-3, 1e-3, 1e-3}));
}

TEST_F(Check, all_errors_of_a_scene_are_lines_of_their_own) {
    const fs::path scene = folder / "scene.toml";
    write_text(scene,
               "limber = 1\n[time]\nsteps = 1\n[material.m]\nE = 1e6\nnu = 0.7\n[[body]]\n"
               "name = \"b\"\nshape = \"baem\"\nmaterial = \"m\"\n");
    const ProgramResult result = limber({"check", scene.string()});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 3) << result.err;
    for (const char* part : {":5:1: error: material.m: unknown key 'E'", "did you mean 'young'?",
                             ":6:1: error: material.m: unknown key 'nu'", "did you mean 'poisson'?",
                             ":9:9: error: body[0].shape = \"baem\""})
        EXPECT_TRUE(has(result.err, part)) << part << "\n" << result.err;
    const json report = json::parse(limber({"check", scene.string(), "--json"}).out)[0];
    EXPECT_EQ(report["errors"].size(), 3u);
    const ProgramResult run = limber({"run", scene.string(), "-o", (folder / "out").string()});
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.err, result.err);
}

TEST_F(Check, what_the_start_warns_of_is_an_error_with_strict) {
    const fs::path scene = folder / "scene.toml";
    write_text(scene,
               "limber = 1\n[time]\nstep = 0.01\nsteps = 1\n[material.m]\nyoung = 5\n"
               "poisson = 0.3\ndensity = 1000\n[[body]]\nname = \"b\"\nshape = \"box\"\n"
               "cells = [2, 2, 2]\ntranslate = [0, 0.5, 0]\nmaterial = \"m\"\n[[obstacle]]\n"
               "shape = \"plane\"\n");
    const ProgramResult plain = limber({"check", scene.string()});
    EXPECT_EQ(plain.code, 0) << plain.err;
    EXPECT_TRUE(has(plain.out, "too soft for its own weight")) << plain.out;
    EXPECT_EQ(limber({"check", scene.string(), "--strict"}).code, 2);
    const ProgramResult run = limber({"run", scene.string(), "-o", (folder / "out").string()});
    EXPECT_TRUE(has(run.err, "warning: ")) << run.err;
    EXPECT_TRUE(has(run.err, "too soft for its own weight")) << run.err;
}

TEST_F(Check, a_run_keeps_the_tets_of_a_filled_surface_and_resumes_with_them) {
    write_text(folder / "part.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
               "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    const fs::path scene = folder / "scene.toml";
    write_text(scene,
               "limber = 1\n[time]\nstep = 0.01\nsteps = 4\n[material.m]\nyoung = 1e6\n"
               "poisson = 0.3\ndensity = 1000\n[[body]]\nname = \"b\"\nmesh = \"part.obj\"\n"
               "tets = 300\nmaterial = \"m\"\n");
    const std::string whole = (folder / "whole").string(), halves = (folder / "halves").string();
    ASSERT_EQ(limber({"run", scene.string(), "-o", whole}).code, 0);
    ASSERT_EQ(limber({"run", scene.string(), "-o", halves, "--steps", "2"}).code, 0);
    const auto kept = [](const std::string& dir) {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(dir + "/mesh")) files.push_back(entry);
        return files;
    };
    ASSERT_EQ(kept(whole).size(), 1u);
    EXPECT_EQ(text_of(kept(whole)[0]), text_of(kept(halves)[0]));
    const ProgramResult resumed = limber({"run", scene.string(), "--resume", halves});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    const auto hash = [](const std::string& dir) {
        return json::parse(text_of(fs::path(dir) / "summary.json"))["state_hash"];
    };
    EXPECT_EQ(hash(whole), hash(halves));
}

}  // namespace
}  // namespace limber::test
