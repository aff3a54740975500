// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "limber/core/history.h"
#include "limber/gpu/stepper.h"
#include "limber/gpu/steppers.h"
#include "limber/gpu/vertex_block/run.h"
#include "limber/solve/model.h"
#include "limber/solve/stuck.h"

namespace limber::gpu {

namespace {

/// solver.kind = "vertex_block_descent", in double precision as on the CPU.
class VertexBlockOnDevice final : public DeviceStepper {
  public:
    VertexBlockOnDevice(const Model& model, const VertexBlockOptions& options,
                        std::unique_ptr<DescentRun> run, const DescentSetup& setup)
        : DeviceStepper(model, {options.initial, options.eta}, std::move(run), setup) {}
    std::string_view name() const override { return "vertex_block_descent"; }
    /// History: that of the CPU's VertexBlockStepper, entry for entry.
    void save(ByteWriter& out) const override {
        fetch_history();
        HistoryWriter list(out);
        list_history(list, *this);
    }
    void load(ByteReader& in) override {
        HistoryReader list(in);
        list_history(list, *this);
        hand_in_history();
    }
    void reset() override {
        quiet_ = {};
        DeviceStepper::reset();
    }

  private:
    template <class List, class Self>
    static void list_history(List& list, Self& self) {
        list.whole("vertex_block.has_before", self.has_before_, 0, 1);
        list.numbers("vertex_block.v_before", self.v_before_);
        list.whole("vertex_block.quiet", self.quiet_.count, 0, QuietSteps::most);
        list_kept(list, self, "objective.kept");
    }
    void look_for_knots(const StepInput&, std::int64_t, StepReport& report) override {
        const bool converted = control_.now_converted;
        if (quiet_.add(converted, converted ? control_.begin_elastic : 0,
                       converted ? control_.end_elastic : 0))
            report.set(StepFlag::stuck, held_body(run_->interpolants(false)));
    }

    QuietSteps quiet_;
};

DescentSetup setup_of(const Model& model, const VertexBlockOptions& options) {
    DescentSetup out;
    out.method = DescentMethod::vertex_block;
    out.rules = {options.check_every, options.rel_tolerance, false};
    out.iterations = options.iterations;
    out.at_start = options.initial == InitialKind::position;
    out.n_tets = model.n_tets();
    out.rho = {options.rho};
    MomentumRule& momentum = out.control.momentum;
    momentum.kind = options.acceleration == BlockAcceleration::chebyshev
                        ? AccelerationKind::chebyshev
                        : AccelerationKind::none;
    momentum.chebyshev.warm_up = options.warm_up;
    out.control.unit = std::numeric_limits<double>::epsilon();
    return out;
}

}  // namespace

std::string vertex_block_conflict(const VertexBlockOptions& options) {
    if (options.initial == InitialKind::optimal)
        return "initial = \"optimal\" does not run on the device; allowed: position, velocity, "
               "acceleration";
    return {};
}

std::string vertex_block_conflict(const Model& model, const VertexBlockOptions&) {
    if (!model.cloth.hinges.empty())
        return "cloth with rest = \"mesh\" bends by hinges whose exact Hessian the device does "
               "not have; allowed: rest = \"flat\"";
    if (std::none_of(model.elements.damping_stiffness.begin(),
                     model.elements.damping_stiffness.end(), [](double b) { return b > 0; }))
        return {};
    return stiffness_damping_conflict(model);
}

std::unique_ptr<Stepper> make_vertex_block_descent(const Model& model,
                                                   const VertexBlockOptions& options,
                                                   bool on_host) {
    const DescentSetup setup = setup_of(model, options);
    auto run =
        on_host ? make_host_vertex_blocks(model, setup) : make_cuda_vertex_blocks(model, setup);
    return std::make_unique<VertexBlockOnDevice>(model, options, std::move(run), setup);
}

}  // namespace limber::gpu
