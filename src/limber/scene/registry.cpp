// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/registry.h"

#include <cmath>
#include <utility>
#include <vector>

#include "limber/contact/methods/none.h"
#include "limber/gpu/device.h"
#include "limber/gpu/steppers.h"
#include "limber/scene/check/solvers.h"
#include "limber/scene/entry_list.h"
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

/// The factor holds contact blocks only where the user asks for it.
bool explicit_contact(const AnyOptions& options) {
    return !options.as<WarpCancelingOptions>().linearise;
}
bool never_updates(const AnyOptions& options) {
    const auto& o = options.as<WarpCancelingOptions>();
    return o.schedule == ScheduleKind::time && o.budget_ms == 0;
}

bool has_factor(const AnyOptions& options) {
    return options.as<CorotationalOptions>().linear == LinearKind::supernodal;
}
bool always(const AnyOptions&) {
    return true;
}
double& newton_tolerance(AnyOptions& options) {
    return options.as<NewtonOptions>().rel_tolerance;
}
bool newton_has_factor(const AnyOptions& options) {
    return options.as<NewtonOptions>().linear.method == LinearMethod::supernodal;
}

bool descent_needs_inertia(const AnyOptions& options) {
    const auto& o = options.as<DescentOptions>();
    return o.direction != DirectionKind::newton_cg && o.rel_tolerance == 0;
}
bool descent_in_floats(const AnyOptions& options) {
    const auto& o = options.as<DescentOptions>();
    return o.precision == Precision::single && o.direction != DirectionKind::newton_cg;
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

/// Scenes have another name in its place before anything is made (scene/automatic.h).
std::unique_ptr<Stepper> make_automatic(const Model&, const AnyOptions&) {
    throw InputError("solver.kind = \"auto\" was not resolved");
}

std::vector<StepperEntry> stepper_table() {
    return {
        {.options = option_case<NoOptions>(
             "auto", "what suits law, size, contact and step; the run says which"),
         .make = make_automatic,
         .family = SolverFamily::linearly_implicit,
         .open = true},
        {.options = option_case<CorotationalOptions>("corotational",
                                                     "linearly implicit corotation; PCG or direct"),
         .make = make<CorotationalStepper>,
         .check = check_corotational,
         .family = SolverFamily::linearly_implicit,
         .has_compliance = has_factor},
        {.options = option_case<CorotationalOptions, cholesky_defaults>(
             "cholesky", "the same with a full factorisation every step: the reference"),
         .make = make<CorotationalStepper>,
         .check = check_cholesky,
         .family = SolverFamily::linearly_implicit,
         .has_compliance = has_factor},
        {.options = option_case<WarpCancelingOptions>(
             "warp_canceling",
             "a factor kept over steps and turned with the nodes, then CG; Hecht et al. 2012"),
         .make = make<WarpCancelingStepper>,
         .family = SolverFamily::linearly_implicit,
         .explicit_contact = explicit_contact,
         .has_compliance = always,
         .keeps_factor_for_good = never_updates},
        {.options = option_case<WarpCancelingOptions, stiffness_warping_defaults>(
             "stiffness_warping", "the same without updates, damped"),
         .make = make<WarpCancelingStepper>,
         .family = SolverFamily::linearly_implicit,
         .explicit_contact = explicit_contact,
         .has_compliance = always,
         .keeps_factor_for_good = never_updates},
        {.options = option_case<AsyncOptions>(
             "async",
             "conjugate gradients with a factor made beside; Zeng et al. 2022, section 3.4"),
         .make = make<AsyncStepper>,
         .family = SolverFamily::linearly_implicit,
         .has_compliance = always},
        {.options =
             option_case<NewtonOptions>("newton", "the minimum of each step, by Newton's method"),
         .make = make<NewtonStepper>,
         .has_compliance = newton_has_factor,
         .tolerance = newton_tolerance},
        {.options = option_case<DescentOptions>(
             "descent", "the same in a fixed number of cheap iterations; Wang & Yang 2016"),
         .make = make<DescentStepper>,
         .check = check_descent,
         .needs_inertia = descent_needs_inertia,
         .in_floats = descent_in_floats,
         .tunable = true,
         .device = descent_on_device},
        {.options = option_case<DescentOptions, quasi_newton_defaults>(
             "quasi_newton", "descent by L-BFGS from a constant factor, any law; Liu et al. 2017"),
         .make = make<DescentStepper>,
         .check = check_descent,
         .needs_inertia = descent_needs_inertia,
         .in_floats = descent_in_floats},
        {.options = option_case<DescentOptions, projective_dynamics_defaults>(
             "projective_dynamics", "descent by a constant factor; Bouaziz et al. 2014"),
         .make = make<DescentStepper>,
         .check = check_projective_dynamics,
         .laws = {{ProjectiveElastic::name},
                  "whose steps need energies that are squared distances",
                  "solver.kind = \"descent\""},
         .needs_inertia = descent_needs_inertia,
         .in_floats = descent_in_floats,
         .tunable = true},
        {.options =
             option_case<FastCorotatedOptions>("fast_corotated",
                                               "corotated laws by a constant factor and rotations "
                                               "beside it; Kugelstadt et al. 2018"),
         .make = make<FastCorotatedStepper>,
         .check = check_fast_corotated,
         .laws = {{CorotatedElastic::name, ProjectiveElastic::name},
                  "which needs a term that is the squared distance to a rotation",
                  "a solver for any law such as \"quasi_newton\""},
         .needs_inertia = splitting_needs_inertia},
        {.options = option_case<VertexBlockOptions>(
             "vertex_block_descent",
             "the same node by node, coloured Gauss-Seidel; Chen et al. 2024"),
         .make = make<VertexBlockStepper>,
         .needs_inertia = sweeps_need_inertia,
         .device = vertex_blocks_on_device},
        {.options = option_case<XpbdOptions>(
             "xpbd", "small steps of position based dynamics: a baseline; Macklin 2019"),
         .make = make<XpbdStepper>,
         .check = check_xpbd,
         .family = SolverFamily::position_based,
         .laws = {{CorotatedElastic::name, NeoHookean::name},
                  "which needs laws that are two squared constraints a tet",
                  "a solver that minimises such as \"newton\""}},
    };
}

EntryList<StepperEntry>& stepper_list() {
    static EntryList<StepperEntry> list(stepper_table());
    return list;
}

}  // namespace

std::span<const StepperEntry> steppers() {
    return stepper_list().entries();
}
std::span<const OptionCase> stepper_cases() {
    return stepper_list().cases();
}
const StepperEntry& stepper_entry(std::string_view name) {
    return stepper_list().of(name);
}
void add_stepper(const StepperEntry& entry) {
    stepper_list().add(entry);
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
    const StepperEntry& entry = stepper_entry(options.name);
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
    const StepperEntry& entry = stepper_entry(options.name);
    if (scene.device == DeviceKind::cpu) return entry.make(model, options);
    LIMBER_CHECK(entry.device, "check_scene() refuses solvers without a form for the device");
    return entry.device->make(model, options);
}
std::unique_ptr<ContactMethod> make_contact(const SceneDef& scene, const Model& model) {
    if (scene.time.analysis == Analysis::modal) return std::make_unique<NoContact>();
    AnyOptions options = scene.contact.options;
    const ContactEntry& entry = contact_entry(options.name);
    if (entry.follows_solver && entry.follows_solver(options))
        entry.follow(options, has_explicit_contact(scene));
    return entry.make(options, model);
}
bool has_explicit_contact(const SceneDef& scene) {
    const AnyOptions& options = scene.solver.options;
    const StepperEntry& entry = stepper_entry(options.name);
    return entry.explicit_contact && entry.explicit_contact(options);
}
bool has_compliance(const SceneDef& scene) {
    const AnyOptions& options = scene.solver.options;
    const StepperEntry& entry = stepper_entry(options.name);
    return entry.has_compliance && entry.has_compliance(options);
}
void check_solver(const SceneDef& scene, ErrorList& errors) {
    const StepperEntry& entry = stepper_entry(scene.solver.options.name);
    errors.run([&] { check_integrator(scene, entry); });
    errors.run([&] { check_laws_taken(scene, entry); });
    errors.run([&] {
        if (entry.check) entry.check(scene);
    });
    errors.run([&] { check_contact_goes_with(scene, entry); });
    errors.run([&] { check_static_contact(scene); });
    errors.run([&] { check_device_form(scene, entry); });
}

}  // namespace limber
