// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/warp.h"

#include <gtest/gtest.h>

#include <random>

#include "fixtures.h"

namespace limber {
namespace {

using test::bar;

Mat3d turn(const Vec3d& axis, double angle) {
    const Vec3d n = (1 / norm(axis)) * axis;
    const Mat3d cross_n = Mat3d::from_columns({0, n.z, -n.y}, {-n.z, 0, n.x}, {n.y, -n.x, 0});
    return std::cos(angle) * Mat3d::identity() + std::sin(angle) * cross_n +
           (1 - std::cos(angle)) * outer(n, n);
}

/// A bar, bent and turned, with its rotations; v is a random field.
struct Bent {
    Model model = bar();
    std::vector<Vec3d> x, v, turned;
    CorotationCache rotations;
    NodeRotations nodes;
    WarpFrames frames;
    SystemCoefficients coefficients{1.0 / 60, false, model.lumped};

    explicit Bent(double bend = 1.5) {
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        for (const Vec3d& X : model.mesh.nodes) {
            x.push_back(turn({0, 0, 1}, bend * X.x) * X + Vec3d{0, 0, 0.1 * X.x});
            v.push_back({normal(random), normal(random), normal(random)});
        }
        rotations.reset(model.elements);
        nodes.reset(model.n_nodes());
        frames.reset(model.elements);
        ElementForces scratch;
        std::vector<Vec3d> f(x.size());
        update_rotations_and_forces(model.elements, x, {RotationKind::svd, 1}, rotations, scratch,
                                    f);
        const std::vector<char> upright(x.size(), 0);
        NodeRotationFit(model.mesh).update(x, upright, nodes);
        turn_velocities();
    }
    void turn_velocities() {
        turned.clear();
        for (Index i = 0; i < model.n_nodes(); ++i) turned.push_back(nodes.turn_back(i, v[i]));
    }
    void refresh() {
        const std::vector<char> all(model.n_tets(), 1);
        refresh_frames(model.elements, rotations, nodes, all, frames);
    }
    std::vector<double> errors() const {
        std::vector<double> out(model.n_tets());
        warp_errors(model.elements, coefficients, rotations, nodes, frames, v, turned, out);
        return out;
    }
};

TEST(NodeRotations, of_a_rigid_motion_are_that_rotation) {
    const Model model = bar();
    const Mat3d R = turn({1, 2, -1}, 2.5);
    std::vector<Vec3d> x;
    for (const Vec3d& X : model.mesh.nodes) x.push_back(R * X + Vec3d{3, 1, 2});
    NodeRotations nodes;
    nodes.reset(model.n_nodes());
    std::vector<char> upright(x.size(), 0);
    upright[3] = 1;
    NodeRotationFit(model.mesh).update(x, upright, nodes);
    for (Index i = 0; i < model.n_nodes(); ++i)
        EXPECT_LT(frobenius_norm(nodes.at(i) - (i == 3 ? Mat3d::identity() : R)), 1e-9);
}

TEST(NodeRotations, are_proper_where_the_neighbourhood_is_flat_or_inverted) {
    const Model model = bar();
    for (const double squash : {0.0, -1.0}) {
        std::vector<Vec3d> x;
        for (const Vec3d& X : model.mesh.nodes) x.push_back({X.x, squash * X.y, X.z});
        NodeRotations nodes;
        nodes.reset(model.n_nodes());
        NodeRotationFit(model.mesh).update(x, std::vector<char>(x.size(), 0), nodes);
        for (Index i = 0; i < model.n_nodes(); ++i) {
            const Mat3d R = nodes.at(i);
            EXPECT_LT(frobenius_norm(transpose(R) * R - Mat3d::identity()), 1e-9);
            EXPECT_NEAR(determinant(R), 1, 1e-9);
        }
    }
}

TEST(WarpAssembler, fresh_blocks_bracketed_by_node_rotations_are_the_exact_matrix) {
    // Hecht et al. 2012: with everything up to date all node rotations cancel.
    for (const bool consistent : {false, true}) {
        Bent b;
        b.coefficients.consistent_mass = consistent;
        b.refresh();
        SystemAssembler exact(b.model.elements);
        BlockCsr A = exact.make_matrix(), warped = exact.make_matrix();
        exact.assemble(b.coefficients, b.rotations, A);
        WarpAssembler(b.model.elements, exact.pairs()).assemble(b.coefficients, b.frames, warped);
        std::vector<Vec3d> y(b.v.size()), z(b.v.size());
        A.apply(b.v, y);
        warped.apply(b.turned, z);
        double scale = 0;
        for (const Vec3d& p : y) scale = std::max(scale, norm(p));
        for (Index i = 0; i < b.model.n_nodes(); ++i)
            EXPECT_LT(norm(y[i] - b.nodes.turn(i, z[i])), 1e-11 * scale);
    }
}

TEST(WarpAssembler, turning_the_exact_matrix_gives_the_fresh_blocks) {
    for (const bool consistent : {false, true}) {
        Bent b;
        b.coefficients.consistent_mass = consistent;
        b.refresh();
        SystemAssembler exact(b.model.elements);
        BlockCsr A = exact.make_matrix(), summed = A, turned = A;
        exact.assemble(b.coefficients, b.rotations, A);
        WarpAssembler assembler(b.model.elements, exact.pairs());
        assembler.assemble(b.coefficients, b.frames, summed);
        assembler.turn(A, b.nodes, turned);
        assembler.turn(A, b.nodes, A);  // in place
        double scale = 0;
        for (const Mat3d& block : summed.blocks()) scale = std::max(scale, frobenius_norm(block));
        for (Index k = 0; k < summed.n_blocks(); ++k) {
            EXPECT_LT(frobenius_norm(turned.blocks()[k] - summed.blocks()[k]), 1e-13 * scale);
            EXPECT_EQ(turned.blocks()[k], A.blocks()[k]);
        }
    }
}

TEST(WarpAssembler, reassembling_what_changed_gives_the_bits_of_assembling_all) {
    Bent b;
    SystemAssembler exact(b.model.elements);
    WarpAssembler assembler(b.model.elements, exact.pairs());
    BlockCsr partly = exact.make_matrix(), whole = exact.make_matrix();
    assembler.assemble(b.coefficients, b.frames, partly);
    std::vector<char> tets(b.model.n_tets(), 0), nodes(b.model.n_nodes(), 0);
    for (Index t = 0; t < b.model.n_tets(); t += 7) {
        tets[t] = 1;
        for (const Index node : b.model.mesh.tets[t]) nodes[node] = 1;
    }
    refresh_frames(b.model.elements, b.rotations, b.nodes, tets, b.frames);
    assembler.reassemble(b.coefficients, b.frames, nodes, partly);
    assembler.assemble(b.coefficients, b.frames, whole);
    for (Index k = 0; k < whole.n_blocks(); ++k) EXPECT_EQ(partly.blocks()[k], whole.blocks()[k]);
}

TEST(WarpErrors, vanish_where_everything_is_fresh) {
    for (const bool consistent : {false, true}) {
        Bent b;
        b.coefficients.consistent_mass = consistent;
        const std::vector<double> before = b.errors();
        const double stale = *std::max_element(before.begin(), before.end());
        b.refresh();
        for (const double e : b.errors()) EXPECT_LT(e, 1e-12 * stale);
    }
}

TEST(WarpErrors, are_the_difference_of_the_products_tet_by_tet) {
    // One tet: the sum over its four nodes of |A v - R Ã Rᵀ v|² is the square of its error.
    TetMesh mesh;
    mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}};
    Bent b;
    b.model = one_body("tet", mesh, test::rubber());
    finish_model(b.model);
    b.x = {{0, 0, 0}, {0.2, 0.9, 0.1}, {-1.1, 0.3, 0}, {0, 0.2, 1.2}};
    b.v = {{1, 0, 2}, {-1, 0.5, 0}, {0.3, 0.2, 0.1}, {0, -2, 1}};
    b.rotations.reset(b.model.elements);
    b.nodes.reset(4);
    b.frames.reset(b.model.elements);
    b.coefficients.lumped = b.model.lumped;
    ElementForces scratch;
    std::vector<Vec3d> f(4), y(4), z(4);
    update_rotations_and_forces(b.model.elements, b.x, {RotationKind::svd, 1}, b.rotations, scratch,
                                f);
    // Node rotations that differ from each other, as at a crease.
    for (Index i = 0; i < 4; ++i) b.nodes.set(i, turn({1, 0.5 * i, 0.2}, 0.4 + 0.2 * i));
    b.turn_velocities();
    SystemAssembler exact(b.model.elements);
    BlockCsr A = exact.make_matrix(), warped = exact.make_matrix();
    exact.assemble(b.coefficients, b.rotations, A);
    WarpAssembler(b.model.elements, exact.pairs()).assemble(b.coefficients, b.frames, warped);
    A.apply(b.v, y);
    warped.apply(b.turned, z);
    double sum = 0;
    for (Index i = 0; i < 4; ++i) sum += squared_norm(y[i] - b.nodes.turn(i, z[i]));
    EXPECT_NEAR(b.errors()[0], std::sqrt(sum), 1e-12 * std::sqrt(sum));
}

}  // namespace
}  // namespace limber
