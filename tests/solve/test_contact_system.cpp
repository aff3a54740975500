// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/contact_system.h"

#include <gtest/gtest.h>

#include <random>

#include "fixtures.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using test::rubber;
using test::tight;

/// Four free bars side by side; 3 nodes of bar k belong to its end.
Model four_bars(bool pin_first = false) {
    Model model;
    model.materials = {rubber()};
    for (int k = 0; k < 4; ++k) {
        const TetMesh mesh = make_box({1, 0.25, 0.25}, {6 + k, 2, 2});
        Body body;
        body.name = "bar" + std::to_string(k);
        body.node_begin = model.mesh.n_nodes();
        body.tet_begin = model.mesh.n_tets();
        for (const Vec3d& x : mesh.nodes) model.mesh.nodes.push_back(x + Vec3d{0, 0.5 * k, 0});
        for (Tet tet : mesh.tets) {
            for (Index& node : tet) node += body.node_begin;
            model.mesh.tets.push_back(tet);
        }
        body.node_end = model.mesh.n_nodes();
        body.tet_end = model.mesh.n_tets();
        for (Index i = body.node_begin; i < body.node_end; ++i) model.mesh.node_ids.push_back(i);
        for (Index i = body.tet_begin; i < body.tet_end; ++i) model.mesh.tet_ids.push_back(i);
        model.bodies.push_back(body);
    }
    model.tet_material.assign(model.mesh.n_tets(), 0);
    if (pin_first) model.pins.push_back({"pin 1", {0, 1, 2}, {true, true, true}, {}});
    finish_model(model);
    for (Index i = 0; i < model.n_nodes(); ++i)
        model.initial_velocity[i] = {0.1 * std::sin(i), 0.2 * std::cos(3 * i), 0.05};
    return model;
}

/// Ties bodies together with terms that never change.
class FixedTerms final : public ContactMethod {
  public:
    explicit FixedTerms(std::vector<ContactTerm> terms) : terms_(std::move(terms)) {}
    std::string_view name() const override { return "fixed"; }
    void detect(const ContactInput&, ContactSet&) override {}
    void respond(const ContactInput&, ContactSet& set) override { set.terms = terms_; }
    void read_back(const ContactInput&, std::span<const Vec3d>, ContactSet&,
                   std::span<Vec3d>) override {}

  private:
    std::vector<ContactTerm> terms_;
};

Mat3d stiff_block(double scale) {
    const Vec3d n = (1 / std::sqrt(3.0)) * Vec3d{1, 1, 1};
    return scale * (10.0 * outer(n, n) + Mat3d::identity());
}

/// A vertex of bar 0 against a face of bar 2, and an edge of bar 2 against an edge of bar 3; one
/// node of bar 1 on its own. Bars {0, 2, 3} and {1} are islands.
std::vector<ContactTerm> ties(const Model& model) {
    const auto node = [&](int body, Index k) { return model.bodies[body].node_begin + k; };
    return {
        {ContactStencil{{node(0, 5), node(2, 3), node(2, 4), node(2, 9)}, {1, -0.2, -0.3, -0.5}, 4},
         stiff_block(5),
         {0.01, 0.02, -0.03}},
        {ContactStencil{
             {node(2, 7), node(2, 8), node(3, 1), node(3, 2)}, {0.4, 0.6, -0.7, -0.3}, 4},
         stiff_block(2),
         {-0.02, 0, 0.01}},
        {ContactStencil::of_node(node(1, 6)), stiff_block(1), {0, 0.1, 0}}};
}

std::unique_ptr<World> world_with(Model model, const CorotationalOptions& options,
                                  bool tied = true) {
    auto owned = std::make_unique<const Model>(std::move(model));
    auto stepper = std::make_unique<CorotationalStepper>(*owned, options);
    auto contact = std::make_unique<FixedTerms>(tied ? ties(*owned) : std::vector<ContactTerm>{});
    return std::make_unique<World>(std::move(owned), std::move(stepper), std::move(contact));
}

double largest_difference(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, norm(a[i] - b[i]));
    return out;
}

TEST(ContactSystem, every_way_to_solve_gives_the_same_coupled_step) {
    CorotationalOptions reference = tight();
    reference.linear = LinearKind::eigen_ldlt;
    const auto direct = world_with(four_bars(true), reference);
    for (int k = 0; k < 5; ++k) ASSERT_FALSE(direct->step().failed);
    for (auto form : {SystemForm::v, SystemForm::dv})
        for (auto op : {OperatorKind::assembled, OperatorKind::matrix_free})
            for (auto solves : {SolveScope::world, SolveScope::islands}) {
                if (op == OperatorKind::matrix_free && solves == SolveScope::islands) continue;
                CorotationalOptions o = tight();
                o.form = form;
                o.matrix = op;
                o.solves = solves;
                const auto world = world_with(four_bars(true), o);
                for (int k = 0; k < 5; ++k)
                    ASSERT_EQ(world->step().solve.status, SolveStatus::converged);
                // Speeds are of order 1, solved to 1e-12 of |b| with a condition below 1e5.
                EXPECT_LT(largest_difference(world->state().v, direct->state().v), 1e-8);
                EXPECT_LT(largest_difference(world->forces().reaction, direct->forces().reaction),
                          1e-5);
            }
}

TEST(ContactSystem, ties_between_bodies_keep_the_momentum) {
    Model model = four_bars();
    model.gravity = {};
    CorotationalOptions o = tight();
    o.solves = SolveScope::islands;
    const auto world = world_with(std::move(model), o);
    const auto momentum = [&] {
        Vec3d sum{};
        for (Index i = 0; i < world->model().n_nodes(); ++i)
            sum += world->model().mass[i] * world->state().v[i];
        return sum;
    };
    const Vec3d start = momentum();
    const double h = world->model().h;
    world->step();
    // The term of one node acts from outside: (impulse - block v⁺) of it is all that is added.
    const ContactTerm outside = ties(world->model())[2];
    const Vec3d added = outside.impulse - outside.block * outside.at.gather(world->state().v);
    EXPECT_LT(norm(momentum() - start - added), 1e-9 * norm(start)) << h;
}

TEST(ContactSystem, merged_matrix_and_operator_give_the_same_product) {
    const Model model = four_bars();
    SystemAssembler assembler(model.elements);
    BlockCsr A = assembler.make_matrix();
    CorotationCache rotations;
    rotations.reset(model.elements);
    assembler.assemble({model.h, false, model.lumped}, rotations, A);
    const auto terms = ties(model);
    const BlockCsr merged = with_terms(A, terms);
    ContactSystem system;
    system.set_whole(A, terms);
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    std::vector<Vec3d> x(model.n_nodes()), y(x.size()), z(x.size());
    for (Vec3d& v : x) v = {normal(random), normal(random), normal(random)};
    const double xy = merged.apply(x, y), xz = system.apply(x, z);
    EXPECT_NEAR(xy, xz, 1e-10 * xy);
    EXPECT_LT(largest_difference(y, z), 1e-10 * std::sqrt(xy));
    std::vector<Mat3d> d(x.size()), e(x.size());
    merged.diagonal(d);
    system.diagonal(e);
    for (std::size_t i = 0; i < d.size(); ++i)
        EXPECT_LT(frobenius_norm(d[i] - e[i]), 1e-12 * frobenius_norm(d[i]));
}

TEST(Islands, are_the_groups_that_terms_tie_together) {
    const Model model = four_bars();
    Islands islands(model);
    EXPECT_EQ(islands.n(), 4);
    islands.find(ties(model));
    ASSERT_EQ(islands.n(), 2);
    EXPECT_TRUE(std::ranges::equal(islands.bodies(0), std::vector<Index>{0, 2, 3}));
    EXPECT_TRUE(std::ranges::equal(islands.bodies(1), std::vector<Index>{1}));
    EXPECT_EQ(islands.of_node(model.bodies[3].node_begin), 0);
    // Terms that add nothing to A tie nothing.
    auto loose = ties(model);
    for (ContactTerm& term : loose) term.block = {};
    islands.find(loose);
    EXPECT_EQ(islands.n(), 4);
}

TEST(Islands, stop_on_their_own_and_report_the_largest_count) {
    CorotationalOptions o = tight();
    o.pcg.rel_tolerance = 1e-6;
    o.solves = SolveScope::islands;
    const auto together = world_with(four_bars(), o, false);
    const StepReport all = together->step();
    int largest = 0;
    for (int k = 0; k < 4; ++k) {
        // The same bar alone.
        const Model source = four_bars();
        const Body& body = source.bodies[k];
        TetMesh mesh;
        mesh.nodes.assign(source.mesh.nodes.begin() + body.node_begin,
                          source.mesh.nodes.begin() + body.node_end);
        for (Index t = body.tet_begin; t < body.tet_end; ++t) {
            Tet tet = source.mesh.tets[t];
            for (Index& node : tet) node -= body.node_begin;
            mesh.tets.push_back(tet);
        }
        Model alone = one_body("bar", mesh, rubber());
        finish_model(alone);
        for (Index i = 0; i < alone.n_nodes(); ++i)
            alone.initial_velocity[i] = source.initial_velocity[body.node_begin + i];
        const auto world = test::world_of(std::move(alone), o);
        largest = std::max(largest, world->step().solve.iterations);
        std::vector<Vec3d> part(together->state().v.begin() + body.node_begin,
                                together->state().v.begin() + body.node_end);
        EXPECT_LT(largest_difference(world->state().v, part), 1e-12);
    }
    EXPECT_EQ(all.solve.iterations, largest);
}

TEST(Islands, give_the_same_bits_on_any_number_of_threads) {
    CorotationalOptions o = tight();
    o.solves = SolveScope::islands;
    std::uint64_t hash[2];
    for (int threads = 1; threads <= 2; ++threads) {
        const ThreadLimit limit(threads);
        const auto world = world_with(four_bars(), o);
        for (int k = 0; k < 5; ++k) world->step();
        hash[threads - 1] = world->state_hash();
    }
    EXPECT_EQ(hash[0], hash[1]);
}

}  // namespace
}  // namespace limber
