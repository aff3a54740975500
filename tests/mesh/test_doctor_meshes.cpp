// SPDX-License-Identifier: Apache-2.0
// The doctor on real meshes, compared with what their description says. The folder is that of
// LIMBER_TEST_MESHES, or ../shared/meshes beside the checkout.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include "limber/core/errors.h"
#include "limber/io/mesh_reader.h"
#include "mesh/doctor_samples.h"

namespace limber {
namespace {

namespace fs = std::filesystem;

fs::path mesh_folder() {
    const char* given = std::getenv("LIMBER_TEST_MESHES");
    return given ? fs::path(given) : fs::path(LIMBER_SOURCE_DIR) / "../shared/meshes";
}

/// Nothing where the readers do not know the format.
std::optional<MeshReport> report_of(const fs::path& file) {
    try {
        return read_tet_mesh(file.string(), {.refuse = false}).report;
    } catch (const InputError& e) {
        std::cout << "skipped: " << e.what() << "\n";
        return {};
    }
}

struct Expected {
    const char* file;
    std::map<std::string, std::int64_t> findings;  // code -> count, remarks Q left out
};

// From the README of the folder: hinges are its non-manifold boundary edges and pinched vertices.
const Expected described[] = {
    {"bad/6_tetra_bad.msh", {{"M12", 1}, {"M17", 5}}},
    {"bad/one_negative_tetrahedron.vtk", {{"M11", 1}}},
    // All turned; 22 non-manifold edges; on each of the 7 inner sides two faces meet two others.
    {"bad/beam_t42.mesh", {{"M11", 42}, {"M17", 22}, {"Q01", 28}}},
    {"tet/raptorTetra_8418.vtu", {{"M14", 3}, {"M17", 10}}},  // 9 edges and a vertex
    {"tet/raptorTetra_19409.vtu", {{"M14", 2}, {"M17", 1}}},
    {"tet/tuning_fork.msh", {{"M14", 4}}},
    {"tet/ANSYS1e-3Corner_coarse.msh", {{"M15", 2}}},
    {"tet/bar-14114.msh", {}},
    {"tet/sphere1K.msh", {}},
    {"tet/rod.msh", {}},
    {"tet/mat40x40.msh", {}},
    {"tet/ipc_torus.msh", {}},
    {"tet/dolphin5K.msh", {}},
    {"tet/chain_link.msh", {}},
    {"tet/cylinderPDMS12724Vol.vtk", {}},
    {"tet/softrobot_finger.vtk", {}},
    {"tet/softrobot_pneunet.vtk", {}},
    {"tet/softrobot_trunk.vtk", {}},
    {"tet/softrobot_wheel.vtk", {}},
    {"tet/teddy_bear.vtk", {}},
    {"tet/drake_torus.vtk", {}},
    {"tet/elbow.mesh", {}},
    {"tet/perfusion_micro3d.mesh", {}},
    {"tet/bar17K.msh", {}},
    {"stanford/Armadillo_Tetra_4406.vtu", {{"M17", 1}}},
    {"stanford/bunny.msh", {}},
};

TEST(DoctorMeshes, real_files_have_the_faults_they_are_known_for) {
    if (!fs::exists(mesh_folder())) GTEST_SKIP() << "no folder " << mesh_folder();
    int looked_at = 0;
    for (const Expected& expected : described) {
        if (!fs::exists(mesh_folder() / expected.file)) continue;
        const auto report = report_of(mesh_folder() / expected.file);
        if (!report) continue;
        ++looked_at;
        std::map<std::string, std::int64_t> found;
        for (const Diagnosis& d : report->findings)
            if (!d.code.empty() && d.code != "M06" && (d.code[0] != 'Q' || d.code == "Q01"))
                found[d.code] = d.count;
        EXPECT_EQ(found, expected.findings) << expected.file;
        EXPECT_FALSE(report->has_errors()) << expected.file;
    }
    EXPECT_GT(looked_at, 0);
}

TEST(DoctorMeshes, every_file_is_examined_without_trouble) {
    if (!fs::exists(mesh_folder())) GTEST_SKIP() << "no folder " << mesh_folder();
    int looked_at = 0;
    for (const char* folder : {"bad", "tet"})
        for (const auto& entry : fs::directory_iterator(mesh_folder() / folder)) {
            const auto report = report_of(entry.path());
            if (!report) continue;
            ++looked_at;
            EXPECT_GT(report->volume, 0) << entry.path();
            EXPECT_GT(report->stiffness.explicit_step, 0) << entry.path();
            EXPECT_GE(report->stiffness.condition, 1) << entry.path();
            EXPECT_FALSE(report->suggestions.empty()) << entry.path();
        }
    EXPECT_GT(looked_at, 0);
}

}  // namespace
}  // namespace limber
