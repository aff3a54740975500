// SPDX-License-Identifier: Apache-2.0
#include "limber/api/world_report.h"

namespace limber::api {

StepReport told(const limber::StepReport& report) {
    StepReport out;
    out.step = report.step;
    out.time = report.time;
    out.wall_ms = report.wall_ms;
    out.status = to_string(report.solve.status);
    out.iterations = report.solve.iterations;
    out.residual = report.solve.residual;
    out.substeps = report.substeps;
    out.kinetic = report.kinetic;
    out.elastic = report.elastic;
    out.potential = report.potential;
    out.inverted_tets = report.inverted_tets;
    out.contacts = report.contacts;
    out.max_penetration = report.max_penetration;
    out.energy_gain = report.energy_gain;
    for (std::size_t k = 0; k < step_flag_names.size(); ++k)
        if (report.flags >> k & 1) out.flags.push_back(step_flag_names[k]);
    for (int s = 0; s < n_stages; ++s)
        out.stage_ms.emplace_back(stage_names[static_cast<std::size_t>(s)],
                                  report.stage_ms[static_cast<std::size_t>(s)]);
    out.failed = report.failed;
    out.failure = report.failure.what;
    return out;
}

}  // namespace limber::api
