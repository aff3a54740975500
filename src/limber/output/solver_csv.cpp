// SPDX-License-Identifier: Apache-2.0
#include "limber/output/solver_csv.h"

#include "limber/output/text.h"
#include "limber/sim/world.h"

namespace limber {

void SolverCsv::begin(const World& world) {
    first_step_ = world.state().step;
    open_ = false;
}

void SolverCsv::after_step(const World& world, const StepReport& report) {
    const StepTable* table = world.stepper().table();
    if (!table || report.failed) return;
    if (!open_) {  // the columns are known after a step
        std::string header = "step";
        for (const auto& [name, value] : table->row) header += ',' + name;
        const std::string path = dir_ + '/' + table->name + ".csv";
        if (first_step_ == 0)
            log_.create(path, header);
        else
            log_.resume(path, header, first_step_);
        open_ = true;
    }
    row_.clear();
    append_number(row_, report.step);
    for (const auto& [name, value] : table->row) {
        row_ += ',';
        append_number(row_, value);
    }
    log_.append(row_);
}

}  // namespace limber
