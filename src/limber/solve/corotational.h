// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"
#include "limber/fem/assembly.h"
#include "limber/linalg/direct.h"
#include "limber/linalg/pcg.h"
#include "limber/linalg/schur/compliance.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "limber/solve/contact_system.h"
#include "limber/solve/island_solver.h"
#include "limber/solve/linear_step.h"
#include "limber/solve/stepper.h"

namespace limber {

enum class LinearKind { pcg, supernodal, eigen_ldlt };
constexpr std::array<std::string_view, 3> enum_names(LinearKind) {
    return {"pcg", "supernodal", "eigen_ldlt"};
}

enum class InitialGuess { zero, velocity, euler, blend };
constexpr std::array<std::string_view, 4> enum_names(InitialGuess) {
    return {"zero", "velocity", "euler", "blend"};
}

enum class SystemForm { v, dv };
constexpr std::array<std::string_view, 2> enum_names(SystemForm) {
    return {"v", "dv"};
}

/// One linear system for everything, or one for each group of bodies that touch.
enum class SolveScope { world, islands };
constexpr std::array<std::string_view, 2> enum_names(SolveScope) {
    return {"world", "islands"};
}

enum class OperatorKind { assembled, matrix_free };
constexpr std::array<std::string_view, 2> enum_names(OperatorKind) {
    return {"assembled", "matrix_free"};
}

struct CorotationalOptions {
    LinearKind linear = LinearKind::pcg;
    PcgOptions pcg;
    InitialGuess guess = InitialGuess::velocity;
    double blend = 0.5;
    SystemForm form = SystemForm::v;
    PreconditionerKind preconditioner = PreconditionerKind::block_jacobi;
    OperatorKind matrix = OperatorKind::assembled;
    SolveScope solves = SolveScope::world;
    RotationOptions rotation;
};

template <class Visitor>
void fields(Visitor& field, CorotationalOptions& o) {
    field("linear", o.linear, any_value(),
          "how A v = b is solved: conjugate gradients, our supernodal factorisation, or Eigen's");
    fields(field, o.pcg);
    field("guess", o.guess, any_value(),
          "start of the iteration: 0, v, v + h M^-1 f, or alpha v + (1 - alpha)(v + h M^-1 f); in "
          "the dv form zero "
          "means dv = 0");
    field("blend", o.blend, between(0, 1), "alpha of guess = \"blend\": 1 is velocity, 0 is euler");
    field("form", o.form, any_value(),
          "unknown of the system: the new velocity, or its change (source 000, Eq. 13)");
    field("preconditioner", o.preconditioner, any_value(), "of the conjugate gradients");
    field("operator", o.matrix, any_value(),
          "assembled block matrix, or element by element without a matrix");
    field("solves", o.solves, any_value(),
          "conjugate gradients over all bodies at once, or over each group of bodies that contact "
          "ties together: each stops on its own, the largest count is reported");
    fields(field, o.rotation);
}

/// Linearly implicit Euler on corotational tets, rotations frozen at x_t (Dahl & Bargteil 2019):
///   A v⁺ = M v + h (f_el(x) + f_ext),   A = M + h C + h² K,   C = a M + b K        (9), our sign
///   of K
/// or for Δv = v⁺ − v:  A Δv = h f − h (C + h K) v                                  (13)
class CorotationalStepper final : public Stepper {
  public:
    using Options = CorotationalOptions;
    CorotationalStepper(const Model& model, const Options& options);

    std::string_view name() const override {
        return options_.linear == LinearKind::pcg ? "corotational" : "cholesky";
    }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void reset() override { rotations_.reset(model_.elements); }
    std::string describe() override;
    Compliance* compliance() override {
        return options_.linear == LinearKind::supernodal ? &compliance_ : nullptr;
    }
    void correct_reactions(const StepInput& in, std::span<const Vec3d> v,
                           NodeForces& forces) override;
    bool clocked() const override {
        return options_.linear == LinearKind::pcg && options_.pcg.deadline_ms > 0;
    }

    /// Of conjugate gradients; the whole world is then one solve.
    bool watch(SolveWatcher watcher) override {
        watcher_ = std::move(watcher);
        return options_.linear == LinearKind::pcg;
    }

  private:
    template <class List, class Self>
    static void list_history(List& list, Self& self);
    void build_system(const StepInput& in, const State& state);
    void guess_solution(const StepInput& in, const State& state);
    const LinearOperator& matrix() const;  // without the contact terms between nodes
    void apply_system(std::span<const ContactTerm> terms, std::span<const Vec3d> x,
                      std::span<Vec3d> y) const;
    void find_reactions(const StepInput& in, std::span<const Vec3d> v, NodeForces& forces);
    void find_islands(std::span<const ContactTerm> terms);
    SolveStats solve_iteratively(const StepInput& in, const State& state, StepReport& report);
    SolveStats solve_directly(const StepInput& in, StepReport& report);
    Index worst_island_body() const;  // -1: bodies are not solved one by one
    std::span<const Vec3d> right_hand_side() const {
        return options_.form == SystemForm::dv ? std::span<const Vec3d>(rhs_) : step_.b();
    }

    const Model& model_;
    Options options_;
    bool assembled_;
    LinearStep step_;
    std::vector<Index> contact_nodes_;  // whose extra diagonal must be cleared next step
    CorotationCache rotations_;         // History: warm start of the rotations
    ElementForces element_forces_;
    SystemAssembler assembler_;
    BlockCsr A_;
    CorotationalOperator operator_;
    Islands islands_;
    std::vector<IslandSolver> solvers_;  // the world's, or room for one a body
    std::vector<SolveStats> island_stats_;
    SupernodalCholesky<double> factor_;
    FactorCompliance<double> compliance_{factor_};
    EigenLdlt ldlt_;
    BlockCsr coupled_;             // A with room for the terms between nodes: direct solves alone
    std::vector<Vec3d> rhs_;       // b, or b − A v in the Δv form
    std::vector<Vec3d> solution_;  // v⁺ or Δv [m/s]
    mutable std::vector<Vec3d> product_;
    SolveWatcher watcher_;
};

}  // namespace limber
