// SPDX-License-Identifier: Apache-2.0
//
// 03: a solver of your own in thirty lines: symplectic Euler, the simplest explicit integrator.
//
// What it shows: the Stepper interface. free_motion() turns the state's velocities into those at
// the end of the
//                step; positions follow. To give a solver a name in scene files, add one line to
//                the steppers[] table in scene/registry.cpp.
// Run it:        build/release/example_03_your_own_solver
// Prints where the tip of a bar is after half a second, by this solver with a short step and by the
// implicit one:
//     explicit, h = 0.05 ms: tip at y = -0.156 m
//     implicit, h = 1.00 ms: tip at y = -0.157 m
//
#include <cmath>
#include <cstdio>
#include <memory>

#include "limber/contact/methods/none.h"
#include "limber/mesh/shapes.h"
#include "limber/sim/world.h"
#include "limber/solve/corotational.h"

using namespace limber;

// 1. The solver: v⁺ = v + h M⁻¹ f(x), x⁺ = x + h v⁺. Stable only while h is below the time a sound
// wave takes
//    through the smallest element.
class SymplecticEuler final : public Stepper {
  public:
    explicit SymplecticEuler(const Model& model) : model_(model), force_(model.n_nodes()) {
        rotations_.reset(model.elements);
    }
    std::string_view name() const override { return "symplectic_euler"; }

    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override {
        ScopedTimer timer(report.ms(Stage::free_motion));
        update_rotations_and_forces(model_.elements, state.x, {}, rotations_, scratch_, force_);
        for (Index i = 0; i < model_.n_nodes(); ++i) {
            const Vec3d v_new = state.v[i] + (in.h / model_.mass[i]) * (force_[i] + in.external[i]);
            for (int axis = 0; axis < 3; ++axis)  // prescribed degrees of freedom follow their pins
                state.v[i][axis] =
                    model_.free[i][axis] == 1 ? v_new[axis] : in.pin_velocity[i][axis];
            forces.reaction[i] = (model_.mass[i] / in.h) * (state.v[i] - v_new);
        }
        report.solve.status = SolveStatus::direct;
    }

    // 2. What the next step remembers: the rotations are its warm start, so they belong into a
    // checkpoint.
    void save(ByteWriter& out) const override {
        out.put_array("rotations", std::span<const RotationPacket>(rotations_.element));
    }
    void load(ByteReader& in) override {
        in.get_array("rotations", std::span<RotationPacket>(rotations_.element));
    }
    void reset() override { rotations_.reset(model_.elements); }

  private:
    const Model& model_;
    CorotationCache rotations_;
    ElementForces scratch_;
    std::vector<Vec3d> force_;
};

// 3. A small bar, held at its left end.
std::unique_ptr<Model> make_bar(double h) {
    auto model = std::make_unique<Model>(one_body("bar", make_box({1.0, 0.2, 0.2}, {10, 2, 2}),
                                                  corotated_material("rubber", 5e5, 0.3)));
    model->pins.push_back({"left end", model->mesh.node_groups.at("x-"), {true, true, true}, {}});
    model->h = h;
    finish_model(*model);
    return model;
}

double tip_after(double seconds, World world) {
    while (world.state().time < seconds - 1e-9)
        if (const StepReport report = world.step(); report.failed) {
            std::printf("%s\n", report.failure.what.c_str());
            return NAN;
        }
    return world.state().x[world.model().mesh.node_groups.at("x+").front()].y;
}

int main() {
    // 4. The same bar under both solvers.
    auto model = make_bar(5e-5);
    auto ours = std::make_unique<SymplecticEuler>(*model);
    const double y_explicit =
        tip_after(0.1, World(std::move(model), std::move(ours), std::make_unique<NoContact>(),
                             {.measure_energy = false}));
    std::printf("explicit, h = 0.05 ms: tip at y = %.3f m\n", y_explicit);

    model = make_bar(1e-3);
    auto theirs = std::make_unique<CorotationalStepper>(*model, CorotationalOptions{});
    const double y_implicit =
        tip_after(0.1, World(std::move(model), std::move(theirs), std::make_unique<NoContact>()));
    std::printf("implicit, h = 1.00 ms: tip at y = %.3f m\n", y_implicit);
    return std::abs(y_explicit - y_implicit) < 0.01 ? 0 : 1;
}
