// SPDX-License-Identifier: Apache-2.0
#include "limber/view/drives.h"

#include <algorithm>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"

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

/// Key frames from where it is now to its value, within `ramp` [s]; 0: it is there.
void move_to(Model& model, const Drive& drive, double time, double ramp) {
    for_each_drive(model, [&](const std::string& name, const char*, const char*,
                              Track<double>& track, double at_rest, double) {
        if (name != drive.name) return;
        const double now = track.empty() ? at_rest : track.value(time);
        if (ramp > 0)
            track = {{time, time + ramp}, {now, drive.value}};
        else
            track = {{time}, {drive.value}};
    });
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

void Drives::set(Model& model, const std::string& name, double value, double time) {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const Drive& drive) { return drive.name == name; });
    if (found == all_.end())
        throw InputError("there is no cable or cavity '" + printable(name) + "'");
    if (!(value >= found->lo && value <= found->hi))
        throw InputError("'" + name + "' goes from " + number_text(found->lo) + " to " +
                         number_text(found->hi) + ' ' + found->unit);
    found->value = value;
    found->by_hand = true;
    move_to(model, *found, time, std::max(0.1, model.h));
}

void Drives::apply(Model& model, double time) const {
    for (const Drive& drive : all_)
        if (drive.by_hand) move_to(model, drive, time, 0);
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
