// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/linalg/block_csr.h"
#include "limber/solve/stepper.h"

namespace limber {

struct Mode {
    double omega2 = 0;         // ω² [1/s²]; 0 up to rounding where the body moves as a whole
    std::vector<Vec3d> shape;  // φ with φᵀ M φ = 1 [1/√kg]
    double residual = 0;       // |K φ − ω² M φ| / |K φ + s M φ|, s the shift
    Vec3d participation;       // share of the mass that moves with it along x, y and z
    double frequency() const;  // [Hz]
};

/// The lowest modes of K φ = ω² M φ, ascending: K is the tangent at rest, exact, M the mass of the
/// model, lumped or consistent; pinned degrees of freedom do not move. Found by Lanczos iteration
/// (Spectra) on (K + s M)⁻¹ M with a small s > 0, so that free bodies, which have six modes of no
/// frequency, need no care.
std::vector<Mode> lowest_modes(const Model& model, int n_modes);

/// Modal analysis in the clothes of a run: step k shows mode k, with its largest displacement a
/// tenth of the model's size.
class ModalStepper final : public Stepper {
  public:
    ModalStepper(const Model& model, int n_modes) : model_(model), n_modes_(n_modes) {}
    std::string_view name() const override { return "modal"; }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    void integrate(const StepInput& in, State& state) const override;
    std::string describe() override;
    bool advances_time() const override { return false; }
    const StepTable* table() const override { return &table_; }
    std::span<const Mode> modes();

  private:
    const Model& model_;
    int n_modes_;
    std::vector<Mode> modes_;
    std::vector<Vec3d> shown_;
    StepTable table_{"modes", {}};
};

}  // namespace limber
