// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace limber {

namespace {

/// How a kind shows in a StepReport, and the words for it.
struct FaultInfo {
    StepFlag flag;
    double (*worst)(const StepReport&);
    const char *what, *measure, *unit;  // "..., <measure> <worst> <unit>"; no measure: none is told
    const char* advice;
};

constexpr FaultInfo infos[n_fault_kinds] = {
    {StepFlag::inverted, [](const StepReport& r) { return static_cast<double>(r.inverted_tets); },
     "inverted tets", "up to", "tets",
     "shorten the step, stiffen the material, or use a law that recovers (docs/materials.md)"},
    {StepFlag::iteration_cap, [](const StepReport& r) { return r.solve.residual; },
     "the solver stopped at its cap of iterations above its tolerance", "residual up to", "",
     "raise the cap (max_iterations, iterations or refine of the solver), shorten the step, or "
     "take a "
     "direct solver"},
    {StepFlag::line_search, [](const StepReport& r) { return r.solve.residual; },
     "no step along the search direction brought the energy down", "residual up to", "",
     "shorten the step, or take solver newton"},
    {StepFlag::contact_cap, [](const StepReport& r) { return r.constraints.residual; },
     "contact stopped at its cap of iterations above its tolerance", "residual up to", "",
     "raise contact.iterations or solver.contact_passes, or shorten the step"},
    {StepFlag::penetration, [](const StepReport& r) { return r.max_penetration; },
     "penetration left at the end of a step", "up to", "m",
     "shorten the step; under penalty use contact.method = \"lagrange\" or raise "
     "contact.stiffness; under lagrange lower contact.spacing where the scene gives one, else "
     "raise "
     "contact.relinearise"},
    {StepFlag::energy_gained, [](const StepReport& r) { return r.energy_gain; },
     "energy gained from nowhere", "up to", "J within 50 steps",
     "look for bodies that start inside something; shorten the step, give the solver more "
     "iterations, or make contact implicit"},
    {StepFlag::substepped, [](const StepReport& r) { return static_cast<double>(r.substeps); },
     "steps rejected and repeated in parts", "up to", "parts", "shorten the step"},
    {StepFlag::stuck, [](const StepReport&) { return 0.0; },
     "elements stuck in the invertible conversion", nullptr, "",
     "set solver.untangle, shorten the step, or load more slowly"},
};

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

/// Of the forces in the step. A search that ends where it began because it is there already leaves
/// less.
constexpr double searched_well = 1e-2;

bool is_fault(FaultKind kind, const StepReport& report, const VerdictRules& rules) {
    if (!report.has(infos[static_cast<int>(kind)].flag)) return false;
    switch (kind) {
        case FaultKind::iteration_cap:
            return !rules.lower_iteration_cap;
        case FaultKind::contact_cap:
            return !rules.lower_contact_cap;
        case FaultKind::line_search:
            return report.solve.residual > searched_well;
        default:
            return true;
    }
}

}  // namespace

void Verdict::add(const StepReport& report, const VerdictRules& rules) {
    for (int k = 0; k < n_fault_kinds; ++k) {
        if (!is_fault(static_cast<FaultKind>(k), report, rules)) continue;
        Fault& fault = faults_[k];
        if (fault.count++ == 0) {
            fault.first_step = report.step;
            fault.body = report.body_of(infos[k].flag);
            if (infos[k].flag == StepFlag::penetration) fault.with = report.inside;
        }
        const double worst = infos[k].worst(report);
        if (std::isfinite(worst)) fault.worst = std::max(fault.worst, worst);
    }
}

bool Verdict::clean() const {
    return std::all_of(faults_.begin(), faults_.end(), [](const Fault& f) { return f.count == 0; });
}

std::string fault_body(const Fault& fault, const Model& model) {
    if (fault.body >= 0) return model.bodies[fault.body].name;
    return model.bodies.size() == 1 ? model.bodies[0].name : "";
}

std::string fault_with(const Fault& fault, const Model& model) {
    if (fault.with > 0) return model.bodies[fault.with - 1].name;
    return fault.with < 0 ? model.obstacles[-fault.with - 1].name : "";
}

std::string Verdict::text(FaultKind kind, const Model& model) const {
    const Fault& fault = of(kind);
    const FaultInfo& info = infos[static_cast<int>(kind)];
    const std::string body = fault_body(fault, model);
    std::string out = std::string(info.what) + " in " + std::to_string(fault.count) +
                      (fault.count == 1 ? " step, number " : " steps, first in step ") +
                      std::to_string(fault.first_step);
    if (!body.empty()) out += ", body '" + printable(body) + "'";
    const std::string with = fault_with(fault, model);
    if (!with.empty()) out += " in '" + printable(with) + "'";
    if (info.measure && fault.worst > 0) {
        out += std::string(", ") + info.measure + ' ' + short_number(fault.worst);
        if (*info.unit) out += std::string(" ") + info.unit;
    }
    return out + "; " + info.advice;
}

void Verdict::save(ByteWriter& out) const {
    out.put_array("verdict", std::span<const Fault>(faults_));
}

void Verdict::load(ByteReader& in, std::size_t n_bodies, std::size_t n_obstacles) {
    std::array<Fault, n_fault_kinds> loaded{};
    in.get_array("verdict", std::span<Fault>(loaded));
    for (const Fault& f : loaded)
        if (f.count < 0 || f.first_step < 0 || !std::isfinite(f.worst) || f.body < -1 ||
            f.body >= static_cast<std::int64_t>(n_bodies) ||
            f.with > static_cast<std::int64_t>(n_bodies) ||
            f.with < -static_cast<std::int64_t>(n_obstacles))
            in.fail("verdict", "is damaged");
    faults_ = loaded;
}

}  // namespace limber
