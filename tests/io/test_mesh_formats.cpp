// SPDX-License-Identifier: Apache-2.0
// Every format reads what others wrote and what we wrote.
#include <gtest/gtest.h>
#include <locale.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "io/program.h"
#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/io/formats.h"
#include "limber/io/mesh_reader.h"
#include "limber/mesh/shapes.h"

namespace limber {
namespace {

/// The collection of meshes beside the repository, or where LIMBER_TEST_MESHES says.
std::string mesh_folder() {
    const char* given = std::getenv("LIMBER_TEST_MESHES");
    return given ? given : LIMBER_SOURCE_DIR "/../shared/meshes";
}

struct Row {
    std::string path;
    long nodes = 0, tets = 0, tets10 = 0, triangles = 0, others = 0;
};

std::vector<Row> manifest(const std::string& folder) {
    std::vector<Row> rows;
    std::istringstream lines(read_file(folder + "/manifest.tsv"));
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#' || line.find("\t-") != line.npos) continue;
        Row row;
        std::string bytes, hash;
        std::istringstream(line) >> row.path >> bytes >> hash >> row.nodes >> row.tets >>
            row.tets10 >> row.triangles >> row.others;
        rows.push_back(row);
    }
    return rows;
}

/// Volumes that repair_mesh refuses: what is wrong with them is no matter of their format.
bool refused_by_the_doctor(const std::string& path) {
    for (const char* name : {"bad/beam_t42.mesh"})
        if (path == name) return true;
    return false;
}

void expect_volume(const std::string& folder, const Row& row) {
    const std::string path = folder + "/" + row.path;
    const ReadMeshOptions options{.linearise = row.tets10 > 0};
    if (row.tets10 > 0) {
        EXPECT_THROW(read_tet_mesh(path), InputError) << path;
    }
    try {
        const LoadedMesh loaded = read_tet_mesh(path, options);
        EXPECT_EQ(loaded.mesh.n_tets(), row.tets + row.tets10) << path;
        EXPECT_EQ(loaded.mesh.n_nodes() + loaded.report.n_unused, row.nodes) << path;
        EXPECT_GT(loaded.report.min_volume, 0) << path;
    } catch (const InputError& e) {
        EXPECT_TRUE(refused_by_the_doctor(row.path)) << e.what();
    }
}

void expect_surface(const std::string& folder, const Row& row) {
    const std::string path = folder + "/" + row.path;
    EXPECT_THROW(read_tet_mesh(path), InputError) << path;
    const LoadedSurface loaded = read_surface(path);
    EXPECT_EQ(loaded.mesh.n_nodes(), row.nodes) << path;
    // The other cells of surfaces in the collection are quadrangles.
    EXPECT_EQ(loaded.mesh.n_triangles(), row.triangles + 2 * row.others) << path;
}

TEST(MeshCollection, is_read_with_the_counts_of_its_manifest) {
    const std::string folder = mesh_folder();
    if (!std::filesystem::exists(folder + "/manifest.tsv"))
        GTEST_SKIP() << "no mesh collection at " << folder << "; LIMBER_TEST_MESHES names it";
    int n_volumes = 0, n_surfaces = 0;
    for (const Row& row : manifest(folder)) {
        if (row.path == "formats/abaqus_hex.inp") {
            EXPECT_THROW(read_tet_mesh(folder + "/" + row.path), InputError);
        } else if (row.tets + row.tets10 > 0) {
            expect_volume(folder, row);
            ++n_volumes;
        } else {
            expect_surface(folder, row);
            ++n_surfaces;
        }
    }
    EXPECT_GE(n_volumes, 50);
    EXPECT_GE(n_surfaces, 22);
    EXPECT_THROW(read_surface(folder + "/bad/invalid_nv.off"), InputError);
}

TEST(MeshCollection, gives_the_triangles_of_volume_files_too) {
    const std::string folder = mesh_folder();
    if (!std::filesystem::exists(folder + "/manifest.tsv"))
        GTEST_SKIP() << "no mesh collection at " << folder << "; LIMBER_TEST_MESHES names it";
    int n = 0;
    for (const Row& row : manifest(folder)) {
        if (row.tets == 0 || row.triangles == 0) continue;
        EXPECT_EQ(read_surface(folder + "/" + row.path).mesh.n_triangles(), row.triangles)
            << row.path;
        ++n;
    }
    EXPECT_GE(n, 9);
}

TEST(MeshCollection, gives_known_findings) {
    const std::string folder = mesh_folder();
    if (!std::filesystem::exists(folder + "/manifest.tsv"))
        GTEST_SKIP() << "no mesh collection at " << folder << "; LIMBER_TEST_MESHES names it";
    const LoadedMesh fork = read_tet_mesh(folder + "/tet/tuning_fork.msh");
    EXPECT_EQ(fork.report.n_unused, 4);
    EXPECT_NEAR(fork.report.min_dihedral, 23.2, 0.05);
    EXPECT_NEAR(fork.report.max_dihedral, 142.3, 0.05);
    const LoadedMesh bad = read_tet_mesh(folder + "/bad/6_tetra_bad.msh");
    EXPECT_EQ(bad.report.n_reoriented, 1);
    EXPECT_THROW(read_tet_mesh(folder + "/bad/6_tetra_bad.msh", {.strict = true}), InputError);
    const LoadedMesh five = read_tet_mesh(folder + "/formats/five_tets_gmsh_41_ascii.msh");
    EXPECT_EQ(five.mesh.tet_groups.at("physical_2").size(), 3u);
}

TEST(OtherWriters, are_read_in_every_encoding) {
    const TempFolder folder;
    const ProgramResult program =
        run_program("/usr/bin/python3 '" LIMBER_SOURCE_DIR "/tests/io/write_vtu.py' '" +
                    folder.path("") + "' 2>/dev/null");
    if (program.status == 77 || program.status == 127)
        GTEST_SKIP() << "python3 with meshio and vtk is not installed";
    ASSERT_EQ(program.status, 0);
    std::istringstream names(program.output);
    int n = 0;
    for (std::string name; std::getline(names, name); ++n) {
        const LoadedMesh loaded = read_tet_mesh(folder.path(name));
        const TetMesh& mesh = loaded.mesh;
        ASSERT_EQ(mesh.n_nodes(), 5) << name;
        // VTK keeps the bits, meshio writes text with 12 digits.
        const double tolerance = name.starts_with("vtk") ? 0 : 1e-12;
        EXPECT_LE(norm(mesh.nodes[3] - Vec3d{0, 0, 1.0 / 3}), tolerance) << name;
        EXPECT_EQ(mesh.tets, (std::vector<Tet>{{0, 1, 2, 3}, {1, 2, 3, 4}})) << name;
        if (name.ends_with(".vtu")) {
            ASSERT_EQ(loaded.report.warnings.size(), 1u) << name;
            EXPECT_EQ(loaded.report.warnings[0],
                      "cells that are not tetrahedra are not simulated: 1 triangles");
        }
    }
    EXPECT_EQ(n, 48 + 5);
}

/// A mesh with awkward coordinates, sparse ids and groups that share tets.
TetMesh awkward_mesh() {
    TetMesh mesh = make_cylinder(1.0 / 3, 0.7, 3, 2);
    for (FileId& id : mesh.node_ids) id = 7 * id + 1'000'000'000'000;
    for (FileId& id : mesh.tet_ids) id = 3 * id + 5;
    for (Index i = 0; i < mesh.n_tets(); ++i) {
        if (i < 40) mesh.tet_groups["soft & round"].push_back(i);
        if (i >= 30) mesh.tet_groups["hard"].push_back(i);
    }
    return mesh;
}

/// Tets may come in another order: compares them by id.
std::map<FileId, std::array<FileId, 4>> tets_by_id(const TetMesh& mesh) {
    std::map<FileId, std::array<FileId, 4>> result;
    for (Index i = 0; i < mesh.n_tets(); ++i)
        for (int k = 0; k < 4; ++k) result[mesh.tet_ids[i]][k] = mesh.node_ids[mesh.tets[i][k]];
    return result;
}

std::set<FileId> ids_of(const std::vector<Index>& members, const std::vector<FileId>& ids) {
    std::set<FileId> result;
    for (Index i : members) result.insert(ids[i]);
    return result;
}

void expect_same(const TetMesh& a, const TetMesh& b, const std::string& name) {
    EXPECT_EQ(a.nodes, b.nodes) << name;  // exact: shortest text keeps the bits
    EXPECT_EQ(a.node_ids, b.node_ids) << name;
    EXPECT_EQ(tets_by_id(a), tets_by_id(b)) << name;
    for (const auto& [group, members] : a.node_groups) {
        ASSERT_TRUE(b.node_groups.count(group)) << name << ' ' << group;
        EXPECT_EQ(members, b.node_groups.at(group)) << name << ' ' << group;
    }
    for (const auto& [group, members] : a.tet_groups) {
        ASSERT_TRUE(b.tet_groups.count(group)) << name << ' ' << group;
        EXPECT_EQ(ids_of(members, a.tet_ids), ids_of(b.tet_groups.at(group), b.tet_ids)) << name;
    }
}

TEST(RoundTrip, keeps_every_bit_id_and_group) {
    const TempFolder folder;
    const TetMesh mesh = awkward_mesh();
    for (const char* name : {"a.msh", "a.vtu"}) {
        write_tet_mesh(folder.path(name), mesh);
        expect_same(mesh, read_tet_mesh(folder.path(name)).mesh, name);
    }
    TetMesh one_group_each = mesh;
    one_group_each.tet_groups.erase("hard");
    write_tet_mesh(folder.path("b.msh"), one_group_each, "gmsh22");
    expect_same(one_group_each, read_tet_mesh(folder.path("b.msh")).mesh, "gmsh22");
    EXPECT_THROW(write_tet_mesh(folder.path("c.msh"), mesh, "gmsh22"), InputError);
}

TEST(RoundTrip, moves_ids_that_gmsh_cannot_hold_to_count_from_one) {
    const TempFolder folder;
    write_tet_mesh(folder.path("a.msh"), make_box({1, 1, 1}, {1, 1, 1}));
    const TetMesh mesh = read_tet_mesh(folder.path("a.msh")).mesh;
    EXPECT_EQ(mesh.node_ids.front(), 1);
    EXPECT_EQ(mesh.node_ids.back(), 8);
    EXPECT_EQ(mesh.tet_ids.front(), 1);
    EXPECT_EQ(mesh.node_groups.size(), 6u);
}

TEST(RoundTrip, refuses_names_without_a_format) {
    const TetMesh mesh = make_box({1, 1, 1}, {1, 1, 1});
    EXPECT_THROW(write_tet_mesh("a.xyz", mesh), InputError);
    EXPECT_THROW(write_tet_mesh("a.msh", mesh, "step"), InputError);
}

TEST(Reading, does_not_depend_on_the_locale) {
    // Any locale with a decimal comma; without one the test still reads the mesh.
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"})
        if (setlocale(LC_ALL, name)) break;
    const TempFolder folder;
    const TetMesh mesh = make_sphere(0.1, 2);
    for (const char* name : {"a.msh", "a.vtu"}) {
        write_tet_mesh(folder.path(name), mesh);
        EXPECT_EQ(read_tet_mesh(folder.path(name)).mesh.nodes, mesh.nodes);
    }
    setlocale(LC_ALL, "C");
}

TEST(Formats, table_has_a_description_for_each_row) {
    for (const MeshFormat& format : mesh_formats()) {
        EXPECT_FALSE(format.name.empty());
        EXPECT_FALSE(format.description.empty());
    }
}

}  // namespace
}  // namespace limber
