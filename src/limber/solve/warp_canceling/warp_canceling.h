// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"
#include "limber/fem/warp.h"
#include "limber/linalg/pcg.h"
#include "limber/linalg/schur/compliance.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "limber/solve/contact_passes.h"
#include "limber/solve/contact_system.h"
#include "limber/solve/corotational.h"
#include "limber/solve/factor_age.h"
#include "limber/solve/factor_precision.h"
#include "limber/solve/linear_step.h"
#include "limber/solve/stepper.h"
#include "limber/solve/warp_canceling/node_rotation_kind.h"
#include "limber/solve/warp_canceling/update_schedule.h"

namespace limber {

enum class ScheduleKind { quality, time, hybrid, iterations };
constexpr std::array<std::string_view, 4> enum_names(ScheduleKind) {
    return {"quality", "time", "hybrid", "iterations"};
}
enum class CostKind { clock, flops };
constexpr std::array<std::string_view, 2> enum_names(CostKind) {
    return {"clock", "flops"};
}
enum class DampingKind { none, velocity, rigid };
constexpr std::array<std::string_view, 3> enum_names(DampingKind) {
    return {"none", "velocity", "rigid"};
}

struct WarpCancelingOptions {
    NodeRotationKind node_rotations = NodeRotationKind::automatic;
    ScheduleKind schedule = ScheduleKind::iterations;
    double threshold = 0;              // τ [N s]; 0: threshold_relative
    double threshold_relative = 1e-3;  // τ as a share of the impulse of a node
    double budget_ms = 0;              // of time and hybrid schedules
    double budget_share = 0;           // the same as a share of a full factorisation
    CostKind costs = CostKind::flops;
    double must_update = 100;   // hybrid: badness above this many thresholds is updated anyway
    int target_iterations = 8;  // schedule iterations
    SystemForm form = SystemForm::v;
    int refine = 200;
    double rel_tolerance = 1e-5;
    FactorPrecision precision = FactorPrecision::single_precision;
    bool linearise = true;
    ContactPassOptions contact;
    DampingKind damping = DampingKind::none;
    double damping_threshold = 100;  // in thresholds
    RotationOptions rotation;
};

template <class Visitor>
void fields(Visitor& field, WarpCancelingOptions& o) {
    field("node_rotations", o.node_rotations, any_value(),
          "horn: fitted to the neighbours of each node; identity: for thin bodies; auto: identity "
          "where tets are flat and, for as long as that lasts, where the tets around a node are "
          "turned "
          "against each other by more than 60 degrees");
    field("schedule", o.schedule, any_value(),
          "quality: every supernode above the threshold; time: the worst as far as the budget "
          "goes; hybrid: both; iterations: all of it when the refinement needs more than "
          "target_iterations");
    field("threshold", o.threshold, at_least(0, Unit::none),
          "error of a tet above which its supernode is updated, in N s; 0: threshold_relative");
    field("threshold_relative", o.threshold_relative, at_least(0),
          "the same as a share of the mean impulse M v + h f of a node; 0 updates all every step");
    field("budget_ms", o.budget_ms, at_least(0, Unit::duration_ms),
          "what the updates of one step may cost; time and hybrid");
    field("budget_share", o.budget_share, between(0, 1),
          "the same as a share of a full factorisation; the larger budget counts");
    field("costs", o.costs, any_value(),
          "of supernodes: measured with the clock, or from their number of operations, which "
          "repeats exactly");
    field("must_update", o.must_update, at_least(1),
          "hybrid: a badness above this many thresholds is updated whatever it costs");
    field("target_iterations", o.target_iterations, at_least(1),
          "schedule iterations: the factor is updated after a step that needed more");
    field("form", o.form, any_value(),
          "unknown of the system: the new velocity as in the source, or its change");
    field("refine", o.refine, at_least(0),
          "steps of conjugate gradients on the exact matrix, with the stale factor as "
          "preconditioner; 0: the stale factor alone");
    field("rel_tolerance", o.rel_tolerance, inside(0, 1),
          "refinement stops when |r| <= rel_tolerance |b|");
    field("precision", o.precision, any_value(), "of the factor; the answer is double");
    field("linearise", o.linearise, any_value(),
          "contact blocks enter the factor through updates; otherwise contact is explicit");
    fields(field, o.contact);
    field("damping", o.damping, any_value(),
          "of regions whose error is large and that are not updated: scale velocities, or pull "
          "them towards the rigid motion of the region");
    field("damping_threshold", o.damping_threshold, positive(),
          "badness in thresholds above which damping begins");
    fields(field, o.rotation);
}

/// Warp-canceling corotation with an incrementally updated factor (Hecht et al. 2012, section 4):
///   R Ã Rᵀ v⁺ = M v + h (f_ext + f_els)                                              (4)
/// with node rotations R of now, the exact right-hand side, and Ã = L Lᵀ assembled from blocks (5)
/// that may be out of date. Only the supernodes the schedule chooses are assembled and factorised
/// again. Past the source: conjugate gradients on the exact matrix, preconditioned by R L Lᵀ Rᵀ.
///
/// The defaults are the combination that wins on the sculpture of Table I: a factor in float with
/// the contact blocks in it, polished to the accuracy of `corotational`, and updated only after a
/// step that needed more than `target_iterations`. The method of the source is
/// refine = 0, schedule = "quality", precision = "double", linearise = false.
class WarpCancelingStepper final : public Stepper {
  public:
    using Options = WarpCancelingOptions;
    WarpCancelingStepper(const Model& model, const Options& options);

    std::string_view name() const override { return "warp_canceling"; }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    /// R (L Lᵀ)⁻¹ Rᵀ of the factor as it is.
    Compliance* compliance() override;
    /// Without refinement the stale matrix is the method's own, and all of the answer.
    std::span<const Vec3d> answered() const override { return passes_.answered(); }
    bool renews_compliance() const override { return renewed_; }
    bool answers(const StepInput& in, std::span<const Vec3d> impulses, State& state,
                 StepReport& report) override;
    void correct_reactions(const StepInput& in, std::span<const Vec3d> v,
                           NodeForces& forces) override;
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void reset() override;
    bool clocked() const override;
    std::span<const Index> decisions() const override { return decided_; }
    void replay(std::span<const Index> decisions) override;
    std::string describe() override;
    void describe_cells(CellFields& out) const override;
    /// 1 for each node that has no rotation of its own now.
    std::span<const char> upright() const { return upright_; }

  private:
    struct WarpedInverse;
    /// f(the factor in the precision asked for).
    template <class F>
    decltype(auto) with_factor(F&& f) const {
        return options_.precision == FactorPrecision::double_precision ? f(double_) : f(single_);
    }
    template <class F>
    decltype(auto) with_factor(F&& f) {
        return options_.precision == FactorPrecision::double_precision ? f(double_) : f(single_);
    }

    template <class List, class Self>
    static void list_history(List& list, Self& self);
    void prepare_factor();
    bool needs_estimate() const;
    void estimate(const State& state, StepReport& report);
    std::span<const double> costs() const;
    void choose(const StepInput& in);
    void mark_what_must_be(const StepInput& in);
    void choose_by_schedule();
    void note_decision();
    SolveStats update_factor(const StepInput& in, StepReport& report);
    void mark_tets(const StepInput& in);
    void assemble_warped();
    void add_contacts(const StepInput& in);
    SolveStats factorise(bool all, StepReport& report);
    Index supernode_of_node(Index node) const;
    bool all_marked() const { return marks_->n_marked() == std::ssize(badness_); }
    void apply_exact(std::span<const ContactTerm> terms, std::span<const Vec3d> x,
                     std::span<Vec3d> y) const;
    void rebuild_factor(double h);
    SolveStats solve_stale(const StepInput& in, const State& state);
    SolveStats solve_refined(const StepInput& in, const State& state);
    SolveStats polish(int cap);
    double update_price(const StepInput& in);
    bool may_rescue() const;
    SolveStats rescue(const StepInput& in, StepReport& report);
    SolveStats renew_factor(const StepInput& in, StepReport& report);
    void damp(const State& state, StepReport& report);
    void find_reactions(const StepInput& in, std::span<const Vec3d> v, NodeForces& forces);
    double impulse_of_a_node() const;

    const Model& model_;
    Options options_;
    LinearStep step_;
    std::vector<char> always_upright_;  // nodes that never have a rotation of their own
    std::vector<char> upright_;         // History: nodes that have none now
    std::vector<Index> reframed_;       // nodes of which that changed in this step
    CorotationCache rotations_;         // History
    NodeRotations nodes_;               // History
    WarpFrames frames_;                 // History: when each tet was last updated
    double h_ = 0;                      // History: of the factor; 0: none yet
    FactorAge age_;                     // History of the schedule by iterations
    bool only_contacts_ = false;        // this step's update was for contact blocks alone
    struct Solved {
        int iterations = 0;
        bool planned = false, rescued = false;
    } solved_;              // free motion of this step, until contact is known too
    bool renewed_ = false;  // the factor, in the last answers()

    SystemAssembler assembler_;
    WarpAssembler warp_assembler_;
    CorotationalOperator operator_;
    NodeRotationFit fit_;
    BlockCsr warped_;  // History: Ã
    BlockCsr exact_;   // A, where the answer is refined
    ContactSystem system_;
    SupernodalCholesky<double> double_;
    SupernodalCholesky<float> single_;
    std::unique_ptr<UpdateMarks> marks_;
    std::vector<Index> tet_supernode_;  // the supernode eliminated first among the tet's nodes
    std::vector<Index> tet_region_;     // what is damped as one: supernode and connected part
    std::vector<double> flop_cost_;     // per supernode [ms] at a nominal rate
    std::vector<double> error_;         // per tet [N s]
    std::vector<double> badness_;       // per supernode: the largest error of its tets
    std::vector<char> tet_marked_, node_marked_, updated_, supernode_scratch_;
    std::vector<Index> dirty_;  // supernodes, scratch
    std::vector<double> columns_scratch_;
    std::vector<Index> contact_nodes_;  // History: whose blocks in Ã carry contact
    double threshold_ = 0;              // of this step [N s]
    ElementForces element_forces_;
    std::vector<Vec3d> rhs_, solution_, turned_, product_;
    std::vector<Vec3d> last_change_;  // History: of the velocities in the last step [m/s]
    Pcg pcg_;
    ContactPasses passes_;
    std::vector<Mat3d> turns_;  // nodes_ once more, for the compliances
    FactorCompliance<double> double_compliance_{double_};
    FactorCompliance<float> single_compliance_{single_};
    // What a clock decided, and what it is to decide when a run is repeated: supernodes.
    std::vector<Index> decided_, replayed_;
    bool replaying_ = false;
};

}  // namespace limber
