// SPDX-License-Identifier: Apache-2.0
#include "limber/output/steps_csv.h"

#include <cmath>
#include <limits>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/output/text.h"
#include "limber/sim/world.h"

namespace limber {

std::string steps_header() {
    std::string out = "step,time,wall_ms";
    for (std::string_view stage : stage_names) out.append(",").append(stage);
    out += ",iterations,residual,kinetic,elastic,potential,contacts,max_penetration,flags";
    out += ",absolute_residual,status,substeps";  // ours, after what the contract names
    out += ",updated_supernodes,updated_share,update_estimate_ms,update_ms,badness_left";
    out += ",constraints,contact_iterations,contact_residual,smallest_gap";
    out += ",contact_passes,contact_rounds,contact_built";
    return out + ",device_ms,device_up,device_down";
}

std::string flag_names(unsigned flags) {
    std::string out;
    for (std::size_t k = 0; k < step_flag_names.size(); ++k)
        if (flags >> k & 1) {
            if (!out.empty()) out += '|';
            out += step_flag_names[k];
        }
    return out;
}

void append_step_row(std::string& out, const StepReport& report) {
    bool finite = true;
    const auto number = [&](double value) {
        out += ',';
        if (!append_number(out, value)) finite = false;
    };
    const auto count = [&](std::int64_t value) {
        out += ',';
        append_number(out, value);
    };
    const bool measured = !std::isnan(report.solve.residual);
    append_number(out, report.step);
    number(report.time);
    number(report.wall_ms);
    for (double ms : report.stage_ms) number(ms);
    count(report.solve.iterations);
    if (measured)
        number(report.solve.residual);
    else
        out += ',';
    number(report.kinetic);
    number(report.elastic);
    number(report.potential);
    count(report.contacts);
    number(report.max_penetration);
    std::string flags = flag_names(report.flags);
    std::string absolute;
    if (!append_number(absolute, report.solve.absolute_residual) && measured) finite = false;
    if (!finite) flags += flags.empty() ? "not_finite" : "|not_finite";
    out.append(",").append(flags).append(",").append(absolute).append(",");
    out += to_string(report.solve.status);
    count(report.substeps);
    const FactorUpdate& update = report.update;
    count(update.supernodes);
    const auto optional = [&](double value) {  // empty where it is not finite
        out += ',';
        append_number(out, value);
    };
    for (const double value : {update.share, update.estimated_ms, update.ms, update.badness})
        optional(value);
    count(report.constraints.rows);
    count(report.constraints.iterations);
    optional(report.constraints.residual);
    optional(report.constraints.smallest_gap);
    count(report.constraints.passes);
    count(report.constraints.rounds);
    optional(report.constraints.built_share());
    optional(report.device.ms);
    count(report.device.up);
    count(report.device.down);
}

void StepsCsv::begin(const World& world) {
    const std::string path = dir_ + "/steps.csv";
    if (world.state().step > 0)
        log_.resume(path, steps_header(), world.state().step);
    else
        log_.create(path, steps_header());
}

void StepsCsv::after_step(const World&, const StepReport& report) {
    if (report.failed) return;  // a row is a step that was taken; summary.json names the failure
    row_.clear();
    append_step_row(row_, report);
    log_.append(row_);
}

namespace {

/// The fields of one line, read from left to right.
class Fields {
  public:
    Fields(std::string_view line, const std::string& file, int number)
        : rest_(line), place_{file, number, 1, -1} {}

    std::string_view next() {
        if (done_) throw InputError(place_, "a field is missing in steps.csv");
        const std::size_t end = rest_.find(',');
        const std::string_view field = rest_.substr(0, end);
        done_ = end == std::string_view::npos;
        if (!done_) rest_.remove_prefix(end + 1);
        place_.column += static_cast<int>(field.size()) + 1;
        return field;
    }
    double number() {
        const std::string_view field = next();
        if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
        const auto value = parse_finite(field);
        if (!value) fail(field, "a number");
        return *value;
    }
    std::int64_t whole() {
        const std::string_view field = next();
        const auto value = parse_whole(field);
        if (!value) fail(field, "a whole number");
        return *value;
    }

  private:
    [[noreturn]] void fail(std::string_view field, const std::string& wanted) const {
        throw InputError(place_, "'" + printable(field) + "' in steps.csv; expected " + wanted);
    }
    std::string_view rest_;
    SourcePlace place_;
    bool done_ = false;
};

StepRow read_row(std::string_view line, const std::string& file, int number) {
    Fields fields(line, file, number);
    StepRow row;
    row.step = fields.whole();
    row.time = fields.number();
    row.wall_ms = fields.number();
    for (double& ms : row.stage_ms) ms = fields.number();
    row.iterations = fields.whole();
    row.residual = fields.number();
    row.kinetic = fields.number();
    row.elastic = fields.number();
    row.potential = fields.number();
    row.contacts = fields.whole();
    row.max_penetration = fields.number();
    row.flags = fields.next();
    return row;
}

}  // namespace

std::vector<StepRow> read_steps(const std::string& path) {
    const std::string text = read_text_file(path);
    std::string_view rest = text;
    std::vector<StepRow> rows;
    for (int number = 1; !rest.empty(); ++number) {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) break;
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        if (number > 1)
            rows.push_back(read_row(line, path, number));
        else if (line != steps_header())
            throw InputError({path, 1, 1, -1}, "not the columns of this version's steps.csv");
    }
    return rows;
}

}  // namespace limber
