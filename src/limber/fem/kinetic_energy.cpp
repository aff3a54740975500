// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/kinetic_energy.h"

#include "limber/core/parallel.h"

namespace limber {

double kinetic_energy(const ElementSet& elements, std::span<const double> lumped,
                      std::span<const Vec3d> v, std::vector<double>& partial) {
    constexpr Index grain = 4096;
    const std::size_t n_partial = std::max(elements.n_nodes, elements.n_tets) / grain + 1;
    if (partial.size() < n_partial) partial.resize(n_partial);
    const double nodes =
        parallel_sum<double>(elements.n_nodes, grain, partial, [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i) sum += lumped[i] * squared_norm(v[i]);
            return sum;
        });
    // Consistent mass of a tet: m/20 (Σ v_a² + (Σ v_a)²), from m/20 (1 + δ_ab).
    const double tets =
        parallel_sum<double>(elements.n_tets, grain, partial, [&](Index begin, Index end) {
            double sum = 0;
            for (Index e = begin; e < end; ++e) {
                const double m = elements.tet_mass[e];
                if (m == 0) continue;
                Vec3d total{};
                double squares = 0;
                for (int a = 0; a < 4; ++a) {
                    const Vec3d& v_a = v[elements.tets.node(e, a)];
                    total += v_a;
                    squares += squared_norm(v_a);
                }
                sum += m / 20 * (squares + squared_norm(total));
            }
            return sum;
        });
    return 0.5 * (nodes + tets);
}

}  // namespace limber
