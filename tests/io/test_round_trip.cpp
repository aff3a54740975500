// SPDX-License-Identifier: Apache-2.0
// What we write is what we and others read, in every format with a writer.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "io/program.h"
#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/io/formats.h"
#include "limber/io/mesh_reader.h"
#include "limber/mesh/shapes.h"

namespace limber {
namespace {

// Fixed cases and no more than a second of them; RC_PARAMS in the environment has the last word.
[[maybe_unused]] const int seeded = setenv("RC_PARAMS", "seed=2026 max_success=60", 0);

std::string name_for(const MeshFormat& format) {
    return "a" + std::string(format.suffix.empty() ? ".msh" : format.suffix);
}

/// A box whose nodes are moved a little, with random scale, place and groups without overlap.
TetMesh random_mesh() {
    const auto cells = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(1, 4));
    TetMesh mesh = make_box({1, 1, 1}, {cells[0], cells[1], cells[2]});
    const double scale = std::pow(10.0, *rc::gen::inRange(-6, 7));
    for (Vec3d& p : mesh.nodes)
        for (int k = 0; k < 3; ++k)
            p[k] = scale * (p[k] + 0.01 * *rc::gen::inRange(-1000, 1001) / 1000.0 + 1.0 / 3);
    mesh.node_groups.clear();
    const int n_groups = *rc::gen::inRange(0, 4);
    for (Index i = 0; i < mesh.n_tets() && n_groups > 0; ++i) {
        const int group = *rc::gen::inRange(0, n_groups + 1);
        if (group > 0) mesh.tet_groups["ref_" + std::to_string(group)].push_back(i);
    }
    return mesh;
}

/// Tets by their node indices, with the members of each group: formats may reorder and rename.
std::set<std::set<Tet>> groups_of(const TetMesh& mesh) {
    std::set<std::set<Tet>> result;
    for (const auto& [name, tets] : mesh.tet_groups) {
        std::set<Tet> members;
        for (Index i : tets) members.insert(mesh.tets[i]);
        result.insert(members);
    }
    return result;
}

/// Where the corners of all triangles are: STL files do not number the nodes.
std::vector<Vec3d> corners_of(const TriMesh& mesh) {
    std::vector<Vec3d> corners;
    for (const Triangle& t : mesh.triangles)
        for (Index node : t) corners.push_back(mesh.nodes[node]);
    return corners;
}

double as_stl_holds_it(double value) {
    volatile float stored = static_cast<float>(value);  // GCC 12 drops the rounding otherwise
    return stored;
}

std::vector<Tet> sorted(std::vector<Tet> tets) {
    std::sort(tets.begin(), tets.end());
    return tets;
}

TEST(RandomMesh, is_the_same_after_writing_and_reading_in_every_format) {
    const TempFolder folder;
    EXPECT_TRUE(rc::check([&] {
        const TetMesh mesh = random_mesh();
        for (const MeshFormat& format : mesh_formats()) {
            if (!format.write) continue;
            const std::string path = folder.path(name_for(format));
            write_tet_mesh(path, mesh, format.name);
            const TetMesh read = read_tet_mesh(path).mesh;
            RC_ASSERT(read.nodes == mesh.nodes);  // exact: shortest text keeps the bits
            RC_ASSERT(sorted(read.tets) == sorted(mesh.tets));
            RC_ASSERT(groups_of(read) == groups_of(mesh));
        }
    }));
}

TEST(RandomMesh, surface_is_the_same_after_writing_and_reading_in_every_format) {
    const TempFolder folder;
    EXPECT_TRUE(rc::check([&] {
        TriMesh surface = boundary_surface(random_mesh());
        for (Vec3d& p : surface.nodes)
            for (int k = 0; k < 3; ++k) p[k] = as_stl_holds_it(p[k]);
        for (const MeshFormat& format : mesh_formats()) {
            if (!format.write_surface) continue;
            const std::string path = folder.path(name_for(format));
            write_surface(path, surface, format.name);
            const LoadedSurface read = read_surface(path);
            RC_LOG() << format.name << "\n";
            RC_ASSERT(read.format == format.name);
            RC_ASSERT(read.mesh.nodes.size() == surface.nodes.size());
            RC_ASSERT(corners_of(read.mesh) == corners_of(surface));
        }
    }));
}

TEST(Surfaces, keep_every_bit_but_in_stl) {
    const TempFolder folder;
    const TriMesh sphere = boundary_surface(make_sphere(1.0 / 3, 3));
    for (const char* name : {"a.obj", "a.ply", "a.off"}) {
        write_surface(folder.path(name), sphere);
        const TriMesh read = read_surface(folder.path(name)).mesh;
        EXPECT_EQ(read.nodes, sphere.nodes) << name;
        EXPECT_EQ(read.triangles, sphere.triangles) << name;
    }
    EXPECT_THROW(write_surface(folder.path("a.msh"), sphere), InputError);
    EXPECT_THROW(write_surface(folder.path("a.obj"), sphere, "step"), InputError);
    TriMesh far = sphere;
    far.nodes[0].x = 1e300;
    EXPECT_THROW(write_surface(folder.path("b.stl"), far), InputError);
    EXPECT_FALSE(std::filesystem::exists(folder.path("b.stl")));
}

TEST(TetGenWriter, writes_both_halves_for_either_name) {
    const TempFolder folder;
    const TetMesh mesh = make_box({1, 1, 1}, {1, 1, 1});
    for (const char* name : {"a.node", "b.ele"}) {
        write_tet_mesh(folder.path(name), mesh);
        EXPECT_EQ(read_tet_mesh(folder.path(name)).mesh.nodes, mesh.nodes);
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path("a.ele")));
    EXPECT_TRUE(std::filesystem::exists(folder.path("b.node")));
}

TEST(OneNumberATet, is_refused_where_groups_overlap) {
    const TempFolder folder;
    TetMesh mesh = make_box({1, 1, 1}, {1, 1, 1});
    mesh.tet_groups["a"] = {0, 1};
    mesh.tet_groups["b"] = {1};
    for (const char* name : {"a.mesh", "a.node"})
        EXPECT_THROW(write_tet_mesh(folder.path(name), mesh), InputError);
}

TEST(Meshio, reads_what_we_write) {
    const TempFolder folder;
    const TetMesh plain = [] {
        TetMesh mesh = make_box({1, 1, 1}, {1, 1, 1});
        mesh.node_groups.clear();
        return mesh;
    }();
    TetMesh nodes_only = make_box({1, 1, 1}, {1, 1, 1});  // node groups, no tet group
    TetMesh some = nodes_only;
    some.tet_groups["some"] = {0, 2};
    write_tet_mesh(folder.path("plain.msh"), plain);
    write_tet_mesh(folder.path("nodes.msh"), nodes_only);
    write_tet_mesh(folder.path("some.msh"), some);
    write_tet_mesh(folder.path("some22.msh"), some, "gmsh22");
    write_tet_mesh(folder.path("some.mesh"), some);
    write_tet_mesh(folder.path("some.node"), some);
    const TriMesh surface = boundary_surface(plain);
    std::string command = "/usr/bin/python3 '" LIMBER_SOURCE_DIR "/tests/io/read_msh.py'";
    for (const char* name :
         {"plain.msh", "nodes.msh", "some.msh", "some22.msh", "some.mesh", "some.node"})
        command += " '" + folder.path(name) + "'";
    for (const char* name : {"s.obj", "s.off", "s.ply", "s.stl"}) {
        write_surface(folder.path(name), surface);
        command += " '" + folder.path(name) + "'";
    }
    const ProgramResult program = run_program(command + " 2>/dev/null");
    if (program.status == 77 || program.status == 127)
        GTEST_SKIP() << "python3 with meshio is not installed";
    ASSERT_EQ(program.status, 0) << program.output;
    const std::string tets = "tetra " + std::to_string(plain.n_tets());
    std::string expected = "8 " + tets + "\n";
    for (int i = 0; i < 3; ++i) expected += "8 " + tets + " vertex 24\n";
    for (int i = 0; i < 2; ++i) expected += "8 " + tets + "\n";
    for (int i = 0; i < 4; ++i) expected += "8 triangle 12\n";
    EXPECT_EQ(program.output, expected);
    // The group for their sake is none of ours.
    EXPECT_EQ(read_tet_mesh(folder.path("some.msh")).mesh.tet_groups.size(), 1u);
    EXPECT_EQ(read_tet_mesh(folder.path("nodes.msh")).mesh.tet_groups.size(), 0u);
    EXPECT_EQ(read_tet_mesh(folder.path("nodes.msh")).mesh.node_groups, nodes_only.node_groups);
}

}  // namespace
}  // namespace limber
