// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/doctor/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr std::size_t n_worst = 10;
constexpr Index shape_grain = 4096;  // tets a chunk

/// Eigenvalues of a symmetric matrix, descending, by the trigonometric formula (O. K. Smith,
/// "Eigenvalues of a symmetric 3 x 3 matrix", CACM 4(4), 1961). The largest is accurate to
/// rounding; small ones only relative to it.
std::array<double, 3> symmetric_eigenvalues(const Mat3d& A) {
    const double q = trace(A) / 3;
    const Mat3d B = A - q * Mat3d::identity();
    const double p = std::sqrt(contract(B, B) / 6);
    if (!(p > 0)) return {q, q, q};
    const double r = std::clamp(determinant((1 / p) * B) / 2, -1.0, 1.0);
    const double phi = std::acos(r) / 3;
    const double first = q + 2 * p * std::cos(phi);
    const double last = q + 2 * p * std::cos(phi + 2 * std::numbers::pi / 3);
    return {first, 3 * q - first - last, last};
}

double degrees(double cosine) {
    return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
}

/// Circumradius from the products of opposite edges: 24 V R = √((p+q+r)(p+q-r)(p-q+r)(-p+q+r))
/// (A. L. Crelle, 1821).
double circumradius(const std::array<Vec3d, 4>& x, double volume) {
    const double p = norm(x[1] - x[0]) * norm(x[3] - x[2]);
    const double q = norm(x[2] - x[0]) * norm(x[3] - x[1]);
    const double r = norm(x[3] - x[0]) * norm(x[2] - x[1]);
    const double product = (p + q + r) * (p + q - r) * (p - q + r) * (-p + q + r);
    return std::sqrt(std::max(product, 0.0)) / (24 * std::fabs(volume));
}

bool worse(const TetQuality& a, const TetQuality& b) {
    return std::tie(a.radius_ratio, a.tet) < std::tie(b.radius_ratio, b.tet);
}

void keep_worst(std::vector<TetQuality>& worst, const TetQuality& tet) {
    if (worst.size() == n_worst && !worse(tet, worst.back())) return;
    worst.insert(std::upper_bound(worst.begin(), worst.end(), tet, worse), tet);
    if (worst.size() > n_worst) worst.pop_back();
}

void add_tet(ShapeStatistics& s, const TetMesh& mesh, Index tet, double mu, double lambda,
             double density) {
    const TetShape shape = tet_shape(mesh, mesh.tets[tet]);
    double smallest = 180, largest = 0;
    for (const double cosine : shape.dihedral_cosine) {
        const double angle = degrees(cosine);
        smallest = std::min(smallest, angle);
        largest = std::max(largest, angle);
        ++s.dihedral[std::min(static_cast<int>(angle / 10), ShapeStatistics::n_angle_bins - 1)];
    }
    const int bin = static_cast<int>(shape.radius_ratio * ShapeStatistics::n_ratio_bins);
    ++s.radius_ratio[std::clamp(bin, 0, ShapeStatistics::n_ratio_bins - 1)];
    s.volume += shape.volume;
    s.min_volume = std::min(s.min_volume, shape.volume);
    s.min_dihedral = std::min(s.min_dihedral, smallest);
    s.max_dihedral = std::max(s.max_dihedral, largest);
    s.mean_radius_ratio += shape.radius_ratio;
    s.n_poor += shape.radius_ratio < ShapeStatistics::poor_ratio;
    keep_worst(s.worst,
               {mesh.tet_ids[tet], tet, shape.radius_ratio, smallest, largest, shape.volume});
    const double squared = squared_tet_frequency(shape, mu, lambda, density);
    if (squared > s.squared_frequency) {
        s.squared_frequency = squared;
        s.stiffest = tet;
    }
}

void join(ShapeStatistics& all, const ShapeStatistics& s) {
    for (std::size_t i = 0; i < s.dihedral.size(); ++i) all.dihedral[i] += s.dihedral[i];
    for (std::size_t i = 0; i < s.radius_ratio.size(); ++i)
        all.radius_ratio[i] += s.radius_ratio[i];
    all.volume += s.volume;
    all.min_volume = std::min(all.min_volume, s.min_volume);
    all.min_dihedral = std::min(all.min_dihedral, s.min_dihedral);
    all.max_dihedral = std::max(all.max_dihedral, s.max_dihedral);
    all.mean_radius_ratio += s.mean_radius_ratio;
    all.n_poor += s.n_poor;
    for (const TetQuality& tet : s.worst) keep_worst(all.worst, tet);
    if (s.squared_frequency > all.squared_frequency) {
        all.squared_frequency = s.squared_frequency;
        all.stiffest = s.stiffest;
    }
}

}  // namespace

TetShape tet_shape(const TetMesh& mesh, const Tet& tet) {
    const std::array<Vec3d, 4> x{mesh.nodes[tet[0]], mesh.nodes[tet[1]], mesh.nodes[tet[2]],
                                 mesh.nodes[tet[3]]};
    // Outward for a positive tet, twice the area long; face k is opposite corner k.
    const std::array<Vec3d, 4> normal{
        cross(x[2] - x[1], x[3] - x[1]), cross(x[3] - x[0], x[2] - x[0]),
        cross(x[1] - x[0], x[3] - x[0]), cross(x[2] - x[0], x[1] - x[0])};
    TetShape s;
    s.volume = tet_volume(x[0], x[1], x[2], x[3]);
    std::array<double, 4> length;
    double area = 0;
    for (int k = 0; k < 4; ++k) area += (length[k] = norm(normal[k])) / 2;
    int n = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            s.dihedral_cosine[n++] = -dot(normal[i], normal[j]) / (length[i] * length[j]);
    s.radius_ratio = 3 * (3 * std::fabs(s.volume) / area) / circumradius(x, s.volume);
    // The gradient of shape function k is -normal_k / (6 V).
    Mat3d G;
    for (const Vec3d& g : normal) G += outer((1 / (6 * s.volume)) * g, (1 / (6 * s.volume)) * g);
    s.stretch = symmetric_eigenvalues(G);
    return s;
}

// With u the corner displacements (3 x 4) and H = Σ u_a g_aᵀ the gradient, uᵀ K_e u / V is
// λ tr(H)² + 2μ |sym H|², and the shortest u with a given H has |u|² = tr(H G⁻¹ Hᵀ), G = Σ g_a
// g_aᵀ. In the eigenframe of G, H_ij = √γ_j Y_ij with |Y| = |u|: the diagonal of Y decouples from
// the rest and carries the matrix 2μ diag(γ) + λ √γ √γᵀ; each pair Y_ij, Y_ji has μ (γ_i + γ_j),
// which is never larger. The corner mass ρ V / 4 turns λ_max(K_e) into a squared frequency.
double squared_tet_frequency(const TetShape& shape, double mu, double lambda, double density) {
    Vec3d root;
    for (int i = 0; i < 3; ++i) root[i] = std::sqrt(std::max(shape.stretch[i], 0.0));
    Mat3d S = lambda * outer(root, root);
    for (int i = 0; i < 3; ++i) S(i, i) += 2 * mu * shape.stretch[i];
    return 4 / density * symmetric_eigenvalues(S)[0];
}

ShapeStatistics measure_shapes(const TetMesh& mesh, std::span<const Index> left_out,
                               const Elasticity& material) {
    const double mu = material.young / (2 * (1 + material.poisson));
    const double lambda = 2 * mu * material.poisson / (1 - 2 * material.poisson);
    const Index n_chunks = (mesh.n_tets() + shape_grain - 1) / shape_grain;
    ShapeStatistics all;
    all.min_volume = std::numeric_limits<double>::infinity();
    std::vector<ShapeStatistics> part(static_cast<std::size_t>(n_chunks), all);
    parallel_ranges(mesh.n_tets(), shape_grain, [&](Index begin, Index end) {
        ShapeStatistics& s = part[begin / shape_grain];
        for (Index tet = begin; tet < end; ++tet)
            if (!std::binary_search(left_out.begin(), left_out.end(), tet))
                add_tet(s, mesh, tet, mu, lambda, material.density);
    });
    for (const ShapeStatistics& s : part) join(all, s);
    const Index n = mesh.n_tets() - static_cast<Index>(left_out.size());
    if (n > 0) all.mean_radius_ratio /= n;
    if (n == 0) all.min_volume = all.min_dihedral = 0;
    return all;
}

}  // namespace limber
