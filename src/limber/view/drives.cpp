// SPDX-License-Identifier: Apache-2.0
#include "limber/view/drives.h"

#include <algorithm>

namespace limber {

namespace {

/// Calls with (name, what, unit, track, value without key frames, reach without key frames) of each
/// drive. M: Model or const Model.
template <class M, class Function>
void for_each_drive(M& model, const Function& call) {
    for (auto& joint : model.joints) {
        if (auto* cable = std::get_if<CableData>(&joint))
            call(cable->name, "pull", "m", cable->pull, 0.0, 0.2 * cable->length);
        if (auto* cavity = std::get_if<CavityVolumeData>(&joint))
            call(cavity->name, "volume", "of that at rest", cavity->ratio, 1.0, 1.5);
    }
    for (auto& load : model.pressures) call(load.name, "pressure", "Pa", load.pressure, 0.0, 1e4);
}

Drive drive_of(const std::string& name, const char* what, const char* unit,
               const Track<double>& track, double at_rest, double reach, double time) {
    Drive out{name, what, unit, at_rest, reach, track.empty() ? at_rest : track.value(time)};
    if (track.empty()) return out;
    const auto [lo, hi] = std::minmax_element(track.values.begin(), track.values.end());
    out.lo = std::min(at_rest, at_rest + 1.5 * (*lo - at_rest));
    out.hi = std::max(at_rest, at_rest + 1.5 * (*hi - at_rest));
    if (out.hi == out.lo) out.hi = reach;
    return out;
}

}  // namespace

std::vector<Drive> drives_of(const Model& model, double time) {
    std::vector<Drive> out;
    for_each_drive(model, [&](const std::string& name, const char* what, const char* unit,
                              const Track<double>& track, double at_rest, double reach) {
        out.push_back(drive_of(name, what, unit, track, at_rest, reach, time));
    });
    return out;
}

void set_drive(Model& model, std::string_view name, double value, double time, double ramp) {
    for_each_drive(model, [&](const std::string& its_name, const char*, const char*,
                              Track<double>& track, double at_rest, double) {
        if (its_name != name) return;
        const double now = track.empty() ? at_rest : track.value(time);
        track.times = {time, time + ramp};
        track.values = {now, value};
    });
}

void cable_pieces(const Model& model, std::span<const Vec3d> x, double time,
                  std::vector<std::array<Vec3d, 2>>& out) {
    for (const JointData& joint : model.joints)
        if (const auto* cable = std::get_if<CableData>(&joint))
            for (std::size_t k = 1; k < cable->path.size(); ++k)
                out.push_back(
                    {cable->path[k - 1].position(x, time), cable->path[k].position(x, time)});
}

}  // namespace limber
