// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "limber/core/history.h"
#include "limber/solve/descent/descent.h"
#include "limber/solve/descent/untangle.h"
#include "limber/solve/objective.h"

namespace limber {

/// How DescentStepper minimises, in either precision.
struct DescentStepper::Loop {
    virtual ~Loop() = default;
    virtual SolveStats run(const StepInput& in, State& state, NodeForces& forces,
                           StepReport& report) = 0;
    virtual void integrate(State& state) const = 0;
    virtual void save(ByteWriter& out) const = 0;
    virtual void load(ByteReader& in) = 0;
    virtual void reset() = 0;
    virtual void describe_cells(CellFields& fields) const = 0;
    SolveWatcher watcher;
};

/// What every loop does at the end of a step and remembers for the next, whatever its iterations
/// are. Real is the precision of the objective.
template <class Real>
class DescentEnds : public DescentStepper::Loop {
  public:
    DescentEnds(const Model& model, const DescentOptions& options);
    void integrate(State& state) const override;
    void reset() override {
        has_before_ = false;
        objective_.release();
    }
    void describe_cells(CellFields& fields) const override;

  protected:
    /// v_{t-1}; empty: not known.
    std::span<const Vec3d> velocity_before() const;
    /// The step ends at x: velocities, reactions, what is left of the gradient in parts of `scale`
    /// [N], flags with their bodies. `scratch` is overwritten.
    void finish(std::span<const Vec3<Real>> x, double scale, std::span<Vec3<Real>> scratch,
                SolveStats& stats, State& state, NodeForces& forces, StepReport& report);
    template <class List, class Self>
    static void list_ends(List& list, Self& self) {
        Objective<Real>::list_history(list, self.DescentEnds<Real>::objective_);
        Knot::list_history(list, self.knot_);
        list.whole("descent.has_before", self.has_before_, 0, 1);
        list.numbers("descent.v_before", self.v_before_);
    }

    DescentOptions options_;
    const Model& model_;
    Objective<Real> objective_;

  private:
    void look_for_knots(std::span<const Vec3<Real>> x, std::int64_t step, StepReport& report);
    void blame(std::span<const Vec3<Real>> x, std::span<Vec3<Real>> scratch, StepReport& report);

    std::vector<Vec3d> v_before_;  // v_{t-1}
    bool has_before_ = false;
    Knot knot_;
};

extern template class DescentEnds<float>;
extern template class DescentEnds<double>;

/// direction = "newton_cg" (newton_cg_direction.cpp).
template <class Real>
std::unique_ptr<DescentStepper::Loop> make_newton_cg(const Model& model,
                                                     const DescentOptions& options);

}  // namespace limber
