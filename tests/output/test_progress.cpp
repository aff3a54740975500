// SPDX-License-Identifier: Apache-2.0
#include "limber/output/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "output/output_samples.h"

namespace limber {
namespace {

using test::drifting;
using test::run_to;

/// What a run of `steps` steps says, with a clock that moves `tick_ms` at each look.
std::string told(RunOutputOptions options, std::int64_t steps, double tick_ms,
                 std::int64_t stop_at = -1, std::int64_t fail_at = 1 << 30) {
    const TempFolder temp;
    const int fd = ::open(temp.path("log").c_str(), O_RDWR | O_CREAT, 0600);
    double now = 0;
    options.total_steps = steps;
    options.log_fd = fd;
    options.clock_ms = [&] { return now += tick_ms; };
    auto world = drifting(test::bar(1), fail_at);
    world->add(std::make_unique<Progress>(options));
    run_to(*world, stop_at < 0 ? steps : stop_at);
    ::close(fd);
    return read_file(temp.path("log"));
}

TEST(Progress, on_a_terminal_is_one_line_that_changes) {
    RunOutputOptions options;
    options.log_is_tty = true;
    options.log_width = 100;
    const std::string text = told(options, 20, 60);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_GT(std::count(text.begin(), text.end(), '\r'), 3);
    for (const char* word : {"20/20", "100 %", "ms/step", "x real time", "left", "[####"})
        EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
}

TEST(Progress, a_line_fits_a_narrow_terminal) {
    for (int width : {10, 40, 60, 80, 200}) {
        RunOutputOptions options;
        options.log_is_tty = true;
        options.log_width = width;
        std::size_t column = 0;
        for (char c : told(options, 12, 200)) {
            column = c == '\r' || c == '\n' ? 0 : column + 1;
            ASSERT_LT(column, static_cast<std::size_t>(width) + 1);
        }
    }
}

TEST(Progress, in_a_pipe_is_plain_lines_now_and_then) {
    const std::string text = told({}, 1000, 100);
    EXPECT_EQ(text.find('\r'), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    const auto n = std::count(text.begin(), text.end(), '\n');
    EXPECT_GE(n, 10);
    EXPECT_LE(n, 40);
    EXPECT_NE(text.find("step 1000/1000 (100 %), time 16.67 s"), std::string::npos) << text;
}

TEST(Progress, a_fast_run_in_a_pipe_says_one_line) {
    const std::string text = told({}, 50, 0.1);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST(Progress, the_last_step_is_told_once_in_a_pipe) {
    for (const std::int64_t steps : {0, 1, 5}) {
        const std::string text = told({}, steps, 5000);  // a line for every step
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::max<std::int64_t>(1, steps))
            << text;
    }
}

TEST(Progress, as_json_is_one_object_a_line) {
    RunOutputOptions options;
    options.log = LogKind::json;
    const std::string text = told(options, 30, 1000);
    std::vector<nlohmann::json> lines;
    std::string line;
    for (char c : text)
        if (c == '\n') {
            lines.push_back(nlohmann::json::parse(line));
            line.clear();
        } else {
            line += c;
        }
    ASSERT_GE(lines.size(), 4u);
    EXPECT_EQ(lines.front()["event"], "begin");
    EXPECT_EQ(lines[1]["event"], "step");
    EXPECT_TRUE(lines[1]["ms_per_step"].is_number());
    EXPECT_EQ(lines.back()["event"], "end");
    EXPECT_EQ(lines.back()["status"], "done");
    EXPECT_EQ(lines.back()["step"], 30);
}

TEST(Progress, says_how_a_run_ended) {
    RunOutputOptions options;
    options.log = LogKind::json;
    EXPECT_NE(told(options, 30, 1, 12).find("\"status\":\"interrupted\""), std::string::npos);
    EXPECT_NE(told(options, 30, 1, -1, 5).find("\"status\":\"failed\""), std::string::npos);
}

TEST(Progress, a_reader_that_has_gone_is_a_system_error_and_no_signal) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    RunOutputOptions options;
    options.log = LogKind::json;
    options.log_fd = ends[1];
    auto world = drifting(test::bar(1));
    world->add(std::make_unique<Progress>(options));
    EXPECT_THROW(world->begin(), SystemError);
    ::close(ends[1]);
}

TEST(Progress, a_closed_output_is_a_system_error) {
    EXPECT_THROW(write_all(-1, "x"), SystemError);
}

TEST(Duration, reads_like_a_person_says_it) {
    EXPECT_EQ(duration_text(0), "0 s");
    EXPECT_EQ(duration_text(11.2), "12 s");
    EXPECT_EQ(duration_text(250), "4 min 10 s");
    EXPECT_EQ(duration_text(3 * 3600 + 5 * 60), "3 h 05 min");
    EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "?");
}

}  // namespace
}  // namespace limber
