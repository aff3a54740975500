// SPDX-License-Identifier: Apache-2.0
#include "limber/output/vtu_series.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/io/vtk/vtu_writer.h"
#include "limber/output/run_folder.h"
#include "limber/output/text.h"

namespace limber {

namespace {

constexpr std::string_view pvd_head =
    "<?xml version=\"1.0\"?>\n"
    "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
    "  <Collection>\n";
constexpr std::string_view pvd_end = "  </Collection>\n</VTKFile>\n";

void write_at(int fd, const std::string& path, std::string_view text, std::int64_t offset) {
    while (!text.empty()) {
        const ssize_t n = ::pwrite(fd, text.data(), text.size(), offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw SystemError(path, "write", n < 0 ? errno : ENOSPC);
        text.remove_prefix(static_cast<std::size_t>(n));
        offset += n;
    }
}

}  // namespace

std::vector<std::string> body_stems(const Model& model) {
    std::vector<std::string> names;
    for (const Body& body : model.bodies) names.push_back(body.name);
    return file_stems(names);
}

std::string skin_stem(const std::string& stem) {
    return stem + "_skin";
}

std::uint64_t frame_bytes(const Model& model) {
    std::uint64_t skins = 0;  // points and two vectors; corners, offset and type
    for (const Body& body : model.bodies)
        skins += std::uint64_t(body.skin.embedding.n_points()) * (3 * 24) +
                 body.skin.triangles.size() * (3 * 4 + 4 + 1);
    for (const Body& body : model.bodies)
        skins += body.triangles().size() * (3 * 4 + 4 + 1 + 4 + 16);
    // Points and seven vectors and an id a node; corners, offset, type and three values a tet.
    return skins + std::uint64_t(model.n_nodes()) * (8 * 24 + 8) +
           std::uint64_t(model.n_tets()) * (4 * 8 + 8 + 1 + 4 + 16) + 4096 * model.bodies.size();
}

VtuSeries::VtuSeries(std::string dir, std::int64_t every) : dir_(std::move(dir)), every_(every) {
    LIMBER_CHECK(every >= 1, "frames are at least one step apart");
}

VtuSeries::~VtuSeries() {
    if (pvd_ >= 0) ::close(pvd_);
}

void VtuSeries::begin(const World& world) {
    folder_ = subfolder(dir_, "vtu");
    stems_ = body_stems(world.model());
    if (world.state().step > 0) return list_earlier_frames(world);
    start_pvd("");
    write_frame(world);
}

void VtuSeries::after_step(const World& world, const StepReport& report) {
    if (report.failed || world.state().step % every_ != 0) return;
    write_frame(world);
}

/// After a resume: the frames that the earlier part of the run has written, by their numbers. What
/// it wrote past the checkpoint is written again, to the same bits.
void VtuSeries::list_earlier_frames(const World& world) {
    std::string entries;
    for (std::int64_t step = 0; step <= world.state().step; step += every_) {
        bool whole = true;
        for (const std::string& stem : stems_) {
            std::error_code error;
            const auto size =
                std::filesystem::file_size(folder_ + '/' + numbered_file(stem, step, "vtu"), error);
            whole = whole && !error && size > 0;
        }
        if (whole) entries += pvd_entries(step, static_cast<double>(step) * world.model().h);
    }
    start_pvd(entries);
}

void VtuSeries::start_pvd(const std::string& entries) {
    const std::string path = folder_ + "/series.pvd";
    const std::string text = std::string(pvd_head) + entries;
    write_file_atomic(path, text + std::string(pvd_end), Flush::to_system);
    tail_ = static_cast<std::int64_t>(text.size());
    if (pvd_ >= 0) ::close(pvd_);
    pvd_ = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (pvd_ < 0) throw SystemError(path, "write", errno);
}

std::string VtuSeries::pvd_entries(std::int64_t step, double time) const {
    std::string out;
    for (std::size_t b = 0; b < stems_.size(); ++b) {
        out += "    <DataSet timestep=\"";
        append_number(out, time);
        out += "\" part=\"";
        append_number(out, static_cast<std::int64_t>(b));
        out += "\" file=\"" + numbered_file(stems_[b], step, "vtu") + "\"/>\n";
    }
    return out;
}

void VtuSeries::write_frame(const World& world) {
    const Model& model = world.model();
    const State& state = world.state();
    measures_.resize(model.n_tets());
    measure_tets(model.elements, state.x, measures_);
    fields_.clear();
    world.stepper().describe_cells(fields_);
    for (std::size_t b = 0; b < stems_.size(); ++b)
        write_body(world, b, folder_ + '/' + numbered_file(stems_[b], state.step, "vtu"));
    for (std::size_t b = 0; b < stems_.size(); ++b)
        if (!model.bodies[b].skin.empty())
            write_skin(world, b,
                       folder_ + '/' + numbered_file(skin_stem(stems_[b]), state.step, "vtu"));
    // The list grows in place: rewriting it every frame would cost the square of its length. One
    // write puts the new entries and the end over the old end.
    const std::string entries = pvd_entries(state.step, state.time);
    write_at(pvd_, folder_ + "/series.pvd", entries + std::string(pvd_end), tail_);
    tail_ += static_cast<std::int64_t>(entries.size());
}

void VtuSeries::write_body(const World& world, std::size_t b, const std::string& path) {
    const Model& model = world.model();
    const Body& body = model.bodies[b];
    const State& state = world.state();
    const NodeForces& forces = world.forces();
    const auto first = static_cast<std::size_t>(body.node_begin);
    const auto n = static_cast<std::size_t>(body.node_end - body.node_begin);
    displacement_.resize(n);
    force_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        displacement_[i] = state.x[first + i] - model.mesh.nodes[first + i];
        force_[i] = forces.external[first + i] + forces.contact[first + i];
    }
    tets_.clear();
    von_mises_.clear();
    det_F_.clear();
    material_.clear();
    for (Index e = body.tet_begin; e < body.tet_end; ++e) {
        Tet tet = model.mesh.tets[e];
        for (Index& node : tet) node -= body.node_begin;
        tets_.push_back(tet);
        von_mises_.push_back(measures_[e].von_mises);
        det_F_.push_back(measures_[e].det_F);
        material_.push_back(model.tet_material[e]);
    }
    triangles_.clear();
    if (body.cloth) measure_cloth(model, body, state.x);
    if (body.rigid) add_rigid(body);
    const auto part = [&](const std::vector<Vec3d>& all) {
        return std::span<const Vec3d>(all).subspan(first, n);
    };
    VtuGrid grid;
    grid.points = part(state.x);
    grid.tets = tets_;
    grid.triangles = triangles_;
    grid.point_data = {
        {"rest", part(model.mesh.nodes)},
        {"displacement", std::span<const Vec3d>(displacement_)},
        {"velocity", part(state.v)},
        {"external_force", part(forces.external)},
        {"contact_force", part(forces.contact)},
        {"force", std::span<const Vec3d>(force_)},
        {"reaction", part(forces.reaction)},
        {"node_id", std::span<const std::int64_t>(model.mesh.node_ids).subspan(first, n)}};
    grid.cell_data = {{"material", std::span<const std::int32_t>(material_)},
                      {"von_mises", std::span<const double>(von_mises_)},
                      {"det_F", std::span<const double>(det_F_)}};
    for (const CellField& field : fields_)
        if (body.triangles().empty())
            grid.cell_data.push_back(
                {field.name,
                 std::span(field.value).subspan(body.tet_begin, body.tet_end - body.tet_begin)});
    write_vtu(path, grid, Flush::to_system);
}

/// The same cell data for triangles, det_F being the area over that at rest and the stress that of
/// the material in plane stress, whether springs or triangles carry it.
void VtuSeries::measure_cloth(const Model& model, const Body& body, std::span<const Vec3d> x) {
    const ClothSheet& sheet = *body.cloth;
    const Lame lame = small_strain(model.materials[sheet.material]);
    for (Triangle t : sheet.triangles) {
        const auto corners = [&](std::span<const Vec3d> at) {
            return std::array{at[t[0]], at[t[1]], at[t[2]]};
        };
        const MembraneMeasure measured =
            measure(Membrane::make(t, corners(model.mesh.nodes), sheet.options.thickness, lame),
                    corners(x));
        von_mises_.push_back(measured.von_mises);
        det_F_.push_back(measured.area_ratio);
        material_.push_back(sheet.material);
        for (Index& node : t) node -= body.node_begin;
        triangles_.push_back(t);
    }
}

/// Without strain or stress.
void VtuSeries::add_rigid(const Body& body) {
    for (Triangle t : body.surface) {
        von_mises_.push_back(0);
        det_F_.push_back(1);
        material_.push_back(-1);
        for (Index& node : t) node -= body.node_begin;
        triangles_.push_back(t);
    }
}

void VtuSeries::write_skin(const World& world, std::size_t b, const std::string& path) {
    const Skin& skin = world.model().bodies[b].skin;
    const auto n = static_cast<std::size_t>(skin.embedding.n_points());
    for (std::vector<Vec3d>* values : {&skin_x_, &skin_v_, &skin_u_}) values->resize(n);
    carry(skin.embedding, world.state().x, skin_x_);
    carry(skin.embedding, world.state().v, skin_v_);
    carry(skin.embedding, world.model().mesh.nodes, skin_u_);
    for (std::size_t i = 0; i < n; ++i) skin_u_[i] = skin_x_[i] - skin_u_[i];
    VtuGrid grid;
    grid.points = skin_x_;
    grid.triangles = skin.triangles;
    grid.point_data = {{"displacement", std::span<const Vec3d>(skin_u_)},
                       {"velocity", std::span<const Vec3d>(skin_v_)}};
    write_vtu(path, grid, Flush::to_system);
}

}  // namespace limber
