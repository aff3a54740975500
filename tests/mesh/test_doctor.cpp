// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "limber/mesh/doctor/overlap.h"
#include "limber/mesh/shapes.h"
#include "mesh/doctor_samples.h"

namespace limber {
namespace {

/// A cube of two triangulations: five tets, the inner one on the even or on the odd corners.
TetMesh five_tets(bool even, double x) {
    std::vector<Vec3d> p;
    for (int i = 0; i < 8; ++i)
        p.push_back({x + (i & 1 ? 1.0 : 0.0), i & 2 ? 1.0 : 0.0, i & 4 ? 1.0 : 0.0});
    TetMesh mesh =
        even ? mesh_of(p, {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}})
             : mesh_of(p, {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}});
    for (Tet& t : mesh.tets)
        if (tet_volume(p[t[0]], p[t[1]], p[t[2]], p[t[3]]) < 0) std::swap(t[0], t[1]);
    return mesh;
}

/// Nodes at equal places made one.
TetMesh glued(const TetMesh& mesh) {
    TetMesh out;
    std::vector<Index> place;
    for (const Vec3d& p : mesh.nodes) {
        const auto found = std::find(out.nodes.begin(), out.nodes.end(), p);
        place.push_back(static_cast<Index>(found - out.nodes.begin()));
        if (found == out.nodes.end()) out.nodes.push_back(p);
    }
    for (Tet tet : mesh.tets) {
        for (Index& node : tet) node = place[node];
        out.tets.push_back(tet);
    }
    return mesh_of(out.nodes, out.tets);
}

TEST(Doctor, lists_every_error_when_it_is_not_to_refuse) {
    TetMesh mesh = make_box({1, 1, 1}, {2, 2, 2});
    mesh.nodes.push_back({0.1, 0.1, 3});
    mesh.node_ids.push_back(900);
    const Tet t = mesh.tets[0];
    mesh.tets.push_back({t[1], t[0], t[2], t[3]});  // again, turned
    mesh.tet_ids.push_back(901);
    MeshReport report = examined(mesh);
    const Diagnosis* twice = finding(report, "M08");
    ASSERT_NE(twice, nullptr);
    EXPECT_EQ(twice->severity, Severity::error);
    EXPECT_EQ(twice->elements, (Ids{mesh.tet_ids[0], 901}));
    EXPECT_EQ(twice->count, 1);
    ASSERT_NE(finding(report, "M14"), nullptr);
    EXPECT_EQ(report.findings[0].code, "M08") << "errors come first";
    EXPECT_TRUE(report.has_errors());
    EXPECT_THROW(repair_mesh(mesh, "m"), InputError);
}

TEST(Doctor, finds_repeated_nodes_flat_tets_and_an_empty_mesh) {
    TetMesh mesh = make_box({1, 1, 1}, {2, 2, 2});
    mesh.tets[7][2] = mesh.tets[7][0];
    mesh.tets[9][1] = mesh.tets[9][3];
    const MeshReport repeated = examined(mesh);
    ASSERT_NE(finding(repeated, "M07"), nullptr);
    EXPECT_EQ(finding(repeated, "M07")->elements, (Ids{mesh.tet_ids[7], mesh.tet_ids[9]}));

    const TetMesh flat = mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}},
                                 {{0, 1, 2, 3}, {0, 1, 2, 4}});
    const MeshReport report = examined(flat);
    ASSERT_NE(finding(report, "M09"), nullptr);
    EXPECT_EQ(finding(report, "M09")->elements, Ids{2});
    EXPECT_NEAR(report.volume, 1.0 / 6, 1e-15) << "the others are measured";

    EXPECT_EQ(examined(TetMesh{}).findings.at(0).code, "M20");
}

TEST(Doctor, finds_a_face_of_three_tets) {
    const MeshReport report =
        examined(mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0.4, 0.4, 2}},
                         {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 5}}));
    const Diagnosis* d = finding(report, "M16");
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->elements, (Ids{1, 2, 3}));
    EXPECT_EQ(d->nodes, (Ids{1, 2, 3}));
}

TEST(Doctor, strict_refuses_to_turn_tets) {
    TetMesh mesh = make_box({1, 1, 1}, {2, 2, 2});
    std::swap(mesh.tets[5][0], mesh.tets[5][1]);
    EXPECT_EQ(finding(examined(mesh), "M12")->severity, Severity::fixed);
    const MeshReport strict = examined(mesh, {.strict = true});
    EXPECT_EQ(finding(strict, "M12")->severity, Severity::error);
    EXPECT_EQ(finding(strict, "M12")->elements, Ids{mesh.tet_ids[5]});
    EXPECT_EQ(finding(strict, "M18"), nullptr) << "it is measured as if turned";
}

TEST(Doctor, remarks_on_sparse_and_unsorted_ids) {  // M06
    TetMesh mesh = make_box({1, 1, 1}, {1, 1, 1});
    EXPECT_TRUE(examined(mesh).findings.empty());
    std::swap(mesh.node_ids[0], mesh.node_ids[1]);
    const MeshReport unsorted = examined(mesh);
    ASSERT_NE(finding(unsorted, "M06"), nullptr);
    EXPECT_NE(finding(unsorted, "M06")->text.find("are unsorted"), std::string::npos);
    std::swap(mesh.node_ids[0], mesh.node_ids[1]);
    mesh.node_ids.back() = 1'000'000'000;
    const MeshReport sparse = examined(mesh);
    EXPECT_NE(finding(sparse, "M06")->text.find("have gaps:"), std::string::npos);
    EXPECT_TRUE(sparse.warnings.empty());
}

TEST(Doctor, finds_a_hinge_at_an_edge) {  // M17
    const MeshReport report =
        examined(mesh_of({{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}},
                         {{0, 1, 2, 3}, {0, 1, 4, 5}}));
    const Diagnosis* d = finding(report, "M17");
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->nodes, (Ids{1, 2}));
    EXPECT_NE(d->text.find("1 edge (1-2)"), std::string::npos) << d->text;
    EXPECT_EQ(report.n_parts, 1);
}

TEST(Doctor, finds_a_pinch_inside_one_piece) {  // M17: a ring of tets that closes at one node
    // Five cubes in a ring that is open by a little; a corner of each end is made one node.
    TetMesh mesh = make_box({5, 1, 1}, {5, 1, 1});
    for (Vec3d& p : mesh.nodes) {
        const double angle = -p.x * 1.2, r = 1 + p.y;
        p = {r * std::cos(angle), r * std::sin(angle), p.z};
    }
    ASSERT_TRUE(examined(mesh).warnings.empty());
    const auto corner = [&](double x_end) {
        const TetMesh straight = make_box({5, 1, 1}, {5, 1, 1});
        for (Index i = 0; i < straight.n_nodes(); ++i)
            if (straight.nodes[i] == Vec3d{x_end, 0.5, 0.5}) return i;
        return Index{-1};
    };
    const Index a = corner(-2.5), b = corner(2.5);
    mesh.nodes[a] = 0.5 * (mesh.nodes[a] + mesh.nodes[b]);
    for (Tet& tet : mesh.tets)
        for (Index& node : tet)
            if (node == b) node = a;
    const MeshReport report = examined(mesh);
    const Diagnosis* d = finding(report, "M17");
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->nodes, Ids{mesh.node_ids[a]});
    EXPECT_EQ(report.n_parts, 1);
}

TEST(Doctor, lists_parts_largest_first) {  // M15
    const TetMesh small = make_box({1, 1, 1}, {1, 1, 1}), large = make_box({2, 2, 2}, {1, 1, 1});
    const MeshReport report = examined(both(small, large, {5, 0, 0}));
    ASSERT_NE(finding(report, "M15"), nullptr);
    EXPECT_EQ(finding(report, "M15")->severity, Severity::remark);
    ASSERT_EQ(report.parts.size(), 2u);
    EXPECT_NEAR(report.parts[0].volume, 8, 1e-12);
    EXPECT_EQ(report.parts[0].first_tet, 7);
    EXPECT_EQ(report.parts[1].n_tets, 6);
}

TEST(Doctor, finds_parts_that_lie_in_each_other) {  // M18
    const TetMesh box = make_box({1, 1, 1}, {2, 2, 2});
    EXPECT_EQ(finding(examined(both(box, box, {1.01, 0, 0})), "M18"), nullptr);
    const MeshReport crossing = examined(both(box, box, {0.9, 0.13, 0.07}));
    const Diagnosis* d = finding(crossing, "M18");
    ASSERT_NE(d, nullptr);
    ASSERT_GE(d->elements.size(), 2u);
    EXPECT_LE(d->elements[0], 48);
    EXPECT_GT(d->elements[1], 48) << "one of each box";

    // Wholly inside, far from any surface of the outer box.
    const TetMesh large = make_box({9, 9, 9}, {3, 3, 3});
    EXPECT_NE(finding(examined(both(large, box, {0, 0, 0})), "M18"), nullptr);
}

TEST(Doctor, finds_a_body_that_crosses_itself) {  // M18 in one part
    TetMesh mesh = make_box({10, 1, 1}, {20, 2, 2});
    for (Vec3d& p : mesh.nodes) {  // more than once round
        const double angle = -(p.x + 5) * 0.7, r = 2 + p.y;
        p = {r * std::cos(angle), r * std::sin(angle), p.z};
    }
    const MeshReport report = examined(mesh);
    EXPECT_EQ(report.n_parts, 1);
    ASSERT_NE(finding(report, "M18"), nullptr);
}

TEST(Doctor, knows_tets_that_touch_from_tets_that_overlap) {
    const std::vector<Vec3d> p{{0, 0, 0}, {1, 0, 0},       {0, 1, 0}, {0, 0, 1},  {1, 1, 1},
                               {1, 1, 0}, {0.2, 0.2, 0.2}, {3, 2, 3}, {1.5, 0, 0}};
    const TetMesh mesh = mesh_of(p, {{0, 1, 2, 3},
                                     {1, 2, 3, 4},    // face
                                     {1, 2, 5, 4},    // edge
                                     {6, 4, 7, 5},    // a needle out of the first
                                     {1, 8, 5, 4}});  // a node
    EXPECT_FALSE(tets_overlap(mesh, 0, 1));
    EXPECT_FALSE(tets_overlap(mesh, 0, 2));
    EXPECT_TRUE(tets_overlap(mesh, 0, 3));
    EXPECT_TRUE(tets_overlap(mesh, 3, 0));
    EXPECT_FALSE(tets_overlap(mesh, 0, 4));
    EXPECT_TRUE(tets_overlap(mesh, 0, 0));
}

TEST(Doctor, finds_faces_that_touch_but_do_not_match) {
    // The same cube twice has other diagonals on the common side; mirrored, they match.
    const MeshReport seam = examined(glued(both(five_tets(true, 0), five_tets(true, 1), {})));
    const Diagnosis* d = finding(seam, "Q01");
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->count, 4);  // two triangles on each side, each meets both
    for (std::size_t i = 0; i + 1 < d->elements.size(); i += 2) {
        EXPECT_LE(d->elements[i], 5);
        EXPECT_GT(d->elements[i + 1], 5);
    }
    const MeshReport sound = examined(glued(both(five_tets(true, 0), five_tets(false, 1), {})));
    EXPECT_TRUE(sound.findings.empty()) << sound.findings[0].text;
}

TEST(Doctor, finds_hanging_nodes) {
    // One coarse cube beside four fine ones: the node in the middle of the side hangs.
    const MeshReport report = examined(
        glued(both(make_box({1, 1, 1}, {1, 1, 1}), make_box({1, 1, 1}, {2, 2, 2}), {1, 0, 0})));
    ASSERT_NE(finding(report, "Q01"), nullptr);
    EXPECT_EQ(finding(report, "M13"), nullptr);
}

TEST(Doctor, finds_nodes_at_one_place_up_to_rounding) {  // M13
    const TetMesh box = make_box({1, 1, 1}, {3, 3, 3});
    const Index n = 4 * 4 * 4;
    for (const double gap : {0.0, 1e-12}) {
        const MeshReport report = examined(both(box, box, {1 + gap, gap, -gap}));
        const Diagnosis* d = finding(report, "M13");
        ASSERT_NE(d, nullptr);
        EXPECT_EQ(d->count, 32) << gap;
        for (std::size_t i = 0; i + 1 < d->nodes.size(); i += 2) EXPECT_LE(d->nodes[i], n);
        EXPECT_EQ(finding(report, "Q01"), nullptr) << "matching faces are told by their nodes";
    }
    EXPECT_EQ(finding(examined(both(box, box, {1.0001, 0, 0})), "M13"), nullptr);
}

TEST(Doctor, sorts_tets_into_histograms_and_lists_the_worst) {
    TetMesh mesh = make_box({1, 1, 1}, {4, 4, 4});
    Index inner = -1;
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        if (norm(mesh.nodes[i]) < 1e-12) inner = i;
    mesh.nodes[inner] = {0.2, 0.13, 0.1};
    const MeshReport report = examined(mesh);
    const ShapeStatistics& s = report.shapes;
    std::int64_t angles = 0, tets = 0;
    for (const auto n : s.dihedral) angles += n;
    for (const auto n : s.radius_ratio) tets += n;
    EXPECT_EQ(angles, 6 * 384);
    EXPECT_EQ(tets, 384);
    ASSERT_EQ(s.worst.size(), 10u);
    for (const TetQuality& t : s.worst) {
        const Tet& tet = mesh.tets[t.tet];
        EXPECT_NE(std::find(tet.begin(), tet.end(), inner), tet.end()) << "around the moved node";
        EXPECT_EQ(t.id, mesh.tet_ids[t.tet]);
    }
    EXPECT_TRUE(std::is_sorted(s.worst.begin(), s.worst.end(), [](const auto& a, const auto& b) {
        return a.radius_ratio < b.radius_ratio;
    }));
}

TEST(Doctor, a_regular_tet_has_radius_ratio_one) {
    const TetMesh mesh =
        mesh_of({{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}}, {{0, 1, 2, 3}});
    const TetShape s = tet_shape(mesh, mesh.tets[0]);
    EXPECT_NEAR(s.radius_ratio, 1, 1e-14);
    for (const double c : s.dihedral_cosine) EXPECT_NEAR(c, 1.0 / 3, 1e-14);
}

TEST(Doctor, keeps_what_the_reader_said) {
    const MeshReport report =
        examined(make_box({1, 1, 1}, {1, 1, 1}), {.read_warnings = {"7 triangles"}});
    EXPECT_EQ(report.warnings, std::vector<std::string>{"7 triangles"});
    EXPECT_EQ(report.findings.at(0).code, "");
}

TEST(Doctor, says_the_same_for_any_number_of_threads) {
    TetMesh mesh = make_box({1, 1, 1}, {14, 14, 14});
    std::mt19937 random(2);
    std::uniform_real_distribution<double> u(-0.02, 0.02);
    for (Vec3d& p : mesh.nodes) p += Vec3d{u(random), u(random), u(random)};
    const auto with = [&](int threads) {
        const ThreadLimit limit(threads);
        return examined(mesh);
    };
    const MeshReport one = with(1), four = with(4);
    EXPECT_EQ(one.volume, four.volume);
    EXPECT_EQ(one.shapes.dihedral, four.shapes.dihedral);
    EXPECT_EQ(one.shapes.squared_frequency, four.shapes.squared_frequency);
    ASSERT_EQ(one.findings.size(), four.findings.size());
    for (std::size_t i = 0; i < one.findings.size(); ++i)
        EXPECT_EQ(one.findings[i].text, four.findings[i].text);
}

}  // namespace
}  // namespace limber
