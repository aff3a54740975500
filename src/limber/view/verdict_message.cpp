// SPDX-License-Identifier: Apache-2.0
#include "limber/view/verdict_message.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/output/verdict_output.h"
#include "limber/sim/world.h"

namespace limber {

namespace {

using Json = nlohmann::json;

struct VerdictContent {
    std::int64_t since = 0;
    Json faults = Json::array(), failed = Json::array(), unknown = Json::array();

    std::string message() const {
        return Json{{"type", "verdict"},
                    {"since", since},
                    {"faults", faults},
                    {"failed", failed},
                    {"unknown", unknown}}
            .dump(-1, ' ', false, Json::error_handler_t::replace);
    }
};

/// The summary of a run, or why it says nothing.
Json read_summary(const std::string& dir, std::string& wrong) {
    const std::string path = dir + "/summary.json";
    try {
        Json out = Json::parse(read_file(path), nullptr, false);
        if (out.is_object() && out.contains("verdict") && out["verdict"].is_array()) return out;
        wrong = path + " holds no verdict";
    } catch (const InputError& error) {
        wrong = error.what();
    } catch (const SystemError& error) {
        wrong = error.what();
    }
    return nullptr;
}

bool is_fault(const Json& entry) {
    const auto has = [&](const char* key, auto&& right) {
        return entry.contains(key) && right(entry[key]);
    };
    const auto text = [](const Json& value) { return value.is_string(); };
    const auto whole = [](const Json& value) { return value.is_number_integer(); };
    return entry.is_object() && has("kind", text) && has("text", text) &&
           has("first_step", whole) && has("count", whole);
}

}  // namespace

std::string verdict_message(const World& world, std::int64_t since, const std::string& failure) {
    VerdictContent out;
    out.since = since;
    out.faults = Json::parse(verdict_json(world));
    for (Json& fault : out.faults) fault["side"] = 0;
    if (!failure.empty()) out.failed.push_back({{"side", 0}, {"text", failure}});
    return out.message();
}

std::string verdict_message(const std::vector<std::string>& dirs) {
    VerdictContent out;
    for (std::size_t side = 0; side < dirs.size(); ++side) {
        std::string wrong;
        const Json summary = read_summary(dirs[side], wrong);
        if (!wrong.empty()) {
            out.unknown.push_back({{"side", side}, {"text", wrong}});
            continue;
        }
        for (Json fault : summary["verdict"]) {
            if (!is_fault(fault)) {
                out.unknown.push_back({{"side", side},
                                       {"text", dirs[side] + "/summary.json has a verdict that "
                                                             "this version cannot read"}});
                continue;
            }
            fault["side"] = side;
            out.faults.push_back(std::move(fault));
        }
        if (const auto failure = summary.find("failure");
            failure != summary.end() && failure->is_string())
            out.failed.push_back({{"side", side}, {"text", *failure}});
    }
    return out.message();
}

}  // namespace limber
