// SPDX-License-Identifier: Apache-2.0
#include "limber/output/contacts_output.h"

#include "limber/contact/contact_read_back.h"
#include "limber/io/file.h"
#include "limber/output/run_folder.h"
#include "limber/output/text.h"
#include "limber/sim/world.h"

namespace limber {

namespace {

/// The name in double quotes, as CSV wants it.
std::string quoted(const std::string& name) {
    std::string out = "\"";
    for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

std::string other_name(const Model& model, const Contact& c) {
    if (c.obstacle < 0) return model.bodies[c.other].name;
    // A tool of the live page stands after the scene's obstacles.
    if (c.obstacle >= std::ssize(model.obstacles)) return "tool";
    const std::string& name = model.obstacles[c.obstacle].name;
    return name.empty() ? "obstacle " + std::to_string(c.obstacle) : name;
}

}  // namespace

std::string contacts_header() {
    return "step,time,body,other,kind,nodes,"
           "position_x,position_y,position_z,"
           "normal_x,normal_y,normal_z,gap,"
           "force_x,force_y,force_z,normal_force,"
           "friction_force_x,friction_force_y,friction_force_z,"
           "friction_coefficient,status";
}

void ContactsOutput::begin(const World& world) {
    const std::string path = dir_ + "/contacts.csv";
    folder_ = subfolder(dir_, "contacts");
    frames_.clear();
    const std::int64_t step = world.state().step;
    if (step == 0) {
        log_.create(path, contacts_header());
        return;
    }
    log_.resume(path, contacts_header(), step, RowsOfStep::many);
    for (std::int64_t k = every_; k <= step; k += every_) {
        const std::string file = numbered_file("contacts", k, "vtu");
        if (exists(folder_ + '/' + file))
            frames_.push_back({static_cast<double>(k) * world.model().h, file});
    }
}

void ContactsOutput::after_step(const World& world, const StepReport& report) {
    if (report.failed || world.state().step % every_ != 0) return;
    write_rows(world);
    write_frame(world);
}

void ContactsOutput::end(const World&) {
    write_pvd(folder_ + "/series.pvd", frames_);
}

void ContactsOutput::write_rows(const World& world) {
    const Model& model = world.model();
    const State& state = world.state();
    row_.clear();
    const auto number = [&](double value) {
        row_ += ',';
        append_number(row_, value);
    };
    const auto vector = [&](const Vec3d& v) {
        for (int axis = 0; axis < 3; ++axis) number(v[axis]);
    };
    for (const Contact& c : world.contacts().contacts) {
        if (!row_.empty()) row_ += '\n';
        append_number(row_, state.step);
        number(state.time);
        row_ += ',' + quoted(model.bodies[c.body].name) + ',' + quoted(other_name(model, c)) + ',';
        row_ += enum_names(ContactKey::Kind{})[c.key.kind];
        row_ += ',';
        for (int k = 0; k < c.at.n; ++k) {
            if (k > 0) row_ += ' ';
            append_number(row_, model.mesh.node_ids[c.at.node[k]]);
        }
        vector(contact_point(c, state.x));
        vector(c.normal);
        number(end_gap(c, state.v, model.h));
        vector(c.force);
        number(normal_force(c));
        vector(friction_force(c));
        number(c.friction);
        row_ += ',';
        row_ += enum_names(ContactStatus{})[static_cast<int>(status_of(c))];
    }
    if (!row_.empty()) log_.append(row_);
}

void ContactsOutput::write_frame(const World& world) {
    const State& state = world.state();
    for (std::vector<Vec3d>* values : {&point_, &normal_, &force_, &normal_force_, &friction_})
        values->clear();
    for (std::vector<std::int32_t>* values : {&body_, &other_, &obstacle_, &status_})
        values->clear();
    gap_.clear();
    for (const Contact& c : world.contacts().contacts) {
        point_.push_back(contact_point(c, state.x));
        normal_.push_back(c.normal);
        force_.push_back(c.force);
        normal_force_.push_back(normal_force(c) * c.normal);
        friction_.push_back(friction_force(c));
        gap_.push_back(end_gap(c, state.v, world.model().h));
        body_.push_back(c.body);
        other_.push_back(c.other);
        obstacle_.push_back(c.obstacle);
        status_.push_back(static_cast<std::int32_t>(status_of(c)));
    }
    VtuGrid grid;
    grid.points = point_;
    grid.vertices = true;
    grid.point_data = {{"normal", std::span<const Vec3d>(normal_)},
                       {"force", std::span<const Vec3d>(force_)},
                       {"normal_force", std::span<const Vec3d>(normal_force_)},
                       {"friction_force", std::span<const Vec3d>(friction_)},
                       {"gap", std::span<const double>(gap_)},
                       {"body", std::span<const std::int32_t>(body_)},
                       {"other", std::span<const std::int32_t>(other_)},
                       {"obstacle", std::span<const std::int32_t>(obstacle_)},
                       {"status", std::span<const std::int32_t>(status_)}};
    const std::string file = numbered_file("contacts", state.step, "vtu");
    write_vtu(folder_ + '/' + file, grid, Flush::to_system);
    frames_.push_back({state.time, file});
}

}  // namespace limber
