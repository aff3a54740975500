// SPDX-License-Identifier: Apache-2.0
// The library as a program of somebody else's sees it: limber/limber.h and nothing else of ours.
#include <gtest/gtest.h>
#include <limber/limber.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

namespace {

using limber::ArrayView;
using limber::Scene;
using limber::Value;
using limber::World;

std::string refusal(const auto& call) {
    try {
        call();
    } catch (const limber::InputError& error) {
        return error.message();
    }
    return "taken";
}

Scene bar() {
    return Scene::parse(R"(
limber = 1
[time]
step = 0.01
steps = 30
[material.rubber]
young = "500 kPa"
[[body]]
name = "bar"
shape = "beam"
size = [0.6, 0.1, 0.1]
cells = [6, 2, 2]
material = "rubber"
[[pin]]
body = "bar"
select = { side = "x-" }
)");
}

TEST(Arrays, of_any_strides_and_kinds_of_numbers_are_read) {
    const float numbers[] = {1, 2, 3, 4, 5, 6, 7, 8};
    ArrayView view;
    view.name = "f";
    view.data = numbers + 7;
    view.item_size = 4;
    view.shape = {2, 3};
    view.strides = {-16, -4};  // backwards
    EXPECT_EQ(limber::numbers_of(view, -1, 3), (std::vector<double>{8, 7, 6, 4, 3, 2}));
    const std::int32_t whole[] = {-1, 5};
    EXPECT_EQ(limber::numbers_of(ArrayView::of("n", whole, 0), 2, 0), (std::vector<double>{-1, 5}));
    EXPECT_EQ(refusal([&] { limber::indices_of(ArrayView::of("n", whole, 0), 2, 0, 6); }),
              "n[0] = -1; allowed: 0 to 5");
    const std::uint64_t huge[] = {std::numeric_limits<std::uint64_t>::max()};
    ArrayView of_huge;
    of_huge.name = "h";
    of_huge.data = huge;
    of_huge.kind = 'u';
    of_huge.shape = {1};
    of_huge.strides = {8};
    EXPECT_EQ(limber::numbers_of(of_huge, 1, 0)[0], std::ldexp(1.0, 64));
    EXPECT_NE(refusal([&] { limber::indices_of(of_huge, 1, 0, 6); }), "taken");
}

TEST(Arrays, what_is_none_of_the_wanted_shape_or_kind_is_refused_by_name) {
    const double numbers[] = {1, 2, 3, 4, 5, std::nan("")};
    const auto told = [&](int columns, std::int64_t rows, int wanted, char kind = 'f',
                          bool swapped = false) {
        ArrayView view = ArrayView::of("x", numbers, columns);
        view.kind = kind;
        view.swapped = swapped;
        return refusal([&] { limber::numbers_of(view, rows, wanted); });
    };
    EXPECT_EQ(told(3, 2, 3), "x[1, 2] = nan; allowed: finite numbers");
    EXPECT_EQ(told(3, 5, 3), "x: an array of shape (2, 3); allowed: (5, 3)");
    EXPECT_EQ(told(2, -1, 3), "x: an array of shape (3, 2); allowed: (n, 3)");
    EXPECT_EQ(told(0, -1, 3), "x: an array of shape (6,); allowed: (n, 3)");
    EXPECT_EQ(told(3, -1, 0), "x: an array of shape (2, 3); allowed: (n,)");
    EXPECT_NE(told(3, 2, 3, 'c').find("complex numbers; allowed: "), std::string::npos);
    EXPECT_NE(told(3, 2, 3, 'b').find("true and false"), std::string::npos);
    EXPECT_NE(told(3, 2, 3, 'O').find("something else than numbers"), std::string::npos);
    EXPECT_NE(told(3, 2, 3, 'f', true).find("other byte order"), std::string::npos);
    EXPECT_EQ(refusal([&] { ArrayView::of("x", std::span(numbers), 4); }),
              "x: 6 numbers; allowed: rows of 4");
}

TEST(Scenes, are_checked_as_files_are) {
    Scene scene = bar();
    scene.set("material.rubber.poisson=0.7");
    EXPECT_EQ(refusal([&] { scene.check(); }),
              "material.rubber.poisson = 0.7; allowed: a number > -1 and < 0.5");
    EXPECT_EQ(refusal([&] { World world(scene); }), refusal([&] { scene.check(); }));
    EXPECT_EQ(refusal([&] { bar().set_mesh("baar", {}, {}); }),
              "there is no body 'baar'; allowed: bar; did you mean 'bar'?");
    EXPECT_NE(refusal([&] { bar().set_mesh("bar", {}, {}); }).find("has a shape already"),
              std::string::npos);
    EXPECT_NE(refusal([&] { Scene(Value::of(std::int64_t{5})); }).find("a scene is a table"),
              std::string::npos);
    EXPECT_NE(refusal([&] { limber::keys_of("materal"); }).find("did you mean 'material'"),
              std::string::npos);
}

TEST(Scenes, that_are_saved_read_back_with_their_meshes) {
    const std::string dir = ::testing::TempDir() + "limber_saved_scene";
    std::filesystem::create_directories(dir);
    std::string hash;
    {
        Scene scene = bar();
        scene.edit([](Value& document) {
            for (const char* key : {"shape", "size", "cells"})
                document.find("body")->items[0].remove(key);
        });
        const double x[] = {0, 0, 0, 0.1, 0, 0, 0, 1.0 / 3, 0, 0, 0, 0.1};
        const std::int32_t tet[] = {0, 1, 2, 3};
        scene.set_mesh("bar", ArrayView::of("nodes", x, 3), ArrayView::of("tets", tet, 4));
        scene.save(dir + "/scene.toml");
        World world(scene);
        EXPECT_EQ(world.rest()[7], 1.0 / 3);  // every bit
        world.step_many(3);
        hash = world.state_hash();
    }
    World world(Scene::load(dir + "/scene.toml"));
    world.step_many(3);
    EXPECT_EQ(world.state_hash(), hash);
    std::filesystem::remove_all(dir);
}

TEST(Worlds, take_what_is_written_and_give_it_back_from_checkpoints) {
    World world(bar());
    const auto tip = world.select("bar", [] {
        Value select = Value::table();
        select.set("side", Value::of(std::string("x+")));
        return select;
    }());
    ASSERT_EQ(tip.size(), 9u);
    const std::vector<std::byte> start = world.save();
    world.step_many(5);
    const std::string alone = world.state_hash();
    world.restore(start);
    world.control().force()[3 * static_cast<std::size_t>(tip[0])] = 3;
    world.step_many(5);
    EXPECT_NE(world.state_hash(), alone);
    world.restore(start);
    world.step_many(5);
    EXPECT_EQ(world.state_hash(), alone);
    EXPECT_EQ(refusal([&] { world.control().drive("tendon", 1); }),
              "there is no cable or cavity 'tendon'; allowed: none, the scene has neither");
    EXPECT_EQ(refusal([&] { world.control().pin_target(1); }),
              "there is no pin 1; allowed: numbers below 1");
    std::vector<std::byte> damaged = start;
    damaged[damaged.size() / 2] ^= std::byte{1};
    EXPECT_NE(refusal([&] { world.restore(damaged); }).find("damaged checkpoint"),
              std::string::npos);
    EXPECT_NE(refusal([&] { world.restore({}); }), "taken");
    EXPECT_EQ(world.state_hash(), alone);
}

class StopAt final : public limber::Observer {
  public:
    explicit StopAt(std::int64_t step) : step_(step) {}
    bool after_step(const limber::StepReport& report) override { return report.step < step_; }

  private:
    std::int64_t step_;
};

TEST(Worlds, stop_where_an_observer_has_seen_enough) {
    World world(bar());
    world.add(std::make_unique<StopAt>(4));
    EXPECT_EQ(world.step_many(100).step, 4);
    EXPECT_EQ(world.steps(), 4);
    EXPECT_EQ(world.steps_of_scene(), 30);
}

TEST(Worlds, in_two_threads_come_to_the_bits_of_one_after_the_other) {
    const auto hash = [] {
        World world(bar());
        world.step_many(20);
        return world.state_hash();
    };
    const std::string alone = hash();
    std::string found[2];
    std::thread other([&] { found[0] = hash(); });
    found[1] = hash();
    other.join();
    EXPECT_EQ(found[0], alone);
    EXPECT_EQ(found[1], alone);
}

}  // namespace
