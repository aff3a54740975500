// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "limber/core/bytes.h"
#include "limber/solve/model.h"
#include "limber/solve/step_report.h"

namespace limber {

/// Kinds of things that go wrong in a run that goes on nevertheless (docs/verdict.md).
enum class FaultKind {
    inverted,       // tets with det F <= 0
    iteration_cap,  // a solver stopped above its tolerance, at a cap that nobody lowered
    line_search,    // a search stopped with more than a hundredth of the forces left
    contact_cap,    // the same of contact by constraints
    penetration,    // a body is left inside an obstacle or another body
    energy_gained,  // energy came from nowhere
    rejected,       // steps that had to be repeated in smaller ones
    stuck,          // elements held by the invertible conversion
};
inline constexpr int n_fault_kinds = 8;
inline constexpr std::array<std::string_view, n_fault_kinds> fault_names = {
    "inverted",    "iteration_cap", "line_search", "contact_cap",
    "penetration", "energy_gained", "rejected",    "stuck"};

struct Fault {
    std::int64_t first_step = 0, count = 0;  // count of steps; 0: it did not happen
    double worst = 0;                        // in the unit of the kind; 0 where it has none
    Index body = -1;                         // of the first step; -1: not known
    Index with = 0;                          // of penetration: StepReport::inside
};

/// Caps that a scene lowers are early ends by choice, and no fault.
struct VerdictRules {
    bool lower_iteration_cap = false, lower_contact_cap = false;
};

/// What went wrong in a run so far. Part of a checkpoint: a run that is resumed goes on counting.
class Verdict {
  public:
    void add(const StepReport& report, const VerdictRules& rules);
    const Fault& of(FaultKind kind) const { return faults_[static_cast<int>(kind)]; }
    bool clean() const;
    /// One line for a user: what, how often, where first, what to do about it.
    std::string text(FaultKind kind, const Model& model) const;

    void save(ByteWriter& out) const;
    void load(ByteReader& in, std::size_t n_bodies, std::size_t n_obstacles);
    void reset() { faults_ = {}; }

  private:
    std::array<Fault, n_fault_kinds> faults_{};
};

/// The name of the fault's body; empty where it is not known.
std::string fault_body(const Fault& fault, const Model& model);
/// The body or obstacle that it was inside, likewise.
std::string fault_with(const Fault& fault, const Model& model);

}  // namespace limber
