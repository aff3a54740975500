// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "limber/solve/step_report.h"
#include "limber/view/command.h"
#include "limber/view/server/server.h"

namespace limber {

/// What the page shows and moves: a running simulation, or runs that are played back. Lives on the
/// thread that calls serve(); commands reach it between steps.
class Session {
  public:
    virtual ~Session() = default;
    /// The slots that clients need to begin with: scene, geometry, status, verdict.
    virtual void announce(ViewServer& server) = 0;
    /// An InputError or SystemError is shown on the page; what ran before goes on.
    virtual void handle(const Command& command, ViewServer& server) = 0;
    virtual void uploaded(const std::string& file, ViewServer& server) = 0;
    /// Takes up what was made beside the steps; called often. Errors as in handle().
    virtual void poll(ViewServer& /*server*/) {}
    /// One step forward. Nothing at the end of a run.
    virtual void advance(ViewServer& server) = 0;
    /// Simulated time of one step [s].
    virtual double interval() const = 0;
    /// Whether steps should follow each other.
    virtual bool playing() const = 0;
    /// Simulated over real time; 0: as fast as it goes.
    virtual double speed() const = 0;
    /// Whether what the page sees has changed since the last frame.
    virtual bool changed() const = 0;
    virtual std::string frame() = 0;
    /// Reports since the last call as a stats message; empty: none.
    virtual std::string take_stats() = 0;
    /// What went wrong so far as a verdict message, where that is not what was told last; else
    /// empty.
    virtual std::string take_verdict() { return {}; }
    /// Ends what it has begun to write. A SystemError where that could not be written to its end.
    virtual void finish() {}
    /// Whether a thread of its own still works on something, wanted or not.
    virtual bool working() const { return false; }
};

/// Play, pause and speed, the same for a simulation and for a replay.
struct Playback {
    bool playing = true;
    double speed = 1;  // simulated over real time; 0: as fast as it goes

    /// Whether that was all of the command: `step` stops here and moves in the session.
    bool handle(const Command& command);
};

/// {"error": ...} with file, line and column where they are known; with a command that was refused,
/// what it was ("do") and the value it was about ("path"), so that the page can show the old one.
std::string error_notice(const std::exception& error, const Command* refused = nullptr);
std::string text_notice(const std::string& text);

/// Hands on what clients did since the last call. An InputError or SystemError of it is shown on
/// the page, and the next one is taken up. Whether a command was among them.
bool handle_messages(ViewServer& server, const std::function<void(const Command&)>& command,
                     const std::function<void(const std::string& file)>& uploaded);

struct ServeOptions {
    double frames_per_second = 60;
    const volatile std::sig_atomic_t* stop = nullptr;  // set by a signal
    double seconds = 0;                                // serve for this long; 0: until stopped
    bool wait_for_client = true;  // nothing moves before a client has shown a frame or asks for it
};
/// Takes commands, advances at the wanted pace and publishes, until stopped; then finish().
void serve(Session& session, ViewServer& server, const ServeOptions& options);

/// A number that a joint tells of the last step, "tendon force", or where a drive is, "tendon".
struct Reading {
    std::string name;
    double value = 0;
};
/// {"columns": [...], "rows": [[...], ...]}, columns as in steps.csv; "readings" and "drives":
/// {name: value}.
std::string stats_message(const std::vector<StepReport>& reports,
                          const std::vector<Reading>& readings, const std::vector<Reading>& drives);

}  // namespace limber
