// SPDX-License-Identifier: Apache-2.0
#pragma once

// Deformations, meshes and references shared by the tests of fem/.

// GCC 12 takes the undefined pass-through operands in its own AVX-512 header for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <Eigen/Dense>
#pragma GCC diagnostic pop

#include <limits>
#include <random>
#include <vector>

#include "limber/fem/elements/element_set.h"
#include "limber/mesh/shapes.h"

namespace limber::testing_fem {

class Random {
  public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double uniform(double lo, double hi) {
        return std::uniform_real_distribution<double>(lo, hi)(engine_);
    }
    double normal() { return std::normal_distribution<double>()(engine_); }
    Vec3d direction() {
        Vec3d v{normal(), normal(), normal()};
        return v * (1 / norm(v));
    }
    Mat3d rotation() { return rotation_about(direction(), uniform(-3.14159, 3.14159)); }
    Mat3d matrix(double scale) {
        Mat3d m;
        for (double& entry : m.a) entry = scale * normal();
        return m;
    }

  private:
    std::mt19937 engine_;
};

inline Eigen::Matrix3d to_eigen(const Mat3d& m) {
    return Eigen::Map<const Eigen::Matrix3d>(m.a);
}
inline Mat3d from_eigen(const Eigen::Matrix3d& m) {
    Mat3d out;
    Eigen::Map<Eigen::Matrix3d>(out.a) = m;
    return out;
}

/// The inversion-safe rotation of F and its condition, by Eigen's JacobiSVD.
struct ReferenceRotation {
    Mat3d R;
    double relative_gap;  // (σ₂ + signed σ₃) / σ₁: R turns by (error in F) / gap
};
inline ReferenceRotation reference_rotation(const Mat3d& F) {
    const double scale = max_abs(F);
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(to_eigen(F * (1 / scale)),
                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double sign = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
    const Eigen::Vector3d s = svd.singularValues(), signs(1, 1, sign);
    return {from_eigen(svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose()),
            (s[1] + sign * s[2]) / s[0]};
}

/// |RᵀR − I| and |det R − 1|, the larger.
inline double rotation_error(const Mat3d& R) {
    return std::fmax(max_abs(transpose(R) * R - Mat3d::identity()), std::fabs(determinant(R) - 1));
}

/// U diag(s) Vᵀ with random U and V.
inline Mat3d with_singular_values(Random& random, const Vec3d& s) {
    return random.rotation() * Mat3d::diagonal(s.x, s.y, s.z) * transpose(random.rotation());
}

inline Material rubber(AnyMaterial law = CorotatedElastic{3e5, 7e5}) {
    Material material;
    material.name = "rubber";
    material.law = law;
    material.density = 1100;
    return material;
}

inline ElementSet elements_of(const TetMesh& mesh, const Material& material = rubber()) {
    const std::vector<Index> index(mesh.tets.size(), 0);
    return make_elements(mesh, std::span(&material, 1), index);
}

inline TetMesh single_tet() {
    TetMesh mesh;
    mesh.nodes = {{0.1, 0, 0}, {1.1, 0.2, 0}, {0, 0.9, 0.1}, {0.2, 0.1, 1.3}};
    mesh.tets = {{0, 1, 2, 3}};
    return mesh;
}

/// Two materials, both kinds of law, damping: every term of the system is there. 162 tets, so the
/// last packet is not full.
struct MixedBody {
    TetMesh mesh = make_box({1, 0.8, 1.2}, {3, 3, 3});
    std::vector<Material> materials;
    std::vector<Index> tet_material;
    ElementSet elements;

    explicit MixedBody(AnyMaterial second_law = LinearElastic{2e5, 1e5})
        : materials{rubber(), rubber(second_law)} {
        materials[0].damping_mass = 0.3;
        materials[0].damping_stiffness = 0.002;
        materials[1].density = 700;
        materials[1].damping_mass = 0.1;
        materials[1].damping_stiffness = 0.001;
        for (Index t = 0; t < mesh.n_tets(); ++t) tet_material.push_back(t % 5 == 0 ? 1 : 0);
        elements = make_elements(mesh, materials, tet_material);
    }
};

/// A beam large enough for several chunks of every parallel loop.
inline TetMesh beam() {
    return make_box({0.2, 0.2, 1}, {6, 6, 30});
}

/// Positions after a smooth bend and a random shake of `amount` times the cell size.
inline std::vector<Vec3d> deformed(const TetMesh& mesh, double amount, unsigned seed) {
    Random random(seed);
    std::vector<Vec3d> x;
    for (const Vec3d& p : mesh.nodes) {
        const double angle = 0.7 * p.z;
        Vec3d q = rotation_about({0, 1, 0}, angle) * Vec3d{p.x, p.y, 0.2 * p.z};
        q += Vec3d{random.normal(), random.normal(), random.normal()} * amount;
        x.push_back(q + Vec3d{0, 0.1 * p.x * p.y, 0.8 * p.z});
    }
    return x;
}

}  // namespace limber::testing_fem
