// SPDX-License-Identifier: Apache-2.0
// The bodies of descent on the device, run on the host, against the solvers of the CPU: the same
// steps from states of a run, and whole runs.
#include <cstdio>

#include "gpu/device_cases.h"

namespace limber {

namespace {

using namespace test;

class OnHost : public testing::TestWithParam<DeviceCase> {};

std::string name_of(const testing::TestParamInfo<DeviceCase>& info) {
    std::string out = info.param.name;
    for (char& c : out)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return out;
}

/// Steps that are compared: fewer where the host takes them, fewer still in sanitized code.
constexpr int steps_of([[maybe_unused]] bool on_host) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 4;
#else
    return on_host ? 30 : 100;
#endif
}

/// In double the same but for rounding. In float, where 96 iterations carry rounding far, no
/// farther than the float of the CPU is from its double, by the same measure.
template <bool on_host>
void expect_the_same_steps(const DeviceCase& c) {
    constexpr int steps = steps_of(on_host);
    const SceneDef twofold = scene_of(c, "double"), single = scene_of(c, "float");
    const StepDistances exact = distances_of_steps(twofold, twofold, on_device<on_host>, steps);
    EXPECT_LT(c.sensitive ? exact.median() : exact.worst(), 1e-10);
    if (!on_host)
        std::printf("%-22s %-36s double: median %.1e, worst %.1e", c.kind.c_str(), c.name.c_str(),
                    exact.median(), exact.worst());
    if (c.kind == "descent") {
        const StepDistances rounded = distances_of_steps(single, single, on_device<on_host>, steps);
        const StepDistances rounding = distances_of_steps(single, twofold, on_cpu, steps);
        EXPECT_LT(rounded.median(), 1e-4 + (c.sensitive ? 10 : 3) * rounding.median());
        // A look at the energy that rounding decides otherwise leaves a step at another iterate.
        if (!c.sensitive) {
            EXPECT_LT(rounded.worst(), 0.05 + 3 * rounding.worst());
        }
        if (!on_host)
            std::printf("; float: %.1e, %.1e; float and double of the CPU: %.1e, %.1e",
                        rounded.median(), rounded.worst(), rounding.median(), rounding.worst());
    }
    if (!on_host) std::printf("\n");
}

TEST_P(OnHost, takes_the_steps_of_the_cpu) {
    expect_the_same_steps<true>(GetParam());
}

TEST_P(OnHost, runs_as_the_cpu_does_in_double) {
    const DeviceCase& c = GetParam();
    if (c.sensitive) return;
    EXPECT_LT(farthest_of_runs<true>(scene_of(c, "double"), steps_of(true)), 1e-8);
}

std::vector<DeviceCase> all_cases() {
    std::vector<DeviceCase> out = jacobi_cases();
    for (DeviceCase& c : vertex_block_cases()) out.push_back(std::move(c));
    return out;
}

TEST_P(OnHost, goes_on_from_a_checkpoint_as_if_it_had_not_stopped) {
    EXPECT_TRUE(resumes_exactly<true>(scene_of(GetParam(), "float")));
}

INSTANTIATE_TEST_SUITE_P(Descent, OnHost, testing::ValuesIn(jacobi_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(VertexBlocks, OnHost, testing::ValuesIn(vertex_block_cases()), name_of);

/// The same on a card. One test each, so that machines without one say so in one line each.
class OnDevice : public testing::Test {
  protected:
    void SetUp() override {
        const gpu::Device device = gpu::device();
        if (!device.found) GTEST_SKIP() << "no device: " << device.missing;
    }
};

TEST_F(OnDevice, takes_the_steps_of_the_cpu) {
    for (const DeviceCase& c : all_cases()) {
        SCOPED_TRACE(c.kind + ", " + c.name);
        expect_the_same_steps<false>(c);
    }
}

/// As many tiles as the card has processors, each kept by one; and more than it works on at a time.
TEST_F(OnDevice, takes_the_steps_of_the_cpu_where_tiles_fill_it) {
    for (const int cells : {22, 34, 42}) {
        for (const char* direction : {"jacobi", "block_jacobi"}) {
            SCOPED_TRACE(std::to_string(cells) + " cells, " + direction);
            const std::string n = std::to_string(cells);
            DeviceCase c{"block " + n, inverting_law};
            c.solver = "direction = \"" + std::string(direction) + "\"";
            c.bodies = "[[body]]\nname = \"block\"\nshape = \"box\"\nsize = [1, 1, 1]\ncells = [" +
                       n + ", " + n + ", " + n +
                       "]\nmaterial = \"m\"\nvelocity = [0, 1, 0.5]\n"
                       "[[pin]]\nbody = \"block\"\nselect = { side = \"x-\" }\n";
            const SceneDef single = scene_of(c, "float"), twofold = scene_of(c, "double");
            const StepDistances on_card = distances_of_steps(single, single, on_device<false>, 4);
            const StepDistances rounding = distances_of_steps(single, twofold, on_cpu, 4);
            const StepDistances exact = distances_of_steps(twofold, twofold, on_device<false>, 4);
            std::printf(
                "%-22s %-36s double: median %.1e, worst %.1e; float: %.1e, %.1e; float and "
                "double of the CPU: %.1e, %.1e\n",
                c.name.c_str(), direction, exact.median(), exact.worst(), on_card.median(),
                on_card.worst(), rounding.median(), rounding.worst());
            EXPECT_LT(exact.worst(), 1e-10);
            EXPECT_LT(on_card.median(), 1e-4 + 3 * rounding.median());
        }
    }
}

TEST_F(OnDevice, runs_as_the_cpu_does_in_double) {
    for (const DeviceCase& c : all_cases()) {
        if (c.sensitive) continue;
        SCOPED_TRACE(c.kind + ", " + c.name);
        EXPECT_LT(farthest_of_runs<false>(scene_of(c, "double"), steps_of(false)), 1e-8);
    }
}

TEST_F(OnDevice, gives_the_same_bits_ten_times) {
    for (const DeviceCase& c : all_cases()) {
        SCOPED_TRACE(c.kind + ", " + c.name);
        const SceneDef scene = scene_of(c, "float");
        BuildReport report;
        const Model model = build_model(scene, report);
        std::vector<std::uint64_t> hashes;
        for (int run = 0; run < 10; ++run) {
            const auto world = world_of(scene, model, on_device<false>);
            for (int k = 0; k < 10; ++k) EXPECT_FALSE(world->step().failed);
            hashes.push_back(world->state_hash());
        }
        EXPECT_EQ(hashes, std::vector<std::uint64_t>(10, hashes[0]));
    }
}

/// Every kernel once and a little more, for compute-sanitizer, under which code is slow.
TEST_F(OnDevice, sanitized_takes_two_steps) {
    for (const DeviceCase& c : all_cases()) {
        SCOPED_TRACE(c.kind + ", " + c.name);
        const SceneDef scene = scene_of(c, "float");
        BuildReport report;
        const Model model = build_model(scene, report);
        const auto world = world_of(scene, model, on_device<false>);
        for (int k = 0; k < 2; ++k) EXPECT_FALSE(world->step().failed);
    }
}

TEST_F(OnDevice, goes_on_from_a_checkpoint_as_if_it_had_not_stopped) {
    for (const DeviceCase& c : all_cases()) {
        SCOPED_TRACE(c.kind + ", " + c.name);
        EXPECT_TRUE(resumes_exactly<false>(scene_of(c, "float")));
    }
}

}  // namespace

}  // namespace limber
