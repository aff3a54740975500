// SPDX-License-Identifier: Apache-2.0
#include "limber/output/progress.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/output/verdict_output.h"
#include "limber/sim/world.h"

namespace limber {

namespace {

double steady_ms() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
}

/// Holds SIGPIPE back on this thread, so that a closed pipe is an error of write() and the
/// program's signal settings stay as they are.
class PipeSignalHeld {
  public:
    PipeSignalHeld() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~PipeSignalHeld() {
        const int error = errno;
        if (!was_pending_) {  // take back the one that write() raised
            const timespec now{0, 0};
            while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
            }
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = error;
    }
    PipeSignalHeld(const PipeSignalHeld&) = delete;
    PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;

  private:
    sigset_t pipe_, before_;
    bool was_pending_ = false;
};

}  // namespace

void write_all(int fd, std::string_view text) {
    const PipeSignalHeld held;
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {  // a non-blocking terminal or pipe: wait for room
            pollfd waiting{fd, POLLOUT, 0};
            ::poll(&waiting, 1, -1);
            continue;
        }
        if (n <= 0) throw SystemError("standard output", "write", n < 0 ? errno : EPIPE);
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

std::string duration_text(double seconds) {
    if (!(seconds >= 0) || seconds > 1e9) return "?";
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

Progress::Progress(const RunOutputOptions& options) : options_(options) {
    if (!options_.clock_ms) options_.clock_ms = steady_ms;
}

void Progress::put(std::string_view text) {
    write_all(options_.log_fd, text);
}

void Progress::begin(const World& world) {
    h_ = world.model().h;
    last_told_ms_ = options_.clock_ms();
    last_told_step_ = world.state().step;
    if (options_.log == LogKind::json) put(json_line("begin", world));
}

void Progress::after_step(const World& world, const StepReport& report) {
    if (report.failed) {
        failure_ = report.failure.what;
        return;
    }
    // Mean over about the last 30 steps, exact at first.
    ++measured_;
    const double weight = 1.0 / static_cast<double>(std::min<std::int64_t>(measured_, 30));
    mean_ms_ += weight * (report.wall_ms - mean_ms_);
    if (due(report.step)) tell(world);
}

/// A terminal ten times a second; lines every five seconds or tenth of the run, whichever is first,
/// but never more than one a second.
bool Progress::due(std::int64_t step) const {
    const double waited = options_.clock_ms() - last_told_ms_;
    if (options_.log == LogKind::text && options_.log_is_tty) return waited >= 100;
    const std::int64_t tenth = std::max<std::int64_t>(1, options_.total_steps / 10);
    return waited >= 5000 || (waited >= 1000 && step / tenth > last_told_step_ / tenth);
}

void Progress::tell(const World& world) {
    const std::int64_t step = world.state().step;
    const double time = world.state().time;
    if (options_.log == LogKind::none) return;
    if (options_.log == LogKind::json)
        put(json_line("step", world));
    else if (options_.log_is_tty) {
        const std::string line = bar_line(step, time);
        const std::size_t gap = shown_ > line.size() ? shown_ - line.size() : 0;
        put('\r' + line + std::string(gap, ' '));
        shown_ = line.size();
    } else
        put(plain_line(step, time) + '\n');
    last_told_ms_ = options_.clock_ms();
    last_told_step_ = step;
    told_ = true;
}

void Progress::end(const World& world) {
    if (options_.log == LogKind::none) return;
    if (options_.log == LogKind::json)
        put(json_line("end", world));
    else {
        // On a terminal the line that is there is completed; in a pipe a step is told once.
        if (options_.log_is_tty || last_told_step_ != world.state().step || !told_) tell(world);
        if (options_.log_is_tty) put("\n");
        shown_ = 0;
    }
}

double Progress::real_time_factor() const {
    return mean_ms_ > 0 ? h_ * 1000 / mean_ms_ : 0;
}

double Progress::seconds_left(std::int64_t step) const {
    const std::int64_t left = std::max<std::int64_t>(0, options_.total_steps - step);
    return static_cast<double>(left) * mean_ms_ / 1000;
}

namespace {
double share_of(std::int64_t step, std::int64_t total) {
    return total > 0 ? std::clamp(static_cast<double>(step) / static_cast<double>(total), 0.0, 1.0)
                     : 1.0;
}
}  // namespace

std::string Progress::bar_line(std::int64_t step, double) const {
    const double share = share_of(step, options_.total_steps);
    std::string tail =
        fmt::format(" {:3.0f} %  {}/{}", std::floor(100 * share), step, options_.total_steps);
    if (measured_ > 0)
        tail += fmt::format("  {:.3g} ms/step  {:.2g}x real time  {} left", mean_ms_,
                            real_time_factor(), duration_text(seconds_left(step)));
    const int room = options_.log_width - 3 - static_cast<int>(tail.size());
    const int width = std::clamp(room, 0, 30);
    if (width < 5) return tail.substr(1, std::max(0, options_.log_width - 1));
    const int full = static_cast<int>(share * width);
    return '[' + std::string(full, '#') + std::string(width - full, '.') + ']' + tail;
}

std::string Progress::plain_line(std::int64_t step, double time) const {
    std::string out =
        fmt::format("step {}/{} ({:.0f} %), time {:.4g} s", step, options_.total_steps,
                    std::floor(100 * share_of(step, options_.total_steps)), time);
    if (measured_ > 0)
        out += fmt::format(", {:.3g} ms/step, {:.2g}x real time, {} left", mean_ms_,
                           real_time_factor(), duration_text(seconds_left(step)));
    return out;
}

std::string Progress::json_line(std::string_view event, const World& world) const {
    const std::int64_t step = world.state().step;
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    out["event"] = std::string(event);
    out["step"] = step;
    out["total_steps"] = options_.total_steps;
    out["time"] = world.state().time;
    if (measured_ > 0) {
        out["ms_per_step"] = mean_ms_;
        out["real_time_factor"] = real_time_factor();
        out["seconds_left"] = seconds_left(step);
    }
    if (event == "end") {
        const bool done = step >= options_.total_steps;
        out["status"] = !failure_.empty() ? "failed" : done ? "done" : "interrupted";
        if (!failure_.empty()) out["failure"] = failure_;
        out["verdict"] = nlohmann::ordered_json::parse(verdict_json(world));
    }
    return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace limber
