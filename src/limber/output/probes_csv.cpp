// SPDX-License-Identifier: Apache-2.0
#include "limber/output/probes_csv.h"

#include <algorithm>

#include "limber/output/run_folder.h"
#include "limber/output/text.h"

namespace limber {

std::string probe_header() {
    return "step,time,"
           "displacement_x,displacement_y,displacement_z,"
           "position_x,position_y,position_z,"
           "velocity_x,velocity_y,velocity_z,"
           "centre_of_mass_x,centre_of_mass_y,centre_of_mass_z,"
           "external_force_x,external_force_y,external_force_z,"
           "contact_force_x,contact_force_y,contact_force_z,"
           "force_x,force_y,force_z,"
           "reaction_x,reaction_y,reaction_z,"
           "strain_xx,strain_yy,strain_zz,strain_xy,strain_yz,strain_zx";
}

namespace {

/// Tets that use any of the nodes, ascending.
std::vector<Index> touching_tets(const Model& model, const std::vector<Index>& nodes) {
    std::vector<Index> out;
    for (Index node : nodes)
        for (Index entry : model.elements.incidence.of(node)) out.push_back(entry / 4);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// Of the nodes by their masses; of a rigid body, whose nodes have none, that of all of it.
Vec3d centre_of_mass(const Model& model, const State& state, const std::vector<Index>& nodes) {
    if (nodes.empty()) return {};
    std::size_t rigid = 0;  // place among the rigid bodies
    for (const Body& body : model.bodies) {
        if (!body.rigid) continue;
        if (nodes[0] >= body.node_begin && nodes[0] < body.node_end)
            return state.rigid[rigid].position;
        ++rigid;
    }
    Vec3d sum{};
    double mass = 0;
    for (const Index i : nodes) {
        sum += model.mass[i] * state.x[i];
        mass += model.mass[i];
    }
    return (1 / mass) * sum;
}

}  // namespace

void ProbesCsv::cut_out(const Model& model, const Probe& probe, Neighbourhood& part) {
    const std::vector<Index> tets = touching_tets(model, probe.nodes);
    for (Index e : tets)
        part.nodes.insert(part.nodes.end(), model.mesh.tets[e].begin(), model.mesh.tets[e].end());
    std::sort(part.nodes.begin(), part.nodes.end());
    part.nodes.erase(std::unique(part.nodes.begin(), part.nodes.end()), part.nodes.end());
    TetMesh mesh;
    for (Index node : part.nodes) {
        mesh.nodes.push_back(model.mesh.nodes[node]);
        mesh.node_ids.push_back(model.mesh.node_ids[node]);
    }
    std::vector<Index> material;
    std::vector<TetData> data;
    double volume = 0;
    for (Index e : tets) {
        Tet tet = model.mesh.tets[e];
        for (Index& node : tet)
            node = static_cast<Index>(std::lower_bound(part.nodes.begin(), part.nodes.end(), node) -
                                      part.nodes.begin());
        mesh.tets.push_back(tet);
        mesh.tet_ids.push_back(e);
        material.push_back(model.tet_material[e]);
        if (!model.tet_data.empty()) data.push_back(model.tet_data[e]);
        part.weight.push_back(tet_volume(mesh.nodes[tet[0]], mesh.nodes[tet[1]], mesh.nodes[tet[2]],
                                         mesh.nodes[tet[3]]));
        volume += part.weight.back();
    }
    for (double& weight : part.weight) weight /= volume;
    part.elements = make_elements(mesh, model.materials, material, data);
    part.x.resize(part.nodes.size());
    part.measures.resize(tets.size());
}

void ProbesCsv::open_logs(const World& world) {
    const Model& model = world.model();
    const std::string folder = subfolder(dir_, "probes");
    std::vector<std::string> names;
    for (const Probe& probe : model.probes) names.push_back(probe.name);
    const std::vector<std::string> stems = file_stems(names);
    for (std::size_t k = 0; k < model.probes.size(); ++k) {
        probes_.push_back(std::make_unique<Neighbourhood>());
        cut_out(model, model.probes[k], *probes_[k]);
        const std::string path = folder + '/' + stems[k] + ".csv";
        if (world.state().step > 0)
            probes_[k]->log.resume(path, probe_header(), world.state().step);
        else
            probes_[k]->log.create(path, probe_header());
    }
}

void ProbesCsv::begin(const World& world) {
    if (world.model().probes.empty()) return;
    probes_.clear();
    open_logs(world);
    if (world.state().step == 0) append_rows(world);
}

void ProbesCsv::after_step(const World& world, const StepReport& report) {
    if (!report.failed && world.state().step % every_ == 0) append_rows(world);
}

void ProbesCsv::append_rows(const World& world) {
    const Model& model = world.model();
    const State& state = world.state();
    const NodeForces& forces = world.forces();
    for (std::size_t k = 0; k < probes_.size(); ++k) {
        Neighbourhood& part = *probes_[k];
        const std::vector<Index>& nodes = model.probes[k].nodes;
        Vec3d moved{}, position{}, velocity{}, external{}, contact{}, reaction{};
        for (Index i : nodes) {
            moved += state.x[i] - model.mesh.nodes[i];
            position += state.x[i];
            velocity += state.v[i];
            external += forces.external[i];
            contact += forces.contact[i];
            reaction += forces.reaction[i];
        }
        const double share = nodes.empty() ? 0 : 1.0 / static_cast<double>(nodes.size());
        for (std::size_t i = 0; i < part.nodes.size(); ++i) part.x[i] = state.x[part.nodes[i]];
        measure_tets(part.elements, part.x, part.measures);
        Mat3d strain{};
        for (std::size_t e = 0; e < part.measures.size(); ++e)
            strain += part.weight[e] * part.measures[e].strain;

        row_.clear();
        append_number(row_, state.step);
        const auto number = [&](double value) {
            row_ += ',';
            append_number(row_, value);  // a field that is not finite stays empty
        };
        number(state.time);
        for (const Vec3d& v :
             {moved * share, position * share, velocity * share,
              centre_of_mass(model, state, nodes), external, contact, external + contact, reaction})
            for (int axis = 0; axis < 3; ++axis) number(v[axis]);
        for (const auto& [i, j] : {std::pair{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}})
            number(strain(i, j));
        part.log.append(row_);
    }
}

}  // namespace limber
