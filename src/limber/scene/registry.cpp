// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/registry.h"

#include <cmath>
#include <utility>
#include <vector>

#include "limber/contact/methods/lagrange.h"
#include "limber/contact/methods/none.h"
#include "limber/contact/methods/penalty.h"
#include "limber/contact/methods/projection.h"
#include "limber/contact/methods/repulsion.h"
#include "limber/gpu/device.h"
#include "limber/gpu/steppers.h"
#include "limber/scene/automatic.h"
#include "limber/scene/build/mesh_obstacle.h"
#include "limber/scene/check/solvers.h"
#include "limber/scene/format/error_list.h"
#include "limber/scene/scene_def.h"
#include "limber/solve/async.h"
#include "limber/solve/corotational.h"
#include "limber/solve/descent/descent.h"
#include "limber/solve/modal.h"
#include "limber/solve/newton/newton.h"
#include "limber/solve/splitting/fast_corotated.h"
#include "limber/solve/vertex_block_descent.h"
#include "limber/solve/warp_canceling/warp_canceling.h"
#include "limber/solve/xpbd.h"

namespace limber {

namespace {

// ---- solvers

template <class S>
std::unique_ptr<Stepper> make(const Model& model, const AnyOptions& options) {
    return std::make_unique<S>(model, options.as<typename S::Options>());
}

CorotationalOptions cholesky_defaults() {
    CorotationalOptions options;
    options.linear = LinearKind::supernodal;
    return options;
}

WarpCancelingOptions stiffness_warping_defaults() {
    WarpCancelingOptions options;
    options.schedule = ScheduleKind::time;  // with no budget
    options.refine = 0;
    options.precision = FactorPrecision::double_precision;
    options.node_rotations = NodeRotationKind::horn;
    options.damping = DampingKind::rigid;
    return options;
}

void check_nothing(const SceneDef&) {}

/// The factor holds contact blocks only where the user asks for it.
bool explicit_contact(const AnyOptions& options) {
    return !options.as<WarpCancelingOptions>().linearise;
}

bool has_factor(const AnyOptions& options) {
    return options.as<CorotationalOptions>().linear == LinearKind::supernodal;
}
bool always_has_factor(const AnyOptions&) {
    return true;
}
bool newton_has_factor(const AnyOptions& options) {
    return options.as<NewtonOptions>().linear.method == LinearMethod::supernodal;
}

bool descent_needs_inertia(const AnyOptions& options) {
    const auto& o = options.as<DescentOptions>();
    return o.direction != DirectionKind::newton_cg && o.rel_tolerance == 0;
}
bool sweeps_need_inertia(const AnyOptions& options) {
    return options.as<VertexBlockOptions>().rel_tolerance == 0;
}

bool splitting_needs_inertia(const AnyOptions& options) {
    const auto& o = options.as<FastCorotatedOptions>();
    return o.scheme == SplittingScheme::split || o.rel_tolerance == 0;
}

DescentOptions projective_dynamics_defaults() {
    DescentOptions options;
    options.direction = DirectionKind::projective;
    options.acceleration = AccelerationKind::none;
    options.precision = Precision::twofold;
    options.iterations = 10;
    return options;
}

DescentOptions quasi_newton_defaults() {
    DescentOptions options;
    options.direction = DirectionKind::lbfgs;
    options.initial_matrix = InitialMatrix::constant;
    options.iterations = 32;
    return options;
}

std::string settle_descent(const Origin& given, AnyOptions& options) {
    auto& o = options.as<DescentOptions>();
    if (given.has("direction") || gpu::descent_conflict(o).empty()) return {};
    const DirectionKind before = std::exchange(o.direction, DirectionKind::block_jacobi);
    return "solver.direction = \"block_jacobi\": device = \"cuda\" does not have \"" +
           std::string(enum_names(before)[static_cast<std::size_t>(before)]) + "\", the default";
}
constexpr DeviceForm descent_on_device = {
    [](const Model& model, const AnyOptions& options) {
        return gpu::make_descent(model, options.as<DescentOptions>());
    },
    [](const AnyOptions& options) { return gpu::descent_conflict(options.as<DescentOptions>()); },
    [](const Model& model, const AnyOptions& options) {
        return gpu::descent_conflict(model, options.as<DescentOptions>());
    },
    settle_descent};
constexpr DeviceForm vertex_blocks_on_device = {
    [](const Model& model, const AnyOptions& options) {
        return gpu::make_vertex_block_descent(model, options.as<VertexBlockOptions>());
    },
    [](const AnyOptions& options) {
        return gpu::vertex_block_conflict(options.as<VertexBlockOptions>());
    },
    [](const Model& model, const AnyOptions& options) {
        return gpu::vertex_block_conflict(model, options.as<VertexBlockOptions>());
    }};

struct NoOptions {};
template <class Visitor>
void fields(Visitor&, NoOptions&) {}

/// Scenes have another name in its place before anything is made (scene/automatic.h).
std::unique_ptr<Stepper> make_automatic(const Model&, const AnyOptions&) {
    throw InputError("solver.kind = \"auto\" was not resolved");
}

const StepperEntry stepper_table[] = {
    {option_case<NoOptions>("auto", "what suits law, size, contact and step; the run says which"),
     make_automatic, check_nothing, SolverFamily::linearly_implicit},
    {option_case<CorotationalOptions>("corotational",
                                      "linearly implicit corotation; PCG or direct"),
     make<CorotationalStepper>, check_corotational, SolverFamily::linearly_implicit, nullptr,
     has_factor},
    {option_case<CorotationalOptions, cholesky_defaults>(
         "cholesky", "the same with a full factorisation every step: the reference"),
     make<CorotationalStepper>, check_corotational, SolverFamily::linearly_implicit, nullptr,
     has_factor},
    {option_case<WarpCancelingOptions>(
         "warp_canceling",
         "a factor kept over steps and turned with the nodes, then CG; Hecht et al. 2012"),
     make<WarpCancelingStepper>, check_nothing, SolverFamily::linearly_implicit, explicit_contact,
     always_has_factor},
    {option_case<WarpCancelingOptions, stiffness_warping_defaults>(
         "stiffness_warping", "the same without updates, damped"),
     make<WarpCancelingStepper>, check_nothing, SolverFamily::linearly_implicit, explicit_contact,
     always_has_factor},
    {option_case<AsyncOptions>(
         "async", "conjugate gradients with a factor made beside; Zeng et al. 2022, section 3.4"),
     make<AsyncStepper>, check_nothing, SolverFamily::linearly_implicit, nullptr,
     always_has_factor},
    {option_case<NewtonOptions>("newton", "the minimum of each step, by Newton's method"),
     make<NewtonStepper>, check_nothing, SolverFamily::minimising, nullptr, newton_has_factor},
    {option_case<DescentOptions>(
         "descent", "the same in a fixed number of cheap iterations; Wang & Yang 2016"),
     make<DescentStepper>, check_descent, SolverFamily::minimising, nullptr, nullptr,
     descent_needs_inertia, descent_on_device},
    {option_case<DescentOptions, quasi_newton_defaults>(
         "quasi_newton", "descent by L-BFGS from a constant factor, any law; Liu et al. 2017"),
     make<DescentStepper>, check_descent, SolverFamily::minimising, nullptr, nullptr,
     descent_needs_inertia},
    {option_case<DescentOptions, projective_dynamics_defaults>(
         "projective_dynamics", "descent by a constant factor; Bouaziz et al. 2014"),
     make<DescentStepper>, check_projective_dynamics, SolverFamily::minimising, nullptr, nullptr,
     descent_needs_inertia},
    {option_case<FastCorotatedOptions>("fast_corotated",
                                       "corotated laws by a constant factor and rotations beside "
                                       "it; Kugelstadt et al. 2018"),
     make<FastCorotatedStepper>, check_fast_corotated, SolverFamily::minimising, nullptr, nullptr,
     splitting_needs_inertia},
    {option_case<VertexBlockOptions>(
         "vertex_block_descent", "the same node by node, coloured Gauss-Seidel; Chen et al. 2024"),
     make<VertexBlockStepper>, check_nothing, SolverFamily::minimising, nullptr, nullptr,
     sweeps_need_inertia, vertex_blocks_on_device},
    {option_case<XpbdOptions>("xpbd",
                              "small steps of position based dynamics: a baseline; Macklin 2019"),
     make<XpbdStepper>, check_xpbd, SolverFamily::position_based},
};

// ---- contact

const ContactEntry contact_table[] = {
    {option_case<AutomaticContactOptions>(
         "auto", "constraints where the solver has a factor, else penalty"),
     [](const AnyOptions&, const Model&) -> std::unique_ptr<ContactMethod> {
         throw InputError("contact.method = \"auto\" was not resolved");
     }},
    {option_case<NoOptions>("none", "bodies pass through obstacles"),
     [](const AnyOptions&, const Model&) -> std::unique_ptr<ContactMethod> {
         return std::make_unique<NoContact>();
     }},
    {option_case<PenaltyOptions>("penalty", "springs and Coulomb friction at surface nodes"),
     [](const AnyOptions& options, const Model&) -> std::unique_ptr<ContactMethod> {
         return std::make_unique<PenaltyContact>(options.as<PenaltyOptions>());
     }},
    {option_case<ProjectionOptions>(
         "projection", "surface nodes put back onto obstacles after each step, with friction"),
     [](const AnyOptions& options, const Model&) -> std::unique_ptr<ContactMethod> {
         return std::make_unique<ProjectionContact>(options.as<ProjectionOptions>());
     }},
    {option_case<RepulsionOptions>("repulsion",
                                   "repulsive energies for minimising solvers, without friction"),
     [](const AnyOptions& options, const Model&) -> std::unique_ptr<ContactMethod> {
         return std::make_unique<RepulsionContact>(options.as<RepulsionOptions>());
     }},
    {option_case<LagrangeOptions>(
         "lagrange", "no penetration and Coulomb friction as constraints; Zeng et al. 2022"),
     [](const AnyOptions& options, const Model& model) -> std::unique_ptr<ContactMethod> {
         return std::make_unique<LagrangeContact>(options.as<LagrangeOptions>(),
                                                  make_joints(model.joints));
     }},
};

// ---- shapes of obstacles

struct PlaneDef {
    std::optional<Vec3d> normal;
};
template <class Visitor>
void fields(Visitor& field, PlaneDef& o) {
    field("normal", o.normal, any_value(),
          "out of the solid, any length; the scene's up axis where nothing is given");
}
struct SphereDef {
    double radius = 0;
};
template <class Visitor>
void fields(Visitor& field, SphereDef& o) {
    field("radius", o.radius, required(positive(Unit::length)), "of the sphere");
}
struct BoxDef {
    Vec3d size{1, 1, 1};
};
template <class Visitor>
void fields(Visitor& field, BoxDef& o) {
    field("size", o.size, required(positive(Unit::length)), "full extent along x, y, z");
}
struct CylinderDef {
    double radius = 0, height = 0;
};
template <class Visitor>
void fields(Visitor& field, CylinderDef& o) {
    field("radius", o.radius, required(positive(Unit::length)), "of the cylinder");
    field("height", o.height, required(positive(Unit::length)), "along y before it is rotated");
}
struct TorusDef {
    double radius = 0, tube = 0;
};
template <class Visitor>
void fields(Visitor& field, TorusDef& o) {
    field("radius", o.radius, required(positive(Unit::length)),
          "of the ring, to the middle of the tube; its axis is y before it is rotated");
    field("tube", o.tube, required(positive(Unit::length)), "radius of the tube");
}

const ObstacleEntry obstacle_table[] = {
    {option_case<PlaneDef>("plane", "a half space"),
     [](const ObstacleDef& o, const SceneDef& scene, std::vector<std::string>&) -> ObstacleShape {
         const Vec3d up = scene.up == UpAxis::y ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
         const Vec3d n = o.shape.as<PlaneDef>().normal.value_or(up);
         if (!(norm(n) > 0) || !std::isfinite(norm(n)))
             throw InputError(o.origin.at("normal"),
                              o.origin.path + ".normal = [" + number_text(n.x) + ", " +
                                  number_text(n.y) + ", " + number_text(n.z) +
                                  "]; allowed: a finite vector that is not zero");
         return PlaneShape{(1 / norm(n)) * n};
     }},
    {option_case<SphereDef>("sphere", "a ball"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>&) -> ObstacleShape {
         return SphereShape{o.shape.as<SphereDef>().radius};
     }},
    {option_case<BoxDef>("box", "a box"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>&) -> ObstacleShape {
         return BoxShape{0.5 * o.shape.as<BoxDef>().size};
     }},
    {option_case<CylinderDef>("cylinder", "a cylinder along y"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>&) -> ObstacleShape {
         const auto& c = o.shape.as<CylinderDef>();
         return CylinderShape{c.radius, 0.5 * c.height};
     }},
    {option_case<TorusDef>("torus", "a ring about y"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>&) -> ObstacleShape {
         const auto& t = o.shape.as<TorusDef>();
         return TorusShape{t.radius, t.tube};
     }},
    {option_case<MeshObstacleDef>("mesh", "a closed triangle surface from a file"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>& remarks) {
         return mesh_obstacle(o, remarks);
     },
     true},
};

template <class Entry>
std::vector<OptionCase> cases_of(std::span<const Entry> table) {
    std::vector<OptionCase> out;
    for (const Entry& entry : table) out.push_back(entry.options);
    return out;
}
template <class Entry>
const Entry& entry_of(std::span<const Entry> table, std::string_view name) {
    for (const Entry& entry : table)
        if (entry.options.name == name) return entry;
    throw Bug("no registry entry '" + std::string(name) + "'");
}

}  // namespace

std::span<const StepperEntry> steppers() {
    return stepper_table;
}
const StepperEntry& stepper_entry(std::string_view name) {
    return entry_of(steppers(), name);
}
std::span<const ContactEntry> contact_methods() {
    return contact_table;
}
std::span<const ObstacleEntry> obstacle_shapes() {
    return obstacle_table;
}
std::span<const OptionCase> stepper_cases() {
    static const std::vector<OptionCase> cases = cases_of(steppers());
    return cases;
}
std::span<const OptionCase> contact_cases() {
    static const std::vector<OptionCase> cases = cases_of(contact_methods());
    return cases;
}
std::span<const OptionCase> obstacle_cases() {
    static const std::vector<OptionCase> cases = cases_of(obstacle_shapes());
    return cases;
}

void require_device(const SceneDef& scene) {
    if (scene.device == DeviceKind::cpu) return;
    const gpu::Device device = gpu::device();
    if (gpu::has_kernels() && device.found) return;
    const std::string missing = !device.missing.empty() ? device.missing
                                : gpu::has_kernels()    ? "no graphics card was found"
                                                        : "this limber was built without kernels";
    throw InputError(scene.origin.at("device"),
                     "device = \"cuda\": " + missing +
                         "; allowed: device = \"cpu\" (limber doctor tells what is there)");
}
void check_device(const SceneDef& scene, const Model& model) {
    const AnyOptions& options = scene.solver.options;
    const StepperEntry& entry = entry_of(steppers(), options.name);
    if (scene.device == DeviceKind::cpu || !entry.device) return;
    const std::string conflict = entry.device->model_conflict(model, options);
    if (conflict.empty()) return;
    throw InputError(scene.origin.at("device"),
                     "device = \"cuda\" cannot go with this scene: " + or_on_the_cpu(conflict));
}

std::unique_ptr<Stepper> make_stepper(const SceneDef& scene, const Model& model) {
    const AnyOptions& options = scene.solver.options;
    require_device(scene);
    check_device(scene, model);
    if (scene.time.analysis == Analysis::modal)
        return std::make_unique<ModalStepper>(model, static_cast<int>(*scene.time.modes));
    const StepperEntry& entry = entry_of(steppers(), options.name);
    if (scene.device == DeviceKind::cpu) return entry.make(model, options);
    LIMBER_CHECK(entry.device, "check_scene() refuses solvers without a form for the device");
    return entry.device->make(model, options);
}
std::unique_ptr<ContactMethod> make_contact(const SceneDef& scene, const Model& model) {
    if (scene.time.analysis == Analysis::modal) return std::make_unique<NoContact>();
    AnyOptions options = scene.contact.options;
    const StepperEntry& stepper = entry_of(steppers(), scene.solver.options.name);
    if (options.name == "penalty") {
        PenaltyForm& form = options.as<PenaltyOptions>().form;
        const bool wants_explicit =
            stepper.explicit_contact && stepper.explicit_contact(scene.solver.options);
        if (form == PenaltyForm::automatic)
            form = wants_explicit ? PenaltyForm::explicit_form : PenaltyForm::implicit_form;
    }
    return entry_of(contact_methods(), options.name).make(options, model);
}
ObstacleShape make_obstacle_shape(const ObstacleDef& obstacle, const SceneDef& scene,
                                  std::vector<std::string>& remarks) {
    return entry_of(obstacle_shapes(), obstacle.shape.name).make(obstacle, scene, remarks);
}
void check_obstacle_shape(const ObstacleDef& obstacle, const SceneDef& scene) {
    const ObstacleEntry& entry = entry_of(obstacle_shapes(), obstacle.shape.name);
    std::vector<std::string> unused;
    if (!entry.reads_a_file) entry.make(obstacle, scene, unused);
}
/// Energies that begin and end within a step are for solvers that look at them more than once.
void check_repulsion(const SceneDef& scene, const StepperEntry& entry) {
    if (scene.contact.options.name != "repulsion" || scene.time.analysis == Analysis::modal) return;
    if (entry.family == SolverFamily::minimising) return;
    throw InputError(scene.contact.origin.at("method"),
                     "contact.method = \"repulsion\" cannot go with solver.kind = \"" +
                         scene.solver.options.name +
                         "\", which does not minimise an energy; allowed: \"penalty\", or a solver "
                         "such as \"newton\" or \"descent\"");
}

/// Constraints need A⁻¹.
void check_compliance(const SceneDef& scene, const StepperEntry& entry) {
    const AnyOptions& options = scene.solver.options;
    if (scene.contact.options.name != "lagrange" || scene.time.analysis == Analysis::modal) return;
    if (scene.time.analysis == Analysis::dynamic &&
        scene.time.integrator == DynamicIntegrator::trapezoid)
        throw InputError(scene.time.origin.at("integrator"),
                         "time.integrator = \"trapezoid\" cannot go with contact.method = "
                         "\"lagrange\", whose impulses act at the end of a step; allowed: "
                         "integrator = \"backward_euler\"");
    if (entry.has_compliance && entry.has_compliance(options)) return;
    std::string others;
    for (const StepperEntry& other : steppers())
        if (other.has_compliance &&
            other.has_compliance({std::string(other.options.name), other.options.defaults()}))
            others += (others.empty() ? "\"" : ", \"") + std::string(other.options.name) + '"';
    throw InputError(scene.contact.origin.at("method"),
                     "contact.method = \"lagrange\" cannot go with solver.kind = \"" +
                         options.name +
                         "\" and its options: it needs a solver that factorises its matrix; "
                         "allowed: solver.kind = " +
                         others);
}

void check_solver(const SceneDef& scene, ErrorList& errors) {
    const StepperEntry& entry = entry_of(steppers(), scene.solver.options.name);
    errors.run([&] { check_integrator(scene, entry); });
    errors.run([&] { entry.check(scene); });
    errors.run([&] { check_compliance(scene, entry); });
    errors.run([&] { check_repulsion(scene, entry); });
    errors.run([&] { check_static_contact(scene); });
    errors.run([&] { check_device_form(scene, entry); });
}

}  // namespace limber
