// SPDX-License-Identifier: Apache-2.0
#include "limber/output/joints_csv.h"

#include "limber/contact/joint.h"
#include "limber/output/text.h"
#include "limber/sim/world.h"

namespace limber {

void JointsCsv::begin(const World& world) {
    std::string header = "step,time";
    for (const auto& joint : world.contact().joints())
        for (const JointReading& r : joint->readings())
            header += ',' + std::string(joint->name()) + '_' + std::string(r.what);
    for (const PressureLoad& load : world.model().pressures)
        header += ',' + load.name + "_volume," + load.name + "_pressure";
    open_ = !world.contact().joints().empty() || !world.model().pressures.empty();
    if (!open_) return;
    if (world.state().step > 0)
        log_.resume(dir_ + "/joints.csv", header, world.state().step);
    else
        log_.create(dir_ + "/joints.csv", header);
}

void JointsCsv::after_step(const World& world, const StepReport& report) {
    if (!open_ || report.failed) return;
    row_.clear();
    append_number(row_, report.step);
    const auto number = [&](double value) {
        row_ += ',';
        append_number(row_, value);  // a field that is not finite stays empty
    };
    number(report.time);
    for (const auto& joint : world.contact().joints())
        for (const JointReading& r : joint->readings()) number(r.value);
    const std::vector<PressureLoad>& pressures = world.model().pressures;
    for (std::size_t k = 0; k < pressures.size(); ++k) {
        number(pressures[k].wall.volume(world.state().x));
        number(world.drives()[world.model().joints.size() + k]);
    }
    log_.append(row_);
}

}  // namespace limber
