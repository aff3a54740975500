// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"
#include "limber/fem/elements/element_set.h"

namespace limber {

/// How the rotation R of F = R S is found (fem/rotation/rotation.h has the kernels).
enum class RotationKind { jacobi, quaternion, svd };
constexpr std::array<std::string_view, 3> enum_names(RotationKind) {
    return {"jacobi", "quaternion", "svd"};
}

struct RotationOptions {
    RotationKind kind = RotationKind::quaternion;
    int iterations = 4;  // cap of the iterative kernels; warm-started from the last step
};

template <class Visitor>
void fields(Visitor& field, RotationOptions& o) {
    field("rotation", o.kind, any_value(),
          "how element rotations are found: capped Jacobi iteration, quaternion iteration, "
          "inversion-safe SVD");
    field(
        "rotation_iterations", o.iterations, between(1, 1000),
        "cap of the iterative rotation kernels, warm-started from the last step; up to 4 they end "
        "at an asymmetry of 1e-6, below what a step can tell, with more at rounding");
}

/// Rotations of eight tets, column-major entries.
struct alignas(64) RotationPacket {
    double R[9][tet_lanes];
};

/// Derived from State::x by update_rotations(); also the warm start of the next step, hence
/// History.
struct CorotationCache {
    std::vector<RotationPacket> element;     // R_e, material -> world, det = +1
    void reset(const ElementSet& elements);  // all identity
    Mat3d at(Index tet) const {
        Mat3d R;
        for (int i = 0; i < 9; ++i) R.a[i] = element[tet / tet_lanes].R[i][tet % tet_lanes];
        return R;
    }
};

/// Scratch for force sweeps: what each chunk of tets adds to its nodes. Sized once.
using ElementForces = CornerSumScratch;

/// R_e from x, and in the same sweep the elastic forces f_a = -V P g_a, gathered into f
/// (overwritten) [N]. Dahl & Bargteil 2019 (3)-(6). Never leaves a non-finite rotation, whatever x
/// is.
void update_rotations_and_forces(const ElementSet& elements, std::span<const Vec3d> x,
                                 const RotationOptions& options, CorotationCache& rotations,
                                 ElementForces& scratch, std::span<Vec3d> f);

/// What output and energy reports need of a state; rotations by the inversion-safe SVD, exact.
struct TetMeasure {
    double det_F = 1;
    double von_mises = 0;  // of the Cauchy stress σ = P Fᵀ / det F; 0 where det F <= 0 [Pa]
    Mat3d strain{};        // ε = ½(RᵀF + FᵀR) − I
};
void measure_tets(const ElementSet& elements, std::span<const Vec3d> x, std::span<TetMeasure> out);

struct ElasticEnergy {
    double energy = 0;     // [J]
    Index n_inverted = 0;  // tets with det F <= 0
};
/// Same bits for any thread count. `partial` is caller-owned scratch, grown once.
ElasticEnergy elastic_energy(const ElementSet& elements, std::span<const Vec3d> x,
                             std::vector<double>& partial);

}  // namespace limber
