// SPDX-License-Identifier: Apache-2.0
#include "limber/output/verdict_output.h"

#include <nlohmann/json.hpp>

#include "limber/sim/world.h"

namespace limber {

namespace {

template <class F>
void for_each_fault(const World& world, const F& call) {
    for (int k = 0; k < n_fault_kinds; ++k) {
        const auto kind = static_cast<FaultKind>(k);
        if (world.verdict().of(kind).count > 0)
            call(kind, world.verdict().of(kind), world.verdict().text(kind, world.model()));
    }
}

}  // namespace

std::vector<std::string> verdict_lines(const World& world) {
    std::vector<std::string> out;
    for_each_fault(world,
                   [&](FaultKind, const Fault&, const std::string& text) { out.push_back(text); });
    return out;
}

std::string verdict_json(const World& world) {
    using Json = nlohmann::ordered_json;
    Json out = Json::array();
    for_each_fault(world, [&](FaultKind kind, const Fault& fault, const std::string& text) {
        const std::string body = fault_body(fault, world.model());
        const std::string with = fault_with(fault, world.model());
        out.push_back({{"kind", std::string(fault_names[static_cast<int>(kind)])},
                       {"first_step", fault.first_step},
                       {"body", body.empty() ? Json(nullptr) : Json(body)},
                       {"with", with.empty() ? Json(nullptr) : Json(with)},
                       {"count", fault.count},
                       {"worst", fault.worst},
                       {"text", text}});
    });
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace limber
