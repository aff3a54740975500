// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/element_set.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fem/fem_samples.h"
#include "limber/core/errors.h"
#include "limber/fem/elements/packet_memory.h"

namespace limber {
namespace {

using namespace testing_fem;

TEST(ElementSet, holds_the_rest_shape_of_every_tet) {
    const MixedBody body;
    ASSERT_EQ(body.elements.n_tets, 162);
    ASSERT_EQ(body.elements.tets.packets.size(), 21u);
    for (Index t = 0; t < body.elements.n_tets; ++t) {
        const HookePacket& packet = body.elements.tets.packets[t / 8];
        const int lane = t % 8;
        const Tet& tet = body.mesh.tets[t];
        const auto node = [&](int c) { return body.mesh.nodes[tet[c]]; };
        Mat3d Dm_inv;
        for (int i = 0; i < 9; ++i) Dm_inv.a[i] = packet.Dm_inv[i][lane];
        const Mat3d Dm =
            Mat3d::from_columns(node(1) - node(0), node(2) - node(0), node(3) - node(0));
        EXPECT_LT(max_abs(Dm_inv * Dm - Mat3d::identity()), 1e-13);
        EXPECT_NEAR(packet.volume[lane], tet_volume(node(0), node(1), node(2), node(3)), 1e-16);
        EXPECT_EQ(packet.corotational[lane], body.tet_material[t] == 0 ? 1 : 0);
        EXPECT_EQ(packet.mu[lane], body.tet_material[t] == 0 ? 3e5 : 2e5);
        for (int c = 0; c < 4; ++c) EXPECT_EQ(packet.node[c][lane], tet[c]);
    }
    for (int lane = 2; lane < 8; ++lane)
        EXPECT_EQ(body.elements.tets.packets.back().volume[lane], 0);
}

TEST(ElementSet, refuses_a_tet_without_volume) {
    TetMesh flat = single_tet();
    flat.nodes[3] = flat.nodes[2];
    EXPECT_THROW(elements_of(flat), Bug);
}

TEST(Mass, of_all_nodes_is_density_times_volume) {
    const TetMesh mesh = make_box({2, 3, 4}, {3, 2, 5});
    const std::vector<double> mass = lumped_mass(elements_of(mesh));
    EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.0), 1100 * 24, 1e-9);
}

TEST(Mass, damping_is_the_mass_weighted_by_each_tets_coefficient) {
    const MixedBody body;
    std::vector<double> expected(body.elements.n_nodes, 0.0);
    for (Index t = 0; t < body.elements.n_tets; ++t)
        for (const Index node : body.mesh.tets[t])
            expected[node] +=
                body.materials[body.tet_material[t]].damping_mass * body.elements.tet_mass[t] / 4;
    const std::vector<double> damping = lumped_mass_damping(body.elements);
    for (std::size_t i = 0; i < damping.size(); ++i) EXPECT_NEAR(damping[i], expected[i], 1e-12);
}

TEST(Mass, rows_of_the_consistent_matrix_sum_to_the_lumped_mass) {
    const MixedBody body;
    const std::vector<Vec3d> ones(body.elements.n_nodes, {1, 2, 3});
    std::vector<Vec3d> y(body.elements.n_nodes), damped(body.elements.n_nodes);
    add_consistent_mass(body.elements, ones, 2, false, y);
    add_consistent_mass(body.elements, ones, 1, true, damped);
    const std::vector<double> mass = lumped_mass(body.elements);
    const std::vector<double> damping = lumped_mass_damping(body.elements);
    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y[i].x, 2 * mass[i], 1e-12);
        EXPECT_NEAR(y[i].z, 6 * mass[i], 1e-12);
        EXPECT_NEAR(damped[i].y, 2 * damping[i], 1e-12);
    }
}

TEST(Mass, consistent_product_integrates_a_linear_field) {
    // ∫ ρ u·u over the body for u = (x, 0, 0) is exact with linear elements: ρ V a²/12.
    const TetMesh mesh = make_box({2, 1, 1}, {4, 2, 2});
    std::vector<Vec3d> u, y(mesh.nodes.size());
    for (const Vec3d& p : mesh.nodes) u.push_back({p.x, 0, 0});
    add_consistent_mass(elements_of(mesh), u, 1, false, y);
    double integral = 0;
    for (std::size_t i = 0; i < u.size(); ++i) integral += dot(u[i], y[i]);
    EXPECT_NEAR(integral, 1100 * 2 * 4.0 / 12, 1e-9);
}

TEST(CornerSum, adds_each_corner_once_to_its_node) {
    const TetMesh mesh = beam();  // 6480 tets: 26 chunks
    const ElementSet elements = elements_of(mesh);
    CornerSumScratch scratch;
    sweep_packets(elements.corner_sum, scratch,
                  [&](Index p, const CornerSum::PacketSlots& slots, Vec4d* sum) {
                      for (int c = 0; c < 4; ++c) {
                          Vec3<Double8> value{1.0, 0.0, 0.0};
                          for (int lane = 0; lane < 8; ++lane) value.y.set(lane, p * 8 + lane);
                          value.z = value.y * Double8(c + 1);
                          add_corner(value, slots.slot[c], sum);
                      }
                  });
    std::vector<Vec3d> expected(mesh.nodes.size());
    for (Index t = 0; t < mesh.n_tets(); ++t)
        for (int c = 0; c < 4; ++c)
            expected[mesh.tets[t][c]] += Vec3d{1, double(t), double(t) * (c + 1)};
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        EXPECT_EQ(node_sum(elements.corner_sum, scratch, i), expected[i]);  // whole numbers: exact
}

TEST(PacketMemory, adds_what_it_loads) {
    Random random(30);
    std::vector<Vec3d> x(9);
    for (Vec3d& p : x) p = {random.normal(), random.normal(), random.normal()};
    const Index node[8] = {8, 3, 0, 7, 1, 1, 5, 2};  // the last node too: nothing lies behind it
    const Vec3<Double8> v = load_corner(x.data(), node);
    Vec4d out[8] = {};
    const std::uint16_t slot[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    add_corner(v, slot, out);
    for (int lane = 0; lane < 8; ++lane) {
        EXPECT_EQ(v.x[lane], x[node[lane]].x);
        EXPECT_EQ(v.y[lane], x[node[lane]].y);
        EXPECT_EQ(v.z[lane], x[node[lane]].z);
        EXPECT_EQ(out[lane].v[0], x[node[lane]].x);
        EXPECT_EQ(out[lane].v[1], x[node[lane]].y);
        EXPECT_EQ(out[lane].v[2], x[node[lane]].z);
    }
}

}  // namespace
}  // namespace limber
