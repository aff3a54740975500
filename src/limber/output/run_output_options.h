// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace limber {

/// How progress is told.
enum class LogKind { none, text, json };

/// What the outputs of a run need to know beyond the world itself.
struct RunOutputOptions {
    std::string dir;                          // the run folder; empty: no files, progress only
    std::int64_t every = 1;                   // steps between frames
    std::int64_t probe_every = 1;             // steps between rows of probes
    std::vector<std::string> formats{"vtu"};  // frame formats, by the names in output/registry.h
    std::string scene;                        // the scene file as the user gave it
    std::string scene_text;                   // resolved, for scene.toml; empty: not written
    std::string solver;                       // name on the command line or in the scene
    std::string device = "cpu";
    std::vector<std::string> chosen;  // what "auto" stands for and why
    int threads = 1;
    std::int64_t total_steps = 0;  // the step the run ends with
    LogKind log = LogKind::text;
    int log_fd = 1;                    // where progress goes
    bool log_is_tty = false;           // one line that changes, or one line after another
    int log_width = 80;                // columns of the terminal
    double summary_every_ms = 2000;    // a killed run is at most this far behind its summary
    std::function<double()> clock_ms;  // for tests; empty: the steady clock
};

}  // namespace limber
