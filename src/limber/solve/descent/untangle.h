// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/solve/model.h"
#include "limber/solve/state.h"
#include "limber/solve/stepper.h"
#include "limber/solve/stuck.h"

namespace limber {

/// Bodies that the invertible conversion cannot bring back: a mesh that was mirrored or shrunk to a
/// point may come to rest in a knot, a minimum of the energy with every tet upright and squeezed.
/// No small push opens it (noise of a tenth of the body does not); from disorder descent finds the
/// rest shape again, as it does from other scrambled states.
class Knot {
  public:
    struct History {
        QuietSteps quiet;
        int throws = 0;  // so far
    };
    /// Borrows the model. `limit`: of throws in a run.
    Knot(const Model& model, int limit) : model_(model), limit_(limit) {}

    /// A step begins.
    void begin() { throws_ = false; }
    QuietSteps& quiet() { return history_.quiet; }
    /// Where stuck, and the limit allows it: nodes of tets with an interpolant above 0 will be
    /// thrown about by up to half the size of their body, if nothing holds that: what is pinned,
    /// touched or loaded may well rest squeezed. Depends on the number of the step alone.
    void prepare(const StepInput& in, std::span<const double> interpolants, std::int64_t step);
    bool throws() const { return throws_; }
    /// At the end of the step.
    void apply(State& state) const;

    template <class List, class Self>
    static void list_history(List& list, Self& self) {
        list.whole("descent.quiet", self.history_.quiet.count, 0, QuietSteps::most);
        list.whole("descent.throws", self.history_.throws, 0, 1 << 30);
    }

  private:
    bool is_held(const Body& body, const StepInput& in) const;

    const Model& model_;
    int limit_;
    History history_;
    bool throws_ = false;
    std::vector<Vec3d> by_;  // [m]
};

}  // namespace limber
