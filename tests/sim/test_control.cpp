// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/control.h"

#include <gtest/gtest.h>

#include <limits>

#include "fixtures.h"
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"

namespace limber {
namespace {

using test::bar;
using test::world_of;

std::unique_ptr<World> world_of_def(const SceneDef& scene) {
    BuildReport report;
    auto model = std::make_unique<const Model>(build_model(scene, report));
    auto stepper = make_stepper(scene, *model);
    auto contact = make_contact(scene, *model);
    return std::make_unique<World>(std::move(model), std::move(stepper), std::move(contact));
}

std::unique_ptr<World> world_of_scene(const std::string& file) {
    return world_of_def(load_scene(std::string(LIMBER_SOURCE_DIR "/scenes/") + file));
}
std::unique_ptr<World> world_of_text(const std::string& text) {
    return world_of_def(make_scene(parse_toml(text, "scene.toml"), "scene.toml"));
}

std::vector<std::byte> saved(const World& world) {
    ByteWriter out;
    world.save(out);
    return out.bytes();
}
void load(World& world, const std::vector<std::byte>& bytes) {
    ByteReader in(bytes, "bytes");
    world.load(in);
}

TEST(Control, the_state_never_moves_in_memory) {
    const auto world = world_of(bar());
    const Vec3d* x = world->state().x.data();
    const Vec3d* v = world->state().v.data();
    const Vec3d* force = world->control().force.data();
    for (int k = 0; k < 1000; ++k) world->step();
    const std::vector<std::byte> bytes = saved(*world);
    world->control().force.back().y = 1e300;  // a step that fails
    EXPECT_TRUE(world->step().failed);
    load(*world, bytes);
    world->step();
    EXPECT_EQ(world->state().x.data(), x);
    EXPECT_EQ(world->state().v.data(), v);
    EXPECT_EQ(world->control().force.data(), force);
}

TEST(Control, a_step_that_fails_leaves_state_and_bits_where_it_began) {
    const auto world = world_of(bar());
    for (int k = 0; k < 5; ++k) world->step();
    const std::uint64_t before = world->state_hash();
    world->control().force[7].x = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(world->step().failed);
    EXPECT_EQ(world->state_hash(), before);
}

TEST(Control, forces_from_outside_are_those_of_a_scene) {
    Model model = bar();
    const Index node = model.n_nodes() - 1;
    model.forces.push_back({"force 1", {node}, {Vec3d{0, 3, -1}}, {}});
    finish_model(model);
    const auto by_scene = world_of(std::move(model)), by_hand = world_of(bar());
    by_hand->control().force[node] = {0, 3, -1};
    for (int k = 0; k < 20; ++k) {
        const StepReport a = by_scene->step(), b = by_hand->step();
        EXPECT_EQ(a.energy_gain, b.energy_gain);
    }
    EXPECT_EQ(by_scene->state_hash(), by_hand->state_hash());
}

TEST(Control, forces_from_outside_bring_energy_that_the_books_know) {
    const auto world = world_of(bar(2, false));
    for (int k = 0; k < 60; ++k) {
        for (Index i = 0; i < world->model().n_nodes(); ++i)
            world->control().force[i] = {20 * world->model().mass[i], 0, 0};
        EXPECT_FALSE(world->step().has(StepFlag::energy_gained));
    }
    EXPECT_GT(world->state().v[0].x, 15);  // 20 m/s² for a second, less what implicit steps damp
}

TEST(Control, gravity_from_outside_is_that_of_a_scene) {
    Model model = bar();
    model.gravity = {1, 2, 3};
    finish_model(model);
    const auto by_scene = world_of(std::move(model)), by_hand = world_of(bar());
    by_hand->control().gravity = {1, 2, 3};
    for (int k = 0; k < 20; ++k) {
        by_scene->step();
        EXPECT_FALSE(by_hand->step().has(StepFlag::energy_gained));
    }
    EXPECT_EQ(by_scene->state_hash(), by_hand->state_hash());
}

TEST(Control, rigid_bodies_fall_by_the_gravity_of_the_control) {
    const auto world = world_of_text(R"(
limber = 1
[time]
step = 0.01
steps = 20
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
cells = [3]
rigid = true
[contact]
method = "lagrange"
)");
    world->control().gravity = {0, 3, 0};
    const double before = world->state().rigid.front().position.y;
    for (int k = 0; k < 20; ++k) EXPECT_FALSE(world->step().has(StepFlag::energy_gained)) << k;
    // Σ h² g k over 20 steps
    EXPECT_NEAR(world->state().rigid.front().position.y - before, 3 * 0.01 * 0.01 * 210, 1e-12);
}

TEST(Control, a_driven_pin_lands_on_its_targets_and_is_released_to_its_key_frames) {
    const auto world = world_of(bar());
    const Pin& pin = world->model().pins[0];
    PinControl& control = world->control().pins[0];
    control.driven = true;
    for (std::size_t k = 0; k < pin.nodes.size(); ++k)
        control.target[k] = world->state().x[pin.nodes[k]] + Vec3d{0, 0.01, 0};
    EXPECT_FALSE(world->step().has(StepFlag::energy_gained));
    for (std::size_t k = 0; k < pin.nodes.size(); ++k)
        EXPECT_LT(norm(world->state().x[pin.nodes[k]] - control.target[k]), 1e-15);
    control.driven = false;
    world->step();
    for (const Index i : pin.nodes)
        EXPECT_LT(norm(world->state().x[i] - world->model().mesh.nodes[i]), 1e-15);
}

/// Refuses steps above 5 ms; then nodes go where pins want them.
class ShortSteps final : public Stepper {
  public:
    explicit ShortSteps(const Model& model) : model_(model) {}
    std::string_view name() const override { return "short_steps"; }
    void free_motion(const StepInput& in, State& state, NodeForces&, StepReport& report) override {
        report.solve.status = in.h > 0.005 ? SolveStatus::not_finite : SolveStatus::direct;
        if (report.solve.failed()) return;
        for (Index i = 0; i < model_.n_nodes(); ++i)
            state.v[i] = masked(in.pin_velocity[i], Vec3d{1, 1, 1} - model_.free[i]);
        speeds.push_back(norm(state.v[model_.pins[0].nodes[0]]));
    }
    std::vector<double> speeds;  // of the first pinned node, of each part that was taken

  private:
    const Model& model_;
};

TEST(Control, the_parts_of_a_rejected_step_share_the_way_to_a_target) {
    auto model = std::make_unique<const Model>(bar(1));  // h = 1/60
    auto stepper = std::make_unique<ShortSteps>(*model);
    const ShortSteps& watched = *stepper;
    World world(std::move(model), std::move(stepper), std::make_unique<NoContact>());
    PinControl& control = world.control().pins[0];
    const Pin& pin = world.model().pins[0];
    control.driven = true;
    for (std::size_t k = 0; k < pin.nodes.size(); ++k)
        control.target[k] = world.state().x[pin.nodes[k]] + Vec3d{0, 0.1, 0};
    const StepReport report = world.step();
    EXPECT_FALSE(report.failed);
    EXPECT_EQ(report.substeps, 4);
    for (const double speed : watched.speeds) EXPECT_NEAR(speed, 0.1 * 60, 1e-12);
    for (std::size_t k = 0; k < pin.nodes.size(); ++k)
        EXPECT_LT(norm(world.state().x[pin.nodes[k]] - control.target[k]), 1e-15);
}

TEST(Control, cables_and_cavities_go_where_they_are_told_to) {
    const auto world = world_of_scene("soft_finger.toml");
    ASSERT_EQ(world->control().drives.size(), 1u);
    EXPECT_EQ(drive_kind(world->model(), 0).name, "tendon");
    EXPECT_EQ(drive_kind(world->model(), 0).what, "pull");
    for (int k = 0; k < 10; ++k) {
        world->control().drives[0] = 0.001 * (k + 1);
        ASSERT_FALSE(world->step().failed);
        EXPECT_EQ(world->drives()[0], 0.001 * (k + 1));
    }
    const auto length = [](World& w) {
        w.step();  // readings are those of the start of a step
        return w.contact().joints()[0]->readings()[0].value;
    };
    const double drawn_in = length(*world);
    world->control().drives[0] = 0.0;
    for (int k = 0; k < 10; ++k) world->step();
    EXPECT_GT(length(*world) - drawn_in, 0.005);

    const auto blown_up = world_of_scene("pneunet.toml"), flat = world_of_scene("pneunet.toml");
    ASSERT_EQ(blown_up->control().drives.size(), 1u);
    blown_up->control().drives[0] = 3000.0;
    flat->control().drives[0] = 0.0;
    for (int k = 0; k < 10; ++k) {
        blown_up->step();
        flat->step();
    }
    const CavityWall& wall = blown_up->model().pressures[0].wall;
    EXPECT_GT(wall.volume(blown_up->state().x), 1.01 * wall.volume(flat->state().x));
}

TEST(Control, a_checkpoint_has_what_was_written) {
    for (const char* scene : {"soft_finger.toml", "pneunet.toml"}) {
        const auto whole = world_of_scene(scene), second = world_of_scene(scene);
        const auto write = [](World& world, int k) {
            Control& control = world.control();
            control.force[3] = {0.01 * k, 0, 0};
            control.gravity = {0, -1.0 - k, 0};
            control.drives[0] = (k % 4) * (world.model().pressures.empty() ? 1e-3 : 1e2);  // m, Pa
            control.pins[0].driven = k > 2;
            for (std::size_t j = 0; j < control.pins[0].target.size(); ++j)
                control.pins[0].target[j] =
                    world.model().mesh.nodes[world.model().pins[0].nodes[j]] +
                    Vec3d{0, 1e-4 * k, 0};
        };
        for (int k = 0; k < 6; ++k) {
            write(*whole, k);
            whole->step();
        }
        write(*whole, 6);  // not yet acted upon
        load(*second, saved(*whole));
        for (int k = 0; k < 4; ++k) {
            whole->step();
            second->step();
            EXPECT_EQ(whole->state_hash(), second->state_hash()) << scene << ' ' << k;
        }
    }
}

TEST(Control, a_checkpoint_without_control_is_as_small_as_ever_and_clears_it) {
    const auto world = world_of(bar());
    const std::vector<std::byte> idle = saved(*world);
    world->control().force[0].x = 1;
    EXPECT_GT(saved(*world).size(), idle.size());
    load(*world, idle);
    EXPECT_TRUE(is_idle(world->control(), world->model()));
}

TEST(Control, what_no_step_can_take_is_refused_by_name) {
    const auto world = world_of_scene("soft_finger.toml");
    const auto text = [&] {
        try {
            check_control(world->control(), world->model());
        } catch (const InputError& error) {
            return error.message();
        }
        return std::string();
    };
    EXPECT_EQ(text(), "");
    world->control().force[12].y = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(text().find("control.force[12].y = nan; allowed: "), 0u) << text();
    world->control() = idle_control(world->model());
    world->control().gravity.z = 1e80;
    EXPECT_EQ(text().find("control.gravity.z = 1e+80; allowed: "), 0u) << text();
    world->control() = idle_control(world->model());
    world->control().drives[0] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(text().find("pull of 'tendon' = inf; allowed: "), 0u) << text();
    world->control() = idle_control(world->model());
    world->control().pins[0].target[1].x = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(text(), "");  // nobody looks at targets of a pin that is not driven
    world->control().pins[0].driven = true;
    EXPECT_NE(text().find("target[1] of pin "), std::string::npos) << text();
}

TEST(Control, a_damaged_control_in_a_checkpoint_is_refused_and_changes_nothing) {
    const auto world = world_of(bar());
    world->control().force[0].x = 1;
    std::vector<std::byte> bytes = saved(*world);
    // The last array is that of the drives, here without entries: before it come the pin's targets.
    bytes.resize(bytes.size() - 1);
    const std::uint64_t before = world->state_hash();
    EXPECT_THROW(load(*world, bytes), InputError);
    EXPECT_EQ(world->state_hash(), before);
    EXPECT_EQ(world->control().force[0].x, 1);
}

}  // namespace
}  // namespace limber
