// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "limber/core/count_or_auto.h"
#include "limber/core/fields.h"
#include "limber/fem/warp.h"
#include "limber/linalg/pcg.h"
#include "limber/solve/background_factor.h"
#include "limber/solve/contact_passes.h"
#include "limber/solve/contact_system.h"
#include "limber/solve/linear_step.h"
#include "limber/solve/stepper.h"
#include "limber/solve/warp_canceling/node_rotation_kind.h"

namespace limber {

struct AsyncOptions {
    CountOrAuto lag{2};
    FactorPrecision precision = FactorPrecision::double_precision;
    NodeRotationKind node_rotations = NodeRotationKind::automatic;
    double rel_tolerance = 1e-5;
    int watchdog = 30;
    int max_iterations = 1000;
    ContactPassOptions contact;
    RotationOptions rotation;
};

template <class Visitor>
void fields(Visitor& field, AsyncOptions& o) {
    field("lag", o.lag, between(1, 1000),
          "the factor of a step's matrix is used from so many steps later on, and waited for where "
          "it is late: the same bits every time; \"auto\": from when it is there, whatever the "
          "clock says");
    field("precision", o.precision, any_value(), "of the factor; the answer is double");
    field("node_rotations", o.node_rotations, any_value(),
          "turn the factor along with the nodes since its step, by rotations fitted to their "
          "neighbours (horn), not at all (identity, as the source), or so but for thin bodies "
          "(auto)");
    field("rel_tolerance", o.rel_tolerance, inside(0, 1),
          "conjugate gradients stop when |r| <= rel_tolerance |b|");
    field("watchdog", o.watchdog, at_least(1),
          "iterations beyond those of a fresh factor, in free motion and all passes of contact, "
          "after which the factor is made anew at once");
    field("max_iterations", o.max_iterations, at_least(1), "cap on the iterations after that");
    fields(field, o.contact);
    fields(field, o.rotation);
}

/// Linearly implicit corotational steps, as `corotational` has them, by conjugate gradients that a
/// factor preconditions which another thread made (Courtecuisse et al. 2010; Zeng et al. 2022,
/// section 3.4): the matrix of step k is handed over, and
///   P = (L Lᵀ)⁻¹ ≈ A⁻¹                                                             (18)
/// is used from step k + lag on, for free motion (19) and for W = H P Hᵀ of contact (20). The
/// unknown is the new velocity, from the old one: with the exact A in the iterations the same as
/// the source's Δv from zero.
///
/// Past the source: the factor turns with its nodes since step k, so that a body that only turns
/// has a factor that is never stale (Hecht et al. 2012, (4)); with a fixed lag every run is the
/// same, whatever the threads do; and what P leaves out of the answer to contact is found by
/// conjugate gradients and given back to the constraints, until it is below a tolerance. A new
/// factor costs this thread nothing, but the columns of W that it discards do: while there is
/// contact by constraints the next one is begun when the iterations with the old one add up to
/// that.
class AsyncStepper final : public Stepper {
  public:
    using Options = AsyncOptions;
    AsyncStepper(const Model& model, const Options& options);

    std::string_view name() const override { return "async"; }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    Compliance* compliance() override { return &active_->compliance(); }
    std::span<const Vec3d> answered() const override { return passes_.answered(); }
    bool renews_compliance() const override { return renewed_; }
    bool answers(const StepInput& in, std::span<const Vec3d> impulses, State& state,
                 StepReport& report) override;
    void correct_reactions(const StepInput& in, std::span<const Vec3d> v,
                           NodeForces& forces) override;
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void reset() override;
    std::string describe() override;
    const StepTable* table() const override { return &table_; }
    bool clocked() const override { return options_.lag.automatic; }
    std::span<const Index> decisions() const override { return decided_; }
    void replay(std::span<const Index> decisions) override;

  private:
    template <class List, class Self>
    static void list_history(List& list, Self& self);
    template <class List, class Matrix>
    static void list_matrix(List& list, bool& there, Matrix& matrix);
    void prepare();
    void turn_nodes(const State& state);
    SolveStats prepare_factor(const StepInput& in, StepReport& report);
    bool is_due();
    void take_factor(StepReport& report);
    void put_matrix(FactoredMatrix& into) const;
    SolveStats factorise_now(StepReport& report);
    bool next_factor_pays(const StepInput& in);
    void note_work(StepReport& report) const;
    SolveStats solve(const StepInput& in, StepReport& report);
    SolveStats iterate(int cap);
    void fill_table(const SolveStats& stats, double waited_ms);
    void forget();

    const Model& model_;
    Options options_;
    LinearStep step_;
    std::vector<char> upright_;  // nodes that do not turn
    bool turns_ = false;         // some do
    CorotationCache rotations_;  // History: warm start
    NodeRotations nodes_;        // History: warm start
    std::int64_t calls_ = 0;     // History: free motions so far, what lag counts
    double h_ = 0;               // History: of the factors [s]
    int fresh_ = 0;              // History: iterations that even a fresh factor needs
    double spent_ = 0;           // History: iterations under contact since the factor was taken
    bool taken_ = false;         // a factor, in this step
    bool renewed_ = false;       // the factor, in the last answers()
    int free_iterations_ = 0;    // of this step
    std::vector<double> columns_scratch_;

    SystemAssembler assembler_;
    NodeRotationFit fit_;
    BlockCsr A_;
    ContactSystem system_;
    std::unique_ptr<FactoredMatrix> active_;        // History: its matrix and step
    std::unique_ptr<BackgroundFactor> background_;  // History: the same
    std::vector<Mat3d> turned_;                     // R of now, one a node; empty: none turn
    ElementForces element_forces_;
    std::vector<Vec3d> solution_;
    Pcg pcg_;
    ContactPasses passes_;
    StepTable table_{"async", {}};
    std::vector<Index> decided_, replayed_;  // 1 where the factor was taken
};

}  // namespace limber
