// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/checkpoint.h"

#include <gtest/gtest.h>

#include <random>

#include "limber/core/parallel.h"
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "program/program.h"

namespace limber {
namespace {

using test::TempFolder;
using test::text_of;
using test::write_text;

/// A ball thrown onto a floor: rotations, contact and friction all carry something from step to
/// step.
SceneDef ball(const std::string& solver, const std::string& contact) {
    const std::string law = solver == "projective_dynamics" ? "projective\"\npoisson = 0"
                                                            : "corotated\"\npoisson = 0.4";
    const std::string text = R"(
limber = 1
[time]
step = 0.01
steps = 40
[solver]
kind = ")" + solver + R"("
[material.rubber]
kind = ")" + law + R"(
young = "100 kPa"
density = 1000
[[body]]
name = "ball"
shape = "sphere"
radius = 0.2
cells = [3]
material = "rubber"
translate = [0, 0.22, 0]
velocity = [1, -3, 0]
[[obstacle]]
shape = "plane"
normal = [0, 1, 0]
[contact]
method = ")" + contact + "\"\n";
    return make_scene(parse_toml(text, "ball.toml"), "ball.toml");
}

std::unique_ptr<World> world_of(const SceneDef& scene) {
    BuildReport report;
    auto model = std::make_unique<const Model>(build_model(scene, report));
    auto stepper = make_stepper(scene, *model);
    auto contact = make_contact(scene, *model);
    return std::make_unique<World>(std::move(model), std::move(stepper), std::move(contact));
}

/// test_resume.cpp stops every method after every step; here the state goes through files, and the
/// number of threads is another.
TEST(CheckpointFile, resumes_with_the_bits_of_running_through_on_another_number_of_threads) {
    const SceneDef scene = ball("warp_canceling", "lagrange");
    const std::uint64_t hash = scene_hash(scene);
    const int n = 24;
    const auto through = world_of(scene);
    for (int k = 0; k < n; ++k) ASSERT_FALSE(through->step().failed);
    for (int stop : {0, 1, 9, 17}) {
        const TempFolder folder;
        {
            const ThreadLimit limit(2);
            const auto first = world_of(scene);
            for (int k = 0; k < stop; ++k) first->step();
            write_checkpoint(folder.path().string(), *first, hash);
        }
        const auto second = world_of(scene);
        std::vector<std::string> warnings;
        load_checkpoint(folder.path().string(), hash, *second, warnings);
        EXPECT_EQ(second->state().step, stop);
        for (int k = stop; k < n; ++k) second->step();
        EXPECT_EQ(second->state_hash(), through->state_hash()) << "stopped after " << stop;
    }
}

struct Checkpoint : testing::Test {
    SceneDef scene = ball("corotational", "penalty");
    std::uint64_t hash = scene_hash(scene);
    std::unique_ptr<World> world = world_of(scene);
    TempFolder folder;
    std::string dir = folder.path().string();
    std::vector<std::string> warnings;

    std::string refusal(const std::string& file, std::uint64_t scene_hash_value) {
        try {
            load_checkpoint(file, scene_hash_value, *world, warnings);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }
};

TEST_F(Checkpoint, keeps_the_newest_two) {
    for (int k = 0; k < 5; ++k) {
        world->step();
        write_checkpoint(dir, *world, hash);
    }
    std::vector<std::string> names;
    for (const auto& entry : test::fs::directory_iterator(folder / "checkpoint"))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"step_000000004.limber", "step_000000005.limber"}));
}

TEST_F(Checkpoint, no_flipped_bit_and_no_truncation_is_accepted_and_the_world_stays_as_it_was) {
    world->step();
    write_checkpoint(dir, *world, hash);
    const std::string file = (folder / "checkpoint/step_000000001.limber").string();
    const std::string good = text_of(file);
    world->step();
    const std::uint64_t before = world->state_hash();
    std::mt19937 dice(3);
    for (int k = 0; k < 1000; ++k) {
        std::string bad = good;
        const std::size_t bit =
            k < 448 ? k : dice() % (good.size() * 8);  // the header bit by bit, then anywhere
        bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
        write_text(file, bad);
        EXPECT_NE(refusal(file, hash), "") << "bit " << bit;
    }
    for (std::size_t length = 0; length < good.size(); length += length < 200 ? 1 : 997) {
        write_text(file, good.substr(0, length));
        EXPECT_NE(refusal(file, hash), "") << "length " << length;
    }
    EXPECT_EQ(world->state_hash(), before);
}

TEST_F(Checkpoint, X06_a_number_that_is_not_finite_names_array_and_index) {
    world->state().v[4].y = std::numeric_limits<double>::quiet_NaN();
    write_checkpoint(dir, *world, hash);
    const std::string text = refusal(dir, hash);
    EXPECT_NE(text.find("'v'"), std::string::npos) << text;
    EXPECT_NE(text.find("index 4"), std::string::npos) << text;
}

TEST_F(Checkpoint, a_number_that_no_run_can_have_names_array_and_index) {
    for (const double size : {1e75, 1.7e307}) {
        world->state().x[7].z = -size;
        write_checkpoint(dir, *world, hash);
        const std::string text = refusal(dir, hash);
        EXPECT_NE(text.find("'x'"), std::string::npos) << text;
        EXPECT_NE(text.find("index 7"), std::string::npos) << text;
        EXPECT_NE(text.find("below 1e+75"), std::string::npos) << text;
        world->state().x[7].z = 0;
        world->state().v[3].x = size;
        write_checkpoint(dir, *world, hash);
        EXPECT_NE(refusal(dir, hash).find("'v' has a value"), std::string::npos);
        world->state().v[3].x = 0;
    }
}

TEST_F(Checkpoint, a_step_beyond_all_counting_is_refused) {
    for (const std::int64_t step : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
        world->state().step = step;
        ByteWriter out;
        world->save(out);
        ByteReader in(out.bytes(), "far");
        EXPECT_THROW(world_of(scene)->load(in), InputError);
    }
}

TEST_F(Checkpoint, of_an_older_version_is_refused_with_both_versions) {
    write_checkpoint(dir, *world, hash);
    const std::string file = (folder / "checkpoint/step_000000000.limber").string();
    std::string bytes = text_of(file);
    bytes[8] = 1;
    write_text(file, bytes);
    const std::string text = refusal(file, hash);
    EXPECT_NE(text.find("version 1; this limber reads version 5"), std::string::npos) << text;
}

TEST_F(Checkpoint, a_run_folder_is_found_from_all_that_names_it) {
    const auto here = [](const std::string& named) {
        return test::fs::canonical(run_folder_of(named));
    };
    write_checkpoint(dir, *world, hash);
    const test::fs::path run = test::fs::canonical(dir), before = test::fs::current_path();
    const std::string file = "step_000000000.limber";
    EXPECT_EQ(here(dir), run);
    EXPECT_EQ(here(dir + "/"), run);
    EXPECT_EQ(here(dir + "/checkpoint/" + file), run);
    test::fs::current_path(dir);
    for (const std::string& named : {std::string("."), std::string("checkpoint"),
                                     std::string("./checkpoint/"), "checkpoint/" + file})
        EXPECT_EQ(here(named), run) << named;
    test::fs::current_path(run / "checkpoint");
    for (const std::string& named : {std::string("."), std::string(".."), "./" + file, file})
        EXPECT_EQ(here(named), run) << named;
    test::fs::current_path(before);
}

TEST_F(Checkpoint, a_file_outside_of_a_run_folder_is_refused) {
    write_checkpoint(dir, *world, hash);
    test::fs::copy_file(folder / "checkpoint/step_000000000.limber", folder / "copy.limber");
    try {
        run_folder_of((folder / "copy.limber").string());
        ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("in no run folder"), std::string::npos);
    }
    EXPECT_THROW(run_folder_of((folder / "nothing").string()), SystemError);
}

TEST_F(Checkpoint, X05_a_right_header_with_huge_counts_allocates_nothing) {
    ByteWriter payload;
    world->save(payload);
    std::vector<std::byte> bytes = payload.bytes();
    const std::uint64_t huge = std::uint64_t{1} << 60;
    // After the record of "step": name length 4, "step", item size, count, value; then "x": length
    // 1, "x", item size.
    const std::size_t at = 8 + 4 + 8 + 8 + 8 + 8 + 1 + 8;
    std::memcpy(bytes.data() + at, &huge, sizeof huge);
    ByteReader reader(bytes, "huge");
    const std::uint64_t before = world->state_hash();
    EXPECT_THROW(world->load(reader), InputError);
    EXPECT_EQ(world->state_hash(), before);
}

TEST_F(Checkpoint, an_empty_folder_is_refused_with_its_name) {
    EXPECT_NE(refusal(dir, hash).find(dir), std::string::npos);
}

}  // namespace
}  // namespace limber
