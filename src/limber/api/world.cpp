// SPDX-License-Identifier: Apache-2.0
#include "limber/api/world.h"

#include <filesystem>

#include "limber/api/scene_access.h"
#include "limber/api/world_data.h"
#include "limber/api/world_report.h"
#include "limber/contact/contact_read_back.h"
#include "limber/core/hash.h"
#include "limber/output/verdict_output.h"
#include "limber/scene/build/model.h"
#include "limber/scene/build/selection.h"
#include "limber/scene/registry.h"
#include "limber/scene/solver_name.h"
#include "limber/sim/checkpoint.h"
#include "limber/sim/tune.h"
#include "limber/sim/verdict_rules.h"

namespace limber::api {

namespace {

static_assert(sizeof(Vec3d) == 3 * sizeof(double) && sizeof(Tet) == 4 * sizeof(std::int32_t));
std::span<const double> numbers(const std::vector<Vec3d>& values) {
    return {values.empty() ? nullptr : &values.front().x, 3 * values.size()};
}

void put(const Vec3d& v, double (&out)[3]) {
    for (int axis = 0; axis < 3; ++axis) out[axis] = v[axis];
}

ContactRecord record_of(const Contact& c, const State& state, double h) {
    ContactRecord out;
    out.body = c.body;
    out.other = c.other;
    out.obstacle = c.obstacle;
    out.n_nodes = c.at.n;
    for (int k = 0; k < c.at.n; ++k) {
        out.nodes[k] = c.at.node[static_cast<std::size_t>(k)];
        out.weights[k] = c.at.weight[static_cast<std::size_t>(k)];
    }
    put(contact_point(c, state.x), out.position);
    put(c.normal, out.normal);
    out.gap = end_gap(c, state.v, h);
    put(c.force, out.force);
    out.friction = c.friction;
    out.kind = c.key.kind;
    out.status = static_cast<std::int32_t>(status_of(c));
    return out;
}

/// A value by the checks of scene files.
template <class T>
T value_as(const Value& value, const std::string& path, const std::string& scene_file) {
    const std::string folder = std::filesystem::path(scene_file).parent_path().string();
    T out;
    FieldTraits<T>::assign(checked(value, FieldTraits<T>::describe({}), path, {folder, false}),
                           path, out);
    return out;
}

std::vector<BodyInfo> bodies_of(const Model& model) {
    std::vector<BodyInfo> out;
    for (const Body& body : model.bodies) {
        BodyInfo info{body.name,
                      body.node_begin,
                      body.node_end,
                      body.tet_begin,
                      body.tet_end,
                      {},
                      body.cloth.has_value(),
                      body.rigid.has_value(),
                      0};
        for (const Triangle& t : body.surface)
            info.triangles.insert(info.triangles.end(), t.begin(), t.end());
        info.mass = body.rigid ? body.rigid->mass : 0;
        for (Index i = body.node_begin; i < body.node_end; ++i) info.mass += model.mass[i];
        out.push_back(std::move(info));
    }
    return out;
}

}  // namespace

Observer::~Observer() = default;

void World::Data::measure() {
    measure_tets(world->model().elements, world->state().x, measures);
    for (std::size_t e = 0; e < measures.size(); ++e) {
        stress[e] = measures[e].von_mises;
        det_F[e] = measures[e].det_F;
    }
}

void World::Data::begin_to_measure() {
    if (measuring) return;
    const auto n = static_cast<std::size_t>(world->model().n_tets());
    measures.resize(n);
    stress.resize(n);
    det_F.resize(n);
    measuring = true;
    measure();
}

const Body& World::Data::body(const std::string& name) const {
    std::vector<std::string> names;
    for (const Body& body : world->model().bodies) {
        if (body.name == name) return body;
        names.push_back(body.name);
    }
    throw InputError("there is no body '" + printable(name) + "'; allowed: " + joined(names) +
                     did_you_mean(name, names));
}

World::World(const Scene& scene, const WorldOptions& options) : data_(std::make_unique<Data>()) {
    Data& d = *data_;
    d.scene = SceneAccess::definition(scene, options.sets);
    require_device(d.scene);
    BuildReport built;
    auto model = std::make_unique<const Model>(build_model(d.scene, built));
    check_device(d.scene, *model);
    d.hash = scene_hash(d.scene);
    d.warnings = built.warnings;
    if (wants_tuning(d.scene)) {
        const TunedScene found = tuned(d.scene, *model);
        if (!found.improved) d.warnings.push_back(found.note);
        d.scene = found.scene;
    }
    d.solver = solver_name(d.scene);
    auto stepper = make_stepper(d.scene, *model);
    auto contact = make_contact(d.scene, *model);
    d.world = std::make_unique<limber::World>(
        std::move(model), std::move(stepper), std::move(contact),
        limber::WorldOptions{.measure_energy = d.scene.output.energy && options.measure_energy,
                             .verdict = verdict_rules(d.scene)});
    d.control.reset(new Control(Control::Data{*d.world}));
    d.bodies = bodies_of(d.world->model());
}

World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

StepReport World::take_step(double deadline_ms) {
    const InUse in_use(*data_);
    check_control(data_->world->control(), data_->world->model());
    const StepReport report = told(data_->world->step(deadline_ms));
    if (data_->measuring) data_->measure();
    return report;
}

StepReport World::step(double deadline_ms) {
    const StepReport report = take_step(deadline_ms);
    for (auto& observer : data_->observers) observer->after_step(report);
    return report;
}

StepReport World::step_many(std::int64_t n) {
    StepReport report;
    bool go_on = true;
    for (std::int64_t k = 0; k < n && go_on; ++k) {
        report = take_step(0);
        go_on = !report.failed;
        for (auto& observer : data_->observers) go_on = observer->after_step(report) && go_on;
    }
    return report;
}

void World::add(std::unique_ptr<Observer> observer) {
    data_->observers.push_back(std::move(observer));
}

double World::time() const {
    return data_->world->state().time;
}
double World::h() const {
    return data_->world->model().h;
}
std::int64_t World::steps() const {
    return data_->world->state().step;
}
std::int64_t World::steps_of_scene() const {
    return data_->scene.time.n_steps();
}
std::string World::state_hash() const {
    return hex64(data_->world->state_hash());
}
const std::string& World::solver() const {
    return data_->solver;
}

std::span<const double> World::x() const {
    return numbers(data_->world->state().x);
}
std::span<const double> World::v() const {
    return numbers(data_->world->state().v);
}
std::span<const double> World::rest() const {
    return numbers(data_->world->model().mesh.nodes);
}
std::span<const double> World::external_force() const {
    return numbers(data_->world->forces().external);
}
std::span<const double> World::contact_force() const {
    return numbers(data_->world->forces().contact);
}
std::span<const double> World::reaction() const {
    return numbers(data_->world->forces().reaction);
}
std::span<const double> World::mass() const {
    return data_->world->model().mass;
}
std::span<const std::int32_t> World::tets() const {
    const std::vector<Tet>& tets = data_->world->model().mesh.tets;
    return {tets.empty() ? nullptr : tets.front().data(), 4 * tets.size()};
}
std::span<const double> World::stress() {
    const InUse in_use(*data_);
    data_->begin_to_measure();
    return data_->stress;
}
std::span<const double> World::det_F() {
    const InUse in_use(*data_);
    data_->begin_to_measure();
    return data_->det_F;
}

const std::vector<BodyInfo>& World::bodies() const {
    return data_->bodies;
}

std::vector<std::int32_t> World::select(const std::string& body, const Value& selection) const {
    const Body& found = data_->body(body);
    const Model& model = data_->world->model();
    const SelectDef def = value_as<SelectDef>(selection, "select", data_->scene.file);
    TetMesh mesh;
    mesh.nodes.assign(model.mesh.nodes.begin() + found.node_begin,
                      model.mesh.nodes.begin() + found.node_end);
    mesh.node_ids.assign(model.mesh.node_ids.begin() + found.node_begin,
                         model.mesh.node_ids.begin() + found.node_end);
    const std::string before = found.name + '/';
    for (const auto& [name, nodes] : model.mesh.node_groups)
        if (name.starts_with(before))
            for (const Index node : nodes)
                mesh.node_groups[name.substr(before.size())].push_back(node - found.node_begin);
    std::vector<Index> nodes = select_nodes(def, placed_body(found.name, std::move(mesh)));
    for (Index& node : nodes) node += found.node_begin;
    return nodes;
}

std::span<const ContactRecord> World::contacts() {
    const InUse in_use(*data_);
    const limber::World& w = *data_->world;
    data_->contacts.clear();
    for (const Contact& c : w.contacts().contacts)
        data_->contacts.push_back(record_of(c, w.state(), w.model().h));
    return data_->contacts;
}

std::span<const std::string_view> World::contact_kinds() {
    static constexpr auto names = enum_names(ContactKey::Kind{});
    return names;
}

Control& World::control() {
    return *data_->control;
}

std::vector<std::byte> World::save() const {
    const InUse in_use(*data_);
    return checkpoint_bytes(*data_->world, data_->hash);
}

void World::restore(std::span<const std::byte> checkpoint) {
    const InUse in_use(*data_);
    load_checkpoint_bytes(checkpoint, "checkpoint", data_->hash, *data_->world);
    if (data_->measuring) data_->measure();
}

const std::vector<std::string>& World::warnings() const {
    return data_->warnings;
}
const std::vector<std::string>& World::chosen() const {
    return data_->scene.chosen;
}
std::vector<std::string> World::verdict() const {
    return verdict_lines(*data_->world);
}

}  // namespace limber::api
