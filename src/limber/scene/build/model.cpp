// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/model.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/io/mesh_reader.h"
#include "limber/mesh/doctor/repair.h"
#include "limber/scene/build/body_mesh.h"
#include "limber/scene/build/cloth.h"
#include "limber/scene/build/fibres.h"
#include "limber/scene/build/joints.h"
#include "limber/scene/build/loads.h"
#include "limber/scene/build/node_table.h"
#include "limber/scene/build/placement.h"
#include "limber/scene/build/selection.h"
#include "limber/scene/check/first_step.h"
#include "limber/scene/check/overlaps.h"
#include "limber/scene/check/supports.h"
#include "limber/scene/format/error_list.h"

namespace limber {

namespace {

class Builder {
  public:
    Builder(const SceneDef& scene, const BuildOptions& options, BuildReport& report)
        : scene_(scene), options_(options), report_(report) {}

    Model build() {
        set_time();
        model_.gravity = scene_.gravity.value_or(model_.gravity);
        model_.up_axis = scene_.up == UpAxis::y ? 1 : 2;
        add_materials();
        ErrorList errors;
        for (const BodyDef& def : scene_.bodies) errors.run([&] { add_body(def); });
        errors.throw_if_any();  // what follows counts on all bodies
        for (const PinDef& def : scene_.pins) errors.run([&] { add_pin(def); });
        for (const ProbeDef& def : scene_.probes) errors.run([&] { add_probe(def); });
        errors.run([&] { model_.obstacles = make_obstacles(scene_, report_.warnings); });
        errors.throw_if_any();
        errors.run([&] { check_pins(); });
        if (!model_.tet_data.empty()) model_.tet_data.resize(model_.mesh.tets.size());
        finish_model(model_);
        errors.run([&] {
            if (model_.integrator == Integrator::quasi_static) check_supports(scene_, model_);
        });
        add_velocities();
        for (const BodyDef& def : scene_.bodies) errors.run([&] { add_initial_state(def); });
        for (const ForceDef& def : scene_.forces)
            errors.run([&] {
                model_.forces.push_back(
                    nodal_force(def, model_.forces.size(), placed(def.body), body(def.body)));
            });
        errors.throw_if_any();
        for (const auto& pair : scene_.contact.ignore) ignore_contact(pair);
        check_start();
        add_joints(scene_, placed_, model_, report_.warnings);
        finish_report();
        return std::move(model_);
    }

  private:
    void set_time() {
        const TimeDef& time = scene_.time;
        model_.h = time.step;
        if (time.analysis == Analysis::quasi_static || time.analysis == Analysis::static_load)
            model_.integrator = Integrator::quasi_static;
        else if (time.integrator == DynamicIntegrator::trapezoid)
            model_.integrator = Integrator::trapezoid;
        if (time.analysis == Analysis::static_load)
            model_.load_ramp = static_cast<double>(time.n_steps()) * time.step;
    }
    void warn(const SourcePlace& place, const std::string& text) { report_.warn(place, text); }
    std::size_t number_of(const std::string& name) const {
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
            if (scene_.bodies[i].name == name) return i;
        throw Bug("check_scene lets no unknown body pass");
    }
    const PlacedBody& placed(const std::string& name) const { return placed_[number_of(name)]; }
    const Body& body(const std::string& name) const { return model_.bodies[number_of(name)]; }

    // ---- materials

    void add_materials() {
        for (const auto& [name, def] : scene_.materials) add_material(name, def);
        const bool wanted = std::any_of(scene_.bodies.begin(), scene_.bodies.end(),
                                        [](const BodyDef& b) { return !b.material; });
        if (!wanted || material_number_.count("default")) return;
        MaterialDef plain;
        plain.origin = {"the default material", {scene_.file, 0, 0}, {}};
        add_material("default", plain);
    }

    void add_material(const std::string& name, const MaterialDef& def) {
        std::string assumed;
        Material m = make_material(name, def, assumed);
        if (!assumed.empty())
            warn(def.origin.place, def.origin.path + ": not given, taken as" + assumed);
        material_number_[name] = static_cast<Index>(model_.materials.size());
        model_.materials.push_back(std::move(m));
    }

    // ---- bodies

    TetMesh make_mesh(const BodyDef& def, BodyReport& report) {
        LoadedMesh loaded = body_mesh(def, options_, report_);
        report.mesh = std::move(loaded.report);
        report.scale = placement_of(def).scale;
        return std::move(loaded.mesh);
    }

    static void check_parts(const BodyDef& def, Index n_parts) {
        if (def.parts && n_parts != *def.parts)
            throw InputError(
                def.origin.at("parts"),
                def.origin.path + ": the mesh has " + std::to_string(n_parts) +
                    " connected parts; the scene says parts = " + std::to_string(*def.parts));
    }

    TetMesh make_cloth(const BodyDef& def, BodyReport& report, std::optional<ClothSheet>& sheet) {
        SurfaceBody cloth = make_cloth_body(def);
        for (const std::string& warning : cloth.report.warnings)
            report_.warnings.push_back(warning);
        report.mesh = cloth.report;
        const Index material = material_number_.at(def.material.value_or("default"));
        for (Triangle& triangle : cloth.triangles)
            for (Index& node : triangle) node += model_.mesh.n_nodes();
        sheet = ClothSheet{std::move(cloth.triangles), material,
                           cloth_options(*def.cloth, model_.materials[material])};
        return std::move(cloth.mesh);
    }

    TetMesh make_rigid(const BodyDef& def, BodyReport& report, std::vector<Triangle>& surface) {
        SurfaceBody rigid = make_rigid_body(def);
        for (const std::string& warning : rigid.report.warnings)
            report_.warnings.push_back(warning);
        report.mesh = rigid.report;
        for (Triangle& triangle : rigid.triangles)
            for (Index& node : triangle) node += model_.mesh.n_nodes();
        surface = std::move(rigid.triangles);
        return std::move(rigid.mesh);
    }

    void add_body(const BodyDef& def) {
        BodyReport report;
        report.name = def.name;
        std::optional<ClothSheet> sheet;
        std::vector<Triangle> shell;
        TetMesh mesh = def.cloth   ? make_cloth(def, report, sheet)
                       : def.rigid ? make_rigid(def, report, shell)
                                   : make_mesh(def, report);
        check_parts(def, report.mesh.n_parts);
        const Placement place = placement_of(def);
        const Mat3d& turn = mesh.tets.empty() ? place.linear : place.rotation;  // tets are scaled
        for (Vec3d& x : mesh.nodes) x = turn * x + place.translate;
        check_placed(def, mesh);
        append(def, mesh);
        model_.bodies.back().cloth = std::move(sheet);
        check_placed_cloth(def);
        if (def.rigid) {
            model_.bodies.back().surface = std::move(shell);
            weigh(def, model_.bodies.back());
        }
        if (def.skin) add_skin(def, mesh, place);
        placed_.push_back(placed_body(def.name, std::move(mesh)));
        report.box = placed_.back().box;
        report_.bodies.push_back(std::move(report));
        add_tet_materials(def, placed_.back());
        add_fibres(def, place);
    }

    /// The skin is placed like the body and rides on its tets.
    void add_skin(const BodyDef& def, const TetMesh& mesh, const Placement& place) {
        LoadedSurface loaded = read_surface(std::string(*def.skin));
        for (const std::string& warning : loaded.warnings)
            report_.warnings.push_back(std::string(*def.skin) + ": " + warning);
        if (loaded.mesh.triangles.empty())
            throw InputError(def.origin.at("skin"), def.origin.path + ".skin: no triangles");
        for (Vec3d& x : loaded.mesh.nodes) x = place.linear * x + place.translate;
        if (const std::string wrong = range_problem(loaded.mesh); !wrong.empty())
            throw InputError(def.origin.at("skin"), def.origin.path + ".skin: placed, " + wrong);
        Body& body = model_.bodies.back();
        body.skin.embedding = embed(mesh, loaded.mesh.nodes);
        for (Tet& corners : body.skin.embedding.corners)
            for (Index& node : corners) node += body.node_begin;
        body.skin.triangles = std::move(loaded.mesh.triangles);
        const double size = norm(bounding_box(mesh.nodes).size());
        if (body.skin.embedding.farthest > 0.1 * size)
            warn(def.origin.at("skin"),
                 def.origin.path + ".skin reaches " + number_text(body.skin.embedding.farthest) +
                     " m out of the body; is it in the same coordinates as the mesh?");
    }

    /// Scaling may leave the range in which volumes are numbers.
    void check_placed(const BodyDef& def, const TetMesh& mesh) const {
        for (Index t = 0; t < mesh.n_tets(); ++t) {
            const Tet& n = mesh.tets[t];
            const double v =
                tet_volume(mesh.nodes[n[0]], mesh.nodes[n[1]], mesh.nodes[n[2]], mesh.nodes[n[3]]);
            if (!(v > 0) || !std::isfinite(v))
                throw InputError(def.origin.place,
                                 def.origin.path + ": placed, tet " +
                                     std::to_string(mesh.tet_ids[t]) + " has volume " +
                                     number_text(v) +
                                     " m^3: scale or translate leave the range of doubles");
        }
    }

    void check_placed_cloth(const BodyDef& def) const {
        if (!def.cloth) return;
        const std::vector<Vec3d>& x = model_.mesh.nodes;
        for (const Triangle& t : model_.bodies.back().cloth->triangles) {
            const double area = 0.5 * norm(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]));
            if (!(area > 0) || !std::isfinite(area))
                throw InputError(def.origin.place,
                                 def.origin.path + ": placed, a triangle has area " +
                                     number_text(area) +
                                     " m^2: scale or translate leave the range of doubles");
        }
    }

    /// Mass, centre and inertia of a rigid body where its nodes are now.
    void weigh(const BodyDef& def, Body& b) const {
        const double density =
            model_.materials[material_number_.at(def.material.value_or("default"))].density;
        b.rigid = mass_properties(model_.mesh.nodes, b.surface, density);
        const bool fine = b.rigid->mass > 0 && std::isfinite(b.rigid->mass) &&
                          determinant(b.rigid->inertia) > 0 && is_finite(inverse(b.rigid->inertia));
        if (!fine)
            throw InputError(def.origin.place, def.origin.path +
                                                   ": placed, the rigid body has a mass of " +
                                                   number_text(b.rigid->mass) +
                                                   " kg and an inertia that numbers do not hold");
    }

    void append(const BodyDef& def, const TetMesh& mesh) {
        TetMesh& all = model_.mesh;
        const std::int64_t n_tets = std::int64_t{all.n_tets()} + mesh.n_tets();
        if (n_tets > max_tets)
            throw InputError(def.origin.place, "the bodies have " + std::to_string(n_tets) +
                                                   " tets; allowed: at most " +
                                                   std::to_string(max_tets));
        Body b;
        b.name = def.name;
        b.mass = def.mass;
        b.node_begin = all.n_nodes();
        b.tet_begin = all.n_tets();
        all.nodes.insert(all.nodes.end(), mesh.nodes.begin(), mesh.nodes.end());
        all.node_ids.insert(all.node_ids.end(), mesh.node_ids.begin(), mesh.node_ids.end());
        all.tet_ids.insert(all.tet_ids.end(), mesh.tet_ids.begin(), mesh.tet_ids.end());
        for (Tet tet : mesh.tets) {
            for (Index& node : tet) node += b.node_begin;
            all.tets.push_back(tet);
        }
        for (const auto& [name, nodes] : mesh.node_groups)
            for (const Index node : nodes)
                all.node_groups[def.name + '/' + name].push_back(b.node_begin + node);
        b.node_end = all.n_nodes();
        b.tet_end = all.n_tets();
        model_.bodies.push_back(std::move(b));
    }

    void add_tet_materials(const BodyDef& def, const PlacedBody& p) {
        const Index begin = model_.bodies.back().tet_begin;
        model_.tet_material.resize(model_.mesh.tets.size(),
                                   material_number_.at(def.material.value_or("default")));
        for (const RegionDef& region : def.regions)
            for (const Index tet : tets_of(region, p))
                model_.tet_material[begin + tet] = material_number_.at(region.material);
    }

    void add_fibres(const BodyDef& def, const Placement& place) {
        const std::size_t begin = static_cast<std::size_t>(model_.bodies.back().tet_begin);
        const std::vector<TetData> fibres =
            fibres_of_body(def, placed_.back(), place, model_.materials,
                           std::span(model_.tet_material).subspan(begin));
        if (fibres.empty()) return;
        model_.tet_data.resize(begin);  // bodies before it that have none
        model_.tet_data.insert(model_.tet_data.end(), fibres.begin(), fibres.end());
    }

    static std::vector<Index> tets_of(const RegionDef& region, const PlacedBody& p) {
        if (region.select) {
            const auto tets = tets_inside(select_nodes(*region.select, p), p.mesh);
            if (tets.empty())
                throw InputError(region.origin.at("select"), region.origin.path +
                                                                 ".select holds no tet of body '" +
                                                                 p.name + "' with all four nodes");
            return tets;
        }
        const auto group = p.mesh.tet_groups.find(*region.group);
        if (group != p.mesh.tet_groups.end()) return group->second;
        const auto names = group_names(p.mesh.tet_groups);
        throw InputError(region.origin.at("group"),
                         region.origin.path + ".group = \"" + printable(*region.group) +
                             "\": body '" + p.name + "' has no such element group; allowed: " +
                             (names.empty() ? "none, the mesh has no groups" : joined(names)) +
                             did_you_mean(*region.group, names));
    }

    void add_velocities() {
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
            const BodyDef& def = scene_.bodies[i];
            Body& b = model_.bodies[i];
            Vec3d center{0, 0, 0};
            double mass = 0;
            for (Index n = b.node_begin; n < b.node_end; ++n) {
                center += model_.mass[n] * model_.mesh.nodes[n];
                mass += model_.mass[n];
            }
            center *= 1 / mass;
            if (b.rigid) {
                mass = b.rigid->mass;
                center = b.rigid->center;
                b.rigid_velocity = def.velocity;
                b.rigid_spin = def.angular_velocity;
            }
            for (Index n = b.node_begin; n < b.node_end; ++n)
                model_.initial_velocity[n] =
                    def.velocity + cross(def.angular_velocity, model_.mesh.nodes[n] - center);
            report_.bodies[i].mass = mass;
        }
    }

    // ---- pins, obstacles, probes

    void add_pin(const PinDef& def) {
        Pin pin;
        pin.label =
            "pin " + std::to_string(&def - scene_.pins.data()) + " (body '" + def.body + "')";
        const std::string_view axes = enum_names(def.axes)[static_cast<std::size_t>(def.axes)];
        for (int i = 0; i < 3; ++i) pin.axes[i] = axes.find("xyz"[i]) != std::string_view::npos;
        if (def.file) return hold_by_file(def, std::move(pin));
        pin.nodes = select_nodes(*def.select, placed(def.body));
        for (Index& node : pin.nodes) node += body(def.body).node_begin;
        if (def.motion) pin.motion = motion_of(*def.motion);
        add(def, std::move(pin));
    }
    void add(const PinDef& def, Pin pin) {
        model_.pins.push_back(std::move(pin));
        pin_entry_.push_back(static_cast<std::size_t>(&def - scene_.pins.data()));
    }

    /// Nodes that go the same way share a pin of the model: a face that is moved as one is one pin.
    void hold_by_file(const PinDef& def, Pin pin) {
        const std::string path(*def.file);
        const NodeTable table = read_node_table(path, held_columns);
        for (int i = 0; i < 3; ++i) pin.axes[i] = pin.axes[i] && table.given[i];
        if (!pin.axes[0] && !pin.axes[1] && !pin.axes[2])
            throw InputError(
                def.origin.at("axes"),
                def.origin.path + ".axes names no coordinate that has a column in " + path);
        std::map<std::array<double, 3>, std::vector<Index>> same_way;
        for (const auto& [node, row] :
             rows_of_body(table, path, placed(def.body), def.origin.path + ".file"))
            same_way[{row.value.x, row.value.y, row.value.z}].push_back(body(def.body).node_begin +
                                                                        node);
        for (auto& [u, nodes] : same_way) {
            Pin part = pin;
            part.nodes = std::move(nodes);
            if (u != std::array<double, 3>{})
                part.motion.translate = way_to({u[0], u[1], u[2]}, def);
            add(def, std::move(part));
        }
    }

    /// Along the key frames, in a static analysis without them as the loads grow, else at once.
    Track<Vec3d> way_to(const Vec3d& u, const PinDef& def) const {
        if (!def.times && model_.load_ramp > 0) return {{0, model_.load_ramp}, {{}, u}};
        if (!def.times) return {{0}, {u}};
        Track<Vec3d> track{*def.times, {}};
        for (const double factor : *def.scale) track.values.push_back(factor * u);
        return track;
    }

    /// Node by node; velocities beside those of the whole body.
    void add_initial_state(const BodyDef& def) {
        const auto add = [&](const std::optional<FilePath>& file, const NodeColumns& columns,
                             const char* key, std::vector<Vec3d>& values) {
            if (!file) return;
            const Index first = body(def.name).node_begin;
            const std::string path(*file);
            const NodeTable table = read_node_table(path, columns);
            for (const auto& [node, row] :
                 rows_of_body(table, path, placed(def.name), def.origin.path + '.' + key))
                values[first + node] += row.value;
        };
        add(def.displacement_file, displacement_columns, "displacement_file",
            model_.initial_displacement);
        add(def.velocity_file, velocity_columns, "velocity_file", model_.initial_velocity);
    }

    /// A coordinate held by two pins is fine while both stand still (S15).
    void check_pins() const {
        std::vector<std::array<int, 3>> holder(model_.mesh.nodes.size(), {-1, -1, -1});
        for (std::size_t p = 0; p < model_.pins.size(); ++p) {
            const Pin& pin = model_.pins[p];
            for (const Index node : pin.nodes)
                for (int axis = 0; axis < 3; ++axis) {
                    if (!pin.axes[axis]) continue;
                    const int other = std::exchange(holder[node][axis], static_cast<int>(p));
                    if (other >= 0 && (!pin.motion.still() || !model_.pins[other].motion.still()))
                        fail_shared_node(node, axis, static_cast<std::size_t>(other), p);
                }
        }
    }
    [[noreturn]] void fail_shared_node(Index node, int axis, std::size_t first,
                                       std::size_t second) const {
        const Origin &a = scene_.pins[pin_entry_[first]].origin,
                     &b = scene_.pins[pin_entry_[second]].origin;
        throw InputError(b.place, "node " + std::to_string(model_.mesh.node_ids[node]) +
                                      " of body '" + model_.body_of_node(node).name +
                                      "' is held along " + "xyz"[axis] + " by " + a.path +
                                      " (line " + std::to_string(a.place.line) + ") and " + b.path +
                                      " (line " + std::to_string(b.place.line) +
                                      "), and one of them moves; allowed: one pin for a "
                                      "coordinate that moves");
    }

    void add_probe(const ProbeDef& def) {
        Probe probe;
        probe.name = def.name;
        const Body& b = body(def.body);
        if (def.select) {
            probe.nodes = select_nodes(*def.select, placed(def.body));
            for (Index& node : probe.nodes) node += b.node_begin;
        } else {
            for (Index n = b.node_begin; n < b.node_end; ++n) probe.nodes.push_back(n);
        }
        model_.probes.push_back(std::move(probe));
    }

    /// Names that the checks have found to be of a body or an obstacle, and one of them of a body.
    void ignore_contact(const std::array<std::string, 2>& names) {
        std::vector<Index> bodies, obstacles;
        for (const std::string& name : names) {
            for (std::size_t i = 0; i < model_.bodies.size(); ++i)
                if (model_.bodies[i].name == name) bodies.push_back(static_cast<Index>(i));
            for (std::size_t i = 0; i < model_.obstacles.size(); ++i)
                if (model_.obstacles[i].name == name) obstacles.push_back(static_cast<Index>(i));
        }
        if (bodies.size() == 2)
            model_.contact_filter.ignore_bodies(bodies[0], bodies[1]);
        else
            model_.contact_filter.ignore_obstacle(bodies[0], obstacles[0]);
    }

    // ---- what a user should know

    /// What would go wrong in the first steps.
    void check_start() {
        const Warn say = [this](const SourcePlace& place, const std::string& text) {
            warn(place, text);
        };
        if (scene_.contact.separate) {
            separate_bodies(scene_, model_, say);
            for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
                Body& b = model_.bodies[i];
                report_.bodies[i].box = bounding_box(
                    std::span(model_.mesh.nodes).subspan(b.node_begin, b.node_end - b.node_begin));
                if (b.rigid) weigh(scene_.bodies[i], b);
            }
        } else {
            warn_about_overlaps(scene_, model_, say);
        }
        check_obstacles(scene_, model_, say);
        if (const ContactEntry& contact = contact_entry(scene_.contact.options.name);
            contact.check_model)
            contact.check_model(scene_, model_);
        warn_about_weight(scene_, model_, say);
        warn_about_locking(scene_, model_, say);
        warn_about_speed(scene_, model_, say);
        warn_about_self(scene_, model_, say);
        warn_about_step(scene_, model_, say);
        warn_about_precision(scene_, model_, say);
    }

    void finish_report() {
        bool all_fixed = true;
        for (Index i = 0; i < model_.n_nodes(); ++i)
            all_fixed = all_fixed && model_.free[i] == Vec3d{0, 0, 0} && !model_.is_rigid(i);
        if (all_fixed)
            warn(scene_.origin.at("pin"), "every node is fixed: nothing is left to solve");
        for (std::size_t i = 0; i < report_.bodies.size(); ++i) check_units(i);
    }

    /// Sizes and wave speeds that hint at a wrong unit.
    void check_units(std::size_t i) {
        const BodyDef& def = scene_.bodies[i];
        const double size = norm(report_.bodies[i].box.size());
        if (size > 1e4 || size < 1e-5)
            warn(def.origin.place,
                 def.origin.path + " is " + number_text(size) +
                     " m across: is the mesh in another unit? (scale = \"1 mm\")");
        double fastest = 0;
        for (Index t = model_.bodies[i].tet_begin; t < model_.bodies[i].tet_end; ++t) {
            const Material& m = model_.materials[model_.tet_material[t]];
            const Lame lame = small_strain(m);
            const double modulus = lame.lambda + 2 * lame.mu + added_stiffness(m);
            fastest = std::max(fastest, std::sqrt(modulus / m.density));
        }
        if (const auto& cloth = model_.bodies[i].cloth) {
            const Material& m = model_.materials[cloth->material];
            fastest = std::sqrt(small_strain(m).young() / m.density);
        }
        // An implicit step damps what passes many times within it.
        const double crossings = model_.h * fastest / size;
        if (crossings > 100)
            warn(def.origin.place,
                 def.origin.path + ": pressure waves (" + number_text(std::round(fastest)) +
                     " m/s) cross the body " + number_text(std::round(crossings)) +
                     " times a step: vibrations are damped away; check young, density and size");
    }

    const SceneDef& scene_;
    const BuildOptions& options_;
    BuildReport& report_;
    Model model_;
    std::vector<PlacedBody> placed_;  // one per body
    std::map<std::string, Index> material_number_;
    std::vector<std::size_t> pin_entry_;  // per pin of the model: the [[pin]] it comes from
};

}  // namespace

std::vector<Obstacle> make_obstacles(const SceneDef& scene, std::vector<std::string>& warnings) {
    std::vector<Obstacle> obstacles;
    for (const ObstacleDef& def : scene.obstacles) {
        Obstacle o;
        o.name = def.name ? std::string(*def.name) : "obstacle " + std::to_string(obstacles.size());
        o.shape = make_obstacle_shape(def, scene, warnings);
        o.position = def.position;
        if (def.rotate) o.orientation = rotation_of(*def.rotate, def.origin);
        if (def.motion) o.motion = motion_of(*def.motion);
        o.friction = def.friction.value_or(-1);
        obstacles.push_back(std::move(o));
    }
    for (const NeedleDef& def : scene.needles) obstacles.push_back(drawn_needle(def));
    return obstacles;
}

void BuildReport::warn(const SourcePlace& place, const std::string& text) {
    std::string where = place.file;
    if (place.line > 0) where += ':' + std::to_string(place.line);
    warnings.push_back((where.empty() ? "" : where + ": ") + text);
}

Model build_model(const SceneDef& scene, BuildReport& report, const BuildOptions& options) {
    return Builder(scene, options, report).build();
}

}  // namespace limber
