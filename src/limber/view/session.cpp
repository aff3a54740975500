// SPDX-License-Identifier: Apache-2.0
#include "limber/view/session.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "limber/core/errors.h"

namespace limber {

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

Clock::duration seconds(double s) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

/// When the next step is due. A step that takes longer than its share of real time is not caught up
/// with: the picture is slow, and the page says by how much.
class Pace {
  public:
    Clock::time_point due() const { return due_; }
    void restart() { due_ = Clock::now(); }
    void stepped(double interval, double speed) {
        const auto now = Clock::now();
        if (speed <= 0)
            due_ = now;
        else
            due_ = std::max(due_ + seconds(interval / speed), now - seconds(0.1));
    }

  private:
    Clock::time_point due_ = Clock::now();
};

/// Calls and shows what was wrong on the page: what ran before goes on.
template <class Call>
void or_tell(ViewServer& server, const Command* command, Call&& call) {
    try {
        call();
    } catch (const InputError& error) {
        server.publish(Slot::notice, error_notice(error, command));
    } catch (const SystemError& error) {
        server.publish(Slot::notice, error_notice(error, command));
    } catch (const std::filesystem::filesystem_error& error) {
        server.publish(Slot::notice, error_notice(error, command));
    }
}

}  // namespace

bool Playback::handle(const Command& command) {
    switch (command.verb) {
        case Verb::play:
        case Verb::pause:
            playing = command.verb == Verb::play;
            return true;
        case Verb::step:
            playing = false;
            return false;
        case Verb::speed:
            if (!(command.value >= 0 && command.value <= 100))
                throw InputError("command: speed is 0 to 100");
            speed = command.value;
            return true;
        default:
            return false;
    }
}

std::string error_notice(const std::exception& error, const Command* refused) {
    Json out = {{"type", "notice"}, {"error", error.what()}};
    if (refused) out["do"] = std::string(verb_name(refused->verb));
    if (refused && refused->verb == Verb::set) out["path"] = refused->text;
    if (const auto* input = dynamic_cast<const InputError*>(&error)) {
        out["message"] = input->message();
        out["file"] = input->place().file;
        out["line"] = input->place().line;
        out["column"] = input->place().column;
    }
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_notice(const std::string& text) {
    return Json{{"type", "notice"}, {"text", text}}.dump(-1, ' ', false,
                                                         Json::error_handler_t::replace);
}

bool handle_messages(ViewServer& server, const std::function<void(const Command&)>& handle,
                     const std::function<void(const std::string& file)>& uploaded) {
    bool commanded = false;
    for (const ClientMessage& message : server.take_messages()) {
        std::optional<Command> command;
        switch (message.kind) {
            case ClientMessage::Kind::command:
                commanded = true;
                or_tell(server, nullptr, [&] { command = parse_command(message.text); });
                if (command) or_tell(server, &*command, [&] { handle(*command); });
                break;
            case ClientMessage::Kind::uploaded:
                or_tell(server, nullptr, [&] { uploaded(message.text); });
                break;
            case ClientMessage::Kind::joined:
                break;  // the server has sent what it keeps
        }
    }
    return commanded;
}

void serve(Session& session, ViewServer& server, const ServeOptions& options) {
    constexpr double stats_every = 0.1;  // [s]
    const auto begin = Clock::now();
    auto next_frame = begin, next_stats = begin;
    bool was_playing = false, seen = !options.wait_for_client;
    Pace pace;
    session.announce(server);
    while (!(options.stop && *options.stop)) {
        auto now = Clock::now();
        if (options.seconds > 0 && now - begin > seconds(options.seconds)) break;
        const bool commanded = handle_messages(
            server, [&](const Command& command) { session.handle(command, server); },
            [&](const std::string& file) { session.uploaded(file, server); });
        or_tell(server, nullptr, [&] { session.poll(server); });
        seen = seen || commanded || server.counts().frames_shown > 0;
        const bool playing = seen && session.playing();
        if (playing && !was_playing) pace.restart();
        was_playing = playing;
        if (playing && now >= pace.due()) {
            session.advance(server);
            pace.stepped(session.interval(), session.speed());
            now = Clock::now();
        }
        if (now >= next_frame && session.changed() && server.wants_frame()) {
            server.publish(Slot::frame, session.frame());
            next_frame = std::max(next_frame + seconds(1 / options.frames_per_second),
                                  now - seconds(0.5 / options.frames_per_second));
        }
        if (now >= next_stats) {
            if (std::string stats = session.take_stats(); !stats.empty())
                server.publish(Slot::stats, std::move(stats));
            if (std::string verdict = session.take_verdict(); !verdict.empty())
                server.publish(Slot::verdict, std::move(verdict));
            next_stats = now + seconds(stats_every);
        }
        // Until the next step or frame is due; a command ends the wait, and a signal is seen within
        // its longest.
        auto until = now + seconds(session.changed() ? 0.004 : 0.05);
        if (playing) until = std::min(until, pace.due());
        if (until > now) server.wait(until);
    }
    session.finish();
}

std::string stats_message(const std::vector<StepReport>& reports,
                          const std::vector<Reading>& readings,
                          const std::vector<Reading>& drives) {
    Json columns = {"step", "time", "wall_ms"};
    for (const std::string_view stage : stage_names) columns.push_back(std::string(stage));
    for (const char* name : {"iterations", "residual", "kinetic", "elastic", "potential",
                             "contacts", "max_penetration", "substeps", "flags", "updated",
                             "constraints", "contact_iterations", "contact_residual"})
        columns.push_back(name);
    Json rows = Json::array();
    for (const StepReport& r : reports) {
        Json row = {r.step, r.time, r.wall_ms};
        for (const double ms : r.stage_ms) row.push_back(ms);
        for (const double value :
             {double(r.solve.iterations), r.solve.residual, r.kinetic, r.elastic, r.potential,
              double(r.contacts), r.max_penetration, double(r.substeps), double(r.flags),
              r.update.share, double(r.constraints.rows), double(r.constraints.iterations),
              r.constraints.residual})
            row.push_back(value);
        rows.push_back(std::move(row));
    }
    const auto told = [](const std::vector<Reading>& all) {
        Json out = Json::object();
        for (const Reading& reading : all) out[reading.name] = reading.value;
        return out;
    };
    return Json{{"type", "stats"},
                {"columns", columns},
                {"rows", rows},
                {"readings", told(readings)},
                {"drives", told(drives)}}
        .dump();
}

}  // namespace limber
