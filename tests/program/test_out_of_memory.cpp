// SPDX-License-Identifier: Apache-2.0
// Allocations that fail while a scene is loaded and stepped: one line and exit code 4, never a
// crash. The whole range is gone through with a stride, from another start each time the program
// changes its number of allocations.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "program.h"

namespace limber::test {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these have their own malloc

constexpr const char* scene_text = R"(
limber = 1
[time]
step = 0.01
steps = 3
[solver]
kind = "KIND"
[material.rubber]
kind = "corotated"
young = "200 kPa"
poisson = 0.4
density = 1000
[[body]]
name = "bar"
shape = "beam"
cells = [3, 1, 1]
material = "rubber"
[[obstacle]]
shape = "plane"
normal = [0, 1, 0]
[contact]
method = "CONTACT"
[output]
formats = ["vtu"]
checkpoint_every = 1
)";

std::string scene_with(const std::string& kind, const std::string& contact) {
    std::string text = scene_text;
    text.replace(text.find("KIND"), 4, kind);
    text.replace(text.find("CONTACT"), 7, contact);
    return text;
}

struct OutOfMemory : testing::TestWithParam<std::pair<const char*, const char*>> {
    void SetUp() override {
        write_text(folder / "s.toml", scene_with(GetParam().first, GetParam().second));
    }
    ProgramResult run(long fail_at, bool on) {
        fs::remove_all(folder / "run");
        return limber({"run", (folder / "s.toml").string(), "-o", (folder / "run").string(),
                       "--threads", "1"},
                      [&] {
                          const std::string number = std::to_string(fail_at);
                          const int fd =
                              open((folder / "count").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
                          setenv("LD_PRELOAD", LIMBER_FAILING_MALLOC, 1);
                          setenv("LIMBER_FAIL_ALLOCATION", number.c_str(), 1);
                          setenv("LIMBER_FAIL_ON", on ? "1" : "0", 1);
                          setenv("LIMBER_COUNT_ALLOCATIONS", std::to_string(fd).c_str(), 1);
                      });
    }
    TempFolder folder;
};

TEST_P(OutOfMemory, ends_with_one_line_and_exit_code_4_wherever_it_comes) {
    const ProgramResult whole = run(0, false);
    ASSERT_EQ(whole.code, 0) << whole.err;
    const long n = std::stol(text_of(folder / "count"));
    ASSERT_GT(n, 1000);
    constexpr long tries = 60;
    for (bool on : {true, false})
        // The first is the C++ library's reserve for exceptions: without it none can be thrown.
        // LIMBER_LONG goes through every one.
        for (long k = std::getenv("LIMBER_LONG") ? 2 : 2 + n % 7; k <= n;
             k += std::getenv("LIMBER_LONG") ? 1 : std::max(1L, n / tries)) {
            const ProgramResult result = run(k, on);
            // A library may do without a piece of memory; the program may not, unless nothing is
            // left to be done.
            if (result.code == 0) {
                EXPECT_NE(text_of(folder / "run" / "summary.json").find("\"status\": \"done\""),
                          std::string::npos)
                    << "allocation " << k;
                EXPECT_TRUE(!on || k > n - 20) << "allocation " << k;
                continue;
            }
            EXPECT_EQ(result.code, 4) << "allocation " << k << (on ? " and on" : "") << '\n'
                                      << result.err;
            EXPECT_NE(result.err.find("no more memory"), std::string::npos)
                << "allocation " << k << (on ? " and on" : "") << '\n'
                << result.err;
            EXPECT_EQ(result.err.find("bug"), std::string::npos) << result.err;
        }
}

INSTANTIATE_TEST_SUITE_P(Solvers, OutOfMemory,
                         testing::Values(std::pair{"warp_canceling", "lagrange"},
                                         std::pair{"corotational", "penalty"}),
                         [](const auto& p) { return std::string(p.param.first); });

#endif

}  // namespace
}  // namespace limber::test
