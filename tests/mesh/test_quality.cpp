// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "limber/core/errors.h"
#include "limber/mesh/shapes.h"

namespace limber {
namespace {

TetMesh one_tet() {
    TetMesh mesh;
    mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}};
    mesh.node_ids = {10, 11, 12, 13};
    mesh.tet_ids = {100};
    return mesh;
}

void add_node(TetMesh& mesh, const Vec3d& p) {
    mesh.nodes.push_back(p);
    mesh.node_ids.push_back(10 + mesh.n_nodes() - 1);
}
void add_tet(TetMesh& mesh, const Tet& tet) {
    mesh.tets.push_back(tet);
    mesh.tet_ids.push_back(100 + mesh.n_tets() - 1);
}

bool has(const std::vector<std::string>& warnings, const std::string& text) {
    for (const std::string& w : warnings)
        if (w.find(text) != std::string::npos) return true;
    return false;
}

TEST(RepairMesh, leaves_a_sound_mesh_as_it_is_and_measures_it) {
    TetMesh mesh = make_box({2, 1, 1}, {2, 1, 1});
    const TetMesh before = mesh;
    const MeshReport report = repair_mesh(mesh, "box");
    EXPECT_EQ(mesh.nodes, before.nodes);
    EXPECT_EQ(mesh.tets, before.tets);
    EXPECT_TRUE(report.warnings.empty());
    EXPECT_EQ(report.n_nodes, 12);
    EXPECT_EQ(report.n_tets, 12);
    EXPECT_EQ(report.n_parts, 1);
    EXPECT_NEAR(report.volume, 2, 1e-14);
    EXPECT_NEAR(report.min_volume, 1.0 / 6, 1e-15);
    EXPECT_NEAR(report.mean_volume, 1.0 / 6, 1e-15);
    EXPECT_EQ(report.box.hi, (Vec3d{1, 0.5, 0.5}));
    // A Kuhn tet of a cube: 45 degrees at the diagonal's ends, 90 at most.
    EXPECT_NEAR(report.min_dihedral, 45, 1e-12);
    EXPECT_NEAR(report.max_dihedral, 90, 1e-12);
}

TEST(RepairMesh, takes_a_single_tet) {
    TetMesh mesh = one_tet();
    const MeshReport report = repair_mesh(mesh, "one");
    EXPECT_EQ(report.n_parts, 1);
    EXPECT_NEAR(report.volume, 1.0 / 6, 1e-16);
    EXPECT_NEAR(report.min_dihedral, std::acos(1 / std::sqrt(3.0)) * 180 / std::numbers::pi, 1e-12);
}

TEST(RepairMesh, turns_inverted_tets_and_lists_the_first_ten) {
    TetMesh mesh = make_box({1, 1, 1}, {2, 2, 2});
    const TetMesh sound = mesh;
    for (Index i = 3; i < 33; i += 2) std::swap(mesh.tets[i][0], mesh.tets[i][1]);
    TetMesh again = mesh;
    const MeshReport report = repair_mesh(mesh, "m");
    EXPECT_EQ(report.n_reoriented, 15);
    EXPECT_NEAR(report.volume, 1, 1e-14);
    EXPECT_TRUE(has(report.warnings,
                    "15 tetrahedra are inside out and were turned: element 3, 5, "
                    "7, 9, 11, 13, 15, 17, 19, 21, ... (15 in all)"));
    EXPECT_THROW(repair_mesh(again, "m", {.strict = true}), InputError);

    TetMesh all = sound;
    for (Tet& tet : all.tets) std::swap(tet[0], tet[1]);
    EXPECT_TRUE(has(repair_mesh(all, "m").warnings, "all 48 tetrahedra are inside out"));
}

TEST(RepairMesh, leaves_out_unused_nodes_and_renumbers_the_groups) {
    TetMesh mesh = one_tet();
    mesh.nodes.insert(mesh.nodes.begin() + 1, Vec3d{5, 5, 5});
    mesh.node_ids.insert(mesh.node_ids.begin() + 1, 77);
    mesh.tets = {{0, 2, 3, 4}};
    mesh.node_groups["end"] = {0, 1, 4};
    const MeshReport report = repair_mesh(mesh, "m");
    EXPECT_EQ(report.n_unused, 1);
    EXPECT_TRUE(has(report.warnings, "left out: node 77"));
    EXPECT_EQ(mesh.node_ids, (std::vector<FileId>{10, 11, 12, 13}));
    EXPECT_EQ(mesh.tets[0], (Tet{0, 1, 2, 3}));
    EXPECT_EQ(mesh.node_groups["end"], (std::vector<Index>{0, 3}));
    EXPECT_EQ(mesh.nodes, one_tet().nodes);
}

struct Refused {
    const char* name;
    std::function<void(TetMesh&)> spoil;
    std::vector<std::string> expected;
};

TEST(RepairMesh, refuses_what_cannot_be_repaired_and_names_it) {
    const std::vector<Refused> cases{
        {"no tets", [](TetMesh& m) { m.tets.clear(), m.tet_ids.clear(); }, {"no tetrahedra"}},
        {"M07 repeated node", [](TetMesh& m) { m.tets[0][3] = 1; }, {"element 100", "node 11"}},
        {"M08 same tet twice",
         [](TetMesh& m) {
             add_tet(m, {3, 1, 0, 2});
         },
         {"100", "101"}},
        {"M09 flat",
         [](TetMesh& m) {
             m.nodes[3] = {0.3, 0.3, 0};
         },
         {"element 100", "zero"}},
        {"M09 flat up to rounding",
         [](TetMesh& m) {
             m.nodes[3] = {0.1 + 0.2 - 0.3, 0.3, 1e-17};
         },
         {"element 100", "zero volume"}},
        {"M16 face of three",
         [](TetMesh& m) {
             add_node(m, {1, 1, 1});
             add_node(m, {0.6, 0.6, 0.5});
             add_tet(m, {1, 2, 3, 4});
             add_tet(m, {1, 2, 3, 5});
         },
         {"face (11, 12, 13)", "100, 101 and 102"}},
        {"M19 too large",
         [](TetMesh& m) {
             for (Vec3d& p : m.nodes) p *= 1e200;
         },
         {"1e+200", "volume not representable"}},
        {"M19 too small",
         [](TetMesh& m) {
             for (Vec3d& p : m.nodes) p *= 1e-120;
         },
         {"1e-120", "volume not representable"}},
        {"M19 too far away",
         [](TetMesh& m) {
             for (Vec3d& p : m.nodes) p = p * 64.0 + Vec3d{1e17, 0, 0};
         },
         {"1e+17", "volume not representable"}},
    };
    for (const Refused& c : cases) {
        TetMesh mesh = one_tet();
        c.spoil(mesh);
        try {
            repair_mesh(mesh, "some.msh");
            ADD_FAILURE() << c.name << " was taken";
        } catch (const InputError& e) {
            EXPECT_EQ(e.place().file, "some.msh");
            for (const std::string& part : c.expected)
                EXPECT_NE(e.message().find(part), std::string::npos)
                    << c.name << ": " << e.message();
        }
    }
}

TEST(RepairMesh, warns_of_slivers_with_id_and_ratio) {  // M10
    TetMesh mesh = make_box({1, 1, 1}, {3, 3, 3});
    const Index corner = mesh.n_nodes();
    for (const Vec3d& p : one_tet().nodes) {
        mesh.nodes.push_back(p * 1e-6 + Vec3d{9, 9, 9});
        mesh.node_ids.push_back(mesh.n_nodes());
    }
    mesh.tets.push_back({corner, corner + 1, corner + 2, corner + 3});
    mesh.tet_ids.push_back(4711);
    const MeshReport report = repair_mesh(mesh, "m");
    EXPECT_EQ(report.n_slivers, 1);
    EXPECT_TRUE(has(report.warnings, "element 4711"));
}

TEST(RepairMesh, warns_of_nodes_at_one_place) {  // M13
    TetMesh mesh = one_tet();
    for (const Vec3d& p : one_tet().nodes) add_node(mesh, p.x == 1 ? p : p - Vec3d{0, 0, 3});
    add_tet(mesh, {4, 5, 6, 7});
    const MeshReport report = repair_mesh(mesh, "m");
    EXPECT_TRUE(has(report.warnings, "2 nodes share their place with another: node 11 with 15"));
    EXPECT_EQ(report.n_parts, 2);
}

TEST(RepairMesh, counts_parts_and_warns_of_hinges) {  // M15, M17
    TetMesh apart = one_tet();
    for (const Vec3d& p : one_tet().nodes) add_node(apart, p + Vec3d{5, 0, 0});
    TetMesh hinged = apart;
    add_tet(apart, {4, 5, 6, 7});
    const MeshReport two = repair_mesh(apart, "m");
    EXPECT_EQ(two.n_parts, 2);
    EXPECT_TRUE(two.warnings.empty());

    add_tet(hinged, {1, 5, 6, 7});
    const MeshReport joined = repair_mesh(hinged, "m");
    EXPECT_EQ(joined.n_parts, 1);
    EXPECT_TRUE(has(joined.warnings, "hinge: tetrahedra hang together only at 1 node (11)"));
}

TEST(RepairMesh, warns_of_a_tet_folded_over_its_neighbour) {  // M18, neighbours
    TetMesh mesh = one_tet();
    add_node(mesh, {0.2, 0.2, 0.1});
    add_tet(mesh, {1, 2, 3, 4});
    EXPECT_TRUE(
        has(repair_mesh(mesh, "m").warnings, "1 pair of tetrahedra overlap: element 100 with 101"));
}

}  // namespace
}  // namespace limber
