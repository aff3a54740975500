// SPDX-License-Identifier: Apache-2.0
#include "limber/view/replay.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/io/file.h"
#include "limber/view/verdict_message.h"

namespace limber {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json number_or_null(std::string_view text) {
    const auto value = parse_finite(text);
    return value ? Json(*value) : Json(nullptr);
}

Json cells(std::string_view line, bool numbers) {
    Json out = Json::array();
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        const std::string_view cell = line.substr(begin, end - begin);
        out.push_back(numbers ? number_or_null(cell) : Json(std::string(cell)));
        begin = end + 1;
    }
    return out;
}

}  // namespace

ReplaySession::ReplaySession(const std::vector<std::string>& dirs) {
    for (const std::string& dir : dirs) runs_.emplace_back(dir);
    at_ = runs_[0].frame();
    if (runs_.size() < 2) return;
    comparable_ = runs_[0].parts().size() == runs_[1].parts().size();
    for (std::size_t b = 0; comparable_ && b < runs_[0].parts().size(); ++b)
        comparable_ = runs_[0].parts()[b].triangles == runs_[1].parts()[b].triangles;
    if (comparable_) colour_ = "difference";
}

double ReplaySession::interval() const {
    const ReplayRun& run = runs_[0];
    if (at_ + 1 < run.steps().size()) return run.time(at_ + 1) - run.time(at_);
    return run.scene().time.step;
}

void ReplaySession::seek(std::size_t frame, ViewServer& server) {
    const ReplayRun& first = runs_[0];
    at_ = std::min(frame, first.steps().size() - 1);
    changed_ = true;
    for (ReplayRun& run : runs_) {
        const std::size_t wanted = &run == &first ? at_ : run.frame_at(first.time(at_));
        const auto tell = [&](const std::exception& error) {
            server.publish(
                Slot::notice,
                error_notice(InputError("the frame of step " + std::to_string(run.steps()[wanted]) +
                                        " cannot be read; that of step " +
                                        std::to_string(run.steps()[run.frame()]) +
                                        " is shown instead: " + error.what())));
        };
        try {
            run.load(wanted);
        } catch (const InputError& error) {
            tell(error);
        } catch (const SystemError& error) {
            tell(error);
        }
    }
    load_contacts(server);
}

void ReplaySession::load_contacts(ViewServer& server) {
    arrows_.clear();
    if (!show_contacts_) return;
    try {
        for (const FrameContact& contact :
             read_frame_contacts(runs_[0].dir(), runs_[0].steps()[at_]))
            arrows_.push_back({contact.point, contact.force});
    } catch (const InputError& error) {
        server.publish(Slot::notice, error_notice(error));
    } catch (const SystemError& error) {
        server.publish(Slot::notice, error_notice(error));
    }
}

void ReplaySession::advance(ViewServer& server) {
    if (at_ + 1 < runs_[0].steps().size()) return seek(at_ + 1, server);
    playback_.playing = false;
    server.publish(Slot::status, status());
}

void ReplaySession::uploaded(const std::string&, ViewServer&) {
    throw InputError("a replay takes no meshes");
}

void ReplaySession::handle(const Command& c, ViewServer& server) {
    changed_ = true;
    playback_.handle(c);
    switch (c.verb) {
        case Verb::play:
            if (at_ + 1 == runs_[0].steps().size()) seek(0, server);
            break;
        case Verb::pause:
        case Verb::speed:
        case Verb::release:
        case Verb::tool_off:
            break;
        case Verb::step:
            seek(at_ + 1, server);
            break;
        case Verb::reset:
            seek(0, server);
            break;
        case Verb::seek:
            if (!(c.value >= 0 && c.value < static_cast<double>(runs_[0].steps().size())))
                throw InputError("command: there is no such frame");
            seek(static_cast<std::size_t>(c.value), server);
            break;
        case Verb::colour:
            colour_ = c.text;
            break;
        case Verb::contacts:
            show_contacts(c.on);
            load_contacts(server);
            break;
        default:
            throw InputError("a replay only plays, stops and seeks");
    }
    server.publish(Slot::status, status());
}

void ReplaySession::show_contacts(bool on) {
    if (on && runs_.size() > 1) throw InputError("contact forces are shown of one run at a time");
    if (on && !has_frame_contacts(runs_[0].dir()))
        throw InputError(
            "this run holds no contacts; run it with output.formats = [\"vtu\", "
            "\"contacts\"]");
    show_contacts_ = on;
}

/// How far the runs are apart at each vertex, the same in both pictures; or one field of each.
void ReplaySession::fill_values() {
    values_.clear();
    if (colour_ == "difference" && comparable_) {
        const std::size_t n = positions_.size() / 6;
        values_.resize(2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const float* a = &positions_[3 * i];
            const float* b = &positions_[3 * (n + i)];
            values_[i] = values_[n + i] = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        }
    } else if (colour_ == "von_mises" || colour_ == "displacement" || colour_ == "speed") {
        for (const ReplayRun& run : runs_) run.values(colour_, values_);
    }
}

std::string ReplaySession::frame() {
    positions_.clear();
    for (const ReplayRun& run : runs_) run.positions(positions_);
    fill_values();
    std::vector<ObstaclePose> poses;
    for (const Obstacle& obstacle : runs_[0].obstacles())
        poses.push_back(pose_at(obstacle, runs_[0].time(at_)));
    FrameContent content;
    content.scene = 1;
    content.number = ++frame_number_;
    content.step = runs_[0].steps()[at_];
    content.time = runs_[0].time(at_);
    content.positions = positions_;
    content.values = values_;
    for (const float value : values_) content.hi = std::max(content.hi, value);
    content.poses = poses;
    content.contacts = arrows_;
    changed_ = false;
    return encode_frame(content);
}

std::string ReplaySession::status() const {
    return Json{{"type", "status"},          {"playing", playback_.playing},
                {"speed", playback_.speed},  {"failure", ""},
                {"recording", ""},           {"colour", colour_},
                {"contacts", show_contacts_}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ReplaySession::announce(ViewServer& server) {
    SceneDescription d;
    d.scene = 1;
    d.mode = "replay";
    d.def = &runs_[0].scene();
    d.obstacles = &runs_[0].obstacles();
    std::vector<Triangle> triangles;
    Index vertex = 0;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
        d.runs.push_back(runs_[r].dir());
        for (const ReplayRun::Part& part : runs_[r].parts()) {
            const auto first = static_cast<Index>(triangles.size());
            for (Triangle t : part.triangles) {
                for (Index& i : t) i += vertex;
                triangles.push_back(t);
            }
            const Index end = vertex + static_cast<Index>(part.nodes.size());
            d.parts.push_back(
                {part.name, vertex, end, first, static_cast<Index>(triangles.size()), part.skin()});
            d.sides.push_back(static_cast<int>(r));
            d.nodes.push_back(part.n_points);
            d.tets.push_back(part.n_tets);
            vertex = end;
        }
        d.name += (r ? " and " : "") + fs::path(runs_[r].dir()).filename().string();
    }
    for (std::size_t k = 0; k < runs_[0].steps().size(); ++k)
        d.frame_times.push_back(runs_[0].time(k));
    d.fields = {{"von_mises", "von Mises stress", "Pa"},
                {"displacement", "displacement", "m"},
                {"speed", "speed", "m/s"}};
    if (comparable_) d.fields.push_back({"difference", "distance of the runs", "m"});
    if (runs_.size() == 2 && !comparable_)
        d.warnings = {"the two runs have other meshes: they are shown, not compared"};
    for (const ReplayRun& run : runs_)
        if (!run.torn_start().empty()) d.warnings.push_back(run.torn_start());
    server.publish(Slot::scene, scene_message(d));
    server.publish(Slot::geometry,
                   encode_geometry(1, static_cast<std::uint32_t>(vertex), triangles));
    server.publish(Slot::status, status());
    server.publish(Slot::verdict, verdict_message(d.runs));
    if (std::string history = history_message(runs_[0].dir()); !history.empty())
        server.publish(Slot::history, std::move(history));
    changed_ = true;
}

std::string history_message(const std::string& dir, std::size_t most) {
    const std::string path = dir + "/steps.csv";
    std::error_code missing;
    if (!fs::exists(path, missing)) return {};
    const std::string text = read_file(path);
    std::vector<std::string_view> lines;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        if (end > 0) lines.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    if (lines.size() < 2) return {};
    const std::size_t stride = (lines.size() - 2) / most + 1;
    const Json columns = cells(lines[0], false);
    Json rows = Json::array();
    for (std::size_t k = 1; k < lines.size(); k += stride)
        if (Json row = cells(lines[k], true); row.size() == columns.size())  // not one cut off
            rows.push_back(std::move(row));
    return Json{{"type", "history"}, {"columns", columns}, {"rows", rows}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace limber
