// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/descent/stepper.h"

#include <algorithm>
#include <limits>

#include "limber/core/history.h"
#include "limber/gpu/descent/elements.h"
#include "limber/gpu/steppers.h"
#include "limber/solve/descent/acceleration.h"
#include "limber/solve/descent/descent.h"
#include "limber/solve/descent/step_length.h"
#include "limber/solve/model.h"

namespace limber::gpu {

namespace {

/// A hundredth of the typical edge, as power iteration on the CPU takes it [m].
double probe_length(const Model& model) {
    double size = 0;
    for (const auto& tet : model.mesh.tets)
        size += norm(model.mesh.nodes[tet[1]] - model.mesh.nodes[tet[0]]);
    return size * 0.01 / std::max<Index>(model.n_tets(), 1);
}

}  // namespace

DescentSetup descent_setup(const Model& model, const DescentOptions& options) {
    DescentSetup out;
    const AccelerationKind acceleration = acceleration_kind(options);
    out.rules = {options.check_every, options.rel_tolerance,
                 acceleration == AccelerationKind::nesterov};
    out.iterations = options.iterations;
    out.refresh = options.refresh;
    if (options.direction == DirectionKind::block_jacobi) out.method = DescentMethod::block_jacobi;
    out.at_start = options.initial == InitialKind::position;
    out.probe = probe_length(model);
    out.n_tets = model.n_tets();
    out.rho = options.rho.empty() ? std::vector<double>{0} : options.rho;
    out.phase_end = phase_ends(options);
    DescentControl& control = out.control;
    control.momentum.kind = acceleration;
    control.momentum.chebyshev.n_ends = static_cast<int>(out.phase_end.size());
    control.momentum.chebyshev.warm_up = options.warm_up;
    control.length = make_length_rule(options, 1);
    control.unit = options.precision == Precision::single ? std::numeric_limits<float>::epsilon()
                                                          : std::numeric_limits<double>::epsilon();
    return out;
}

DescentOnDevice::DescentOnDevice(const Model& model, const DescentOptions& options,
                                 std::unique_ptr<DescentRun> run, const DescentSetup& setup)
    : DeviceStepper(model, {options.initial, options.eta}, std::move(run), setup),
      max_step_(options.max_step),
      knot_(model, options.untangle) {}

/// As look_for_stuck() does, with energies that the device has summed up.
void DescentOnDevice::look_for_knots(const StepInput& in, std::int64_t step, StepReport& report) {
    const bool converted = control_.now_converted;
    if (!knot_.quiet().add(converted, converted ? control_.begin_elastic : 0,
                           converted ? control_.end_elastic : 0))
        return;
    const std::vector<double> held = run_->interpolants(false);
    report.set(StepFlag::stuck, held_body(held));
    knot_.prepare(in, held, step);
}

template <class List, class Self>
void DescentOnDevice::list_history(List& list, Self& self) {
    list_length_history(list, self.control_.length);
    list.number("descent.caution", self.control_.momentum.chebyshev.caution);
    list_kept(list, self, "objective.kept");
    Knot::list_history(list, self.knot_);
    list.whole("descent.has_before", self.has_before_, 0, 1);
    list.numbers("descent.v_before", self.v_before_);
}

void DescentOnDevice::save(ByteWriter& out) const {
    fetch_history();
    HistoryWriter list(out);
    list_history(list, *this);
}

void DescentOnDevice::load(ByteReader& in) {
    HistoryReader list(in);
    list_history(list, *this);
    hand_in_history();
}

void DescentOnDevice::reset() {
    control_.length.longest = max_step_;
    control_.length.last = 0;
    control_.length.quiet_steps = 0;
    control_.momentum.chebyshev.caution = 1;
    DeviceStepper::reset();
}

// ---- what the device takes

std::string descent_conflict(const DescentOptions& options) {
    if (options.direction != DirectionKind::jacobi &&
        options.direction != DirectionKind::block_jacobi)
        return "direction = \"" +
               std::string(
                   enum_names(options.direction)[static_cast<std::size_t>(options.direction)]) +
               "\" does not run on the device; allowed: \"jacobi\", \"block_jacobi\"";
    if (options.step_length == StepLengthKind::line_search)
        return "step_length = \"line_search\" does not run on the device; allowed: auto, "
               "adjusted, fixed";
    if (options.initial == InitialKind::optimal)
        return "initial = \"optimal\" does not run on the device; allowed: position, velocity, "
               "acceleration";
    if (options.tune) return "tune = true does not run on the device; allowed: tune on the CPU";
    return {};
}

std::string stiffness_damping_conflict(const Model& model) {
    for (const Material& material : model.materials) {
        const bool fine = visit_law(
            material, []<class Law>(const PointLaw<Law>&) { return has_device_blocks<Law>; });
        if (!fine)
            return "material '" + material.name +
                   "' has no projected blocks on the device, which block_jacobi and stiffness "
                   "damping need";
    }
    return {};
}

std::string descent_conflict(const Model& model, const DescentOptions& options) {
    const bool damped =
        std::any_of(model.elements.damping_stiffness.begin(),
                    model.elements.damping_stiffness.end(), [](double b) { return b > 0; });
    return options.direction == DirectionKind::jacobi && !damped
               ? std::string()
               : stiffness_damping_conflict(model);
}

std::unique_ptr<Stepper> make_descent(const Model& model, const DescentOptions& options,
                                      bool on_host) {
    const DescentSetup setup = descent_setup(model, options);
    auto run = on_host ? make_host_descent(model, setup, options.precision)
                       : make_cuda_descent(model, setup, options.precision);
    return std::make_unique<DescentOnDevice>(model, options, std::move(run), setup);
}

}  // namespace limber::gpu
