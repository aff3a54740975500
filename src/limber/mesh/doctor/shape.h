// SPDX-License-Identifier: Apache-2.0
#pragma once

// How good the tets of a mesh are, one by one: angles, radii, and how fast each can vibrate.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/mesh/tet_mesh.h"

namespace limber {

/// An isotropic material for estimates. The defaults are those of a scene's material.
struct Elasticity {
    double young = 1e6;     // [Pa]
    double poisson = 0.3;   // below 0.5
    double density = 1000;  // [kg/m³]
};

/// One tet that is not flat.
struct TetShape {
    double volume = 0;                        // signed [m³]
    std::array<double, 6> dihedral_cosine{};  // of the inner angles at the edges
    double radius_ratio = 0;                  // 3 inradius / circumradius: 1 regular, 0 flat
    std::array<double, 3> stretch{};          // eigenvalues of Σ_a g_a g_aᵀ, descending [1/m²]
};
TetShape tet_shape(const TetMesh& mesh, const Tet& tet);

/// Square of the highest frequency of one free tet with a quarter of its mass in each corner,
/// λ_max(M_e⁻¹ K_e), for Lamé's μ and λ [Pa] and a density [kg/m³].  [1/s²]
double squared_tet_frequency(const TetShape& shape, double mu, double lambda, double density);

/// A tet in the list of the worst.
struct TetQuality {
    FileId id = 0;
    Index tet = 0;
    double radius_ratio = 0;
    double min_dihedral = 0, max_dihedral = 0;  // [degrees]
    double volume = 0;                          // [m³]
};

struct ShapeStatistics {
    static constexpr int n_angle_bins = 18;                 // of 10 degrees
    static constexpr int n_ratio_bins = 10;                 // of 0.1
    std::array<std::int64_t, n_angle_bins> dihedral{};      // six angles a tet
    std::array<std::int64_t, n_ratio_bins> radius_ratio{};  // one a tet
    double volume = 0, min_volume = 0;                      // [m³]
    double min_dihedral = 180, max_dihedral = 0;            // [degrees]
    double mean_radius_ratio = 0;
    std::int64_t n_poor = 0;                    // radius ratio below poor_ratio
    std::vector<TetQuality> worst;              // the ten smallest radius ratios, worst first
    double squared_frequency = 0;               // largest of all tets [1/s²]
    Index stiffest = -1;                        // the tet that has it
    static constexpr double poor_ratio = 0.02;  // a sliver: about 1 degree in a tet of equal edges
};

/// Measures every tet but those in `left_out` (ascending), with `material` for the frequencies. The
/// same bits for any number of threads.
ShapeStatistics measure_shapes(const TetMesh& mesh, std::span<const Index> left_out,
                               const Elasticity& material);

}  // namespace limber
