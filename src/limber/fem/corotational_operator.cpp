// SPDX-License-Identifier: Apache-2.0
#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/fem/assembly.h"
#include "limber/fem/elements/packet_memory.h"
#include "limber/fem/hooke.h"

namespace limber {

namespace {

using Mat = Mat3<Double8>;
constexpr Index node_grain = 1024;

/// k V P g_a for the change of shape dF: dP = R (2 μ sym(RᵀdF) + λ tr(RᵀdF) I), columns a = 1 .. 3.
Mat stiffness_times(const HookePacket& packet, const Mat& R, const Mat& edges, const Double8& k) {
    const Mat Dm_inv = load_matrix(packet.Dm_inv);
    const Double8 scale = k * Double8::load(packet.volume);
    const Mat stress =
        hooke_stress_change(scale * Double8::load(packet.mu), scale * Double8::load(packet.lambda),
                            transpose(R) * (edges * Dm_inv));
    return (R * stress) * transpose(Dm_inv);
}

/// The product of one packet. `flatten`: packets must live in registers, and GCC keeps those of
/// functions that are not inlined in memory.
struct PacketProduct {
    const ElementSet& elements;
    const CorotationCache& rotations;
    const Vec3d* x;
    double h;

    Double8 stiffness_factor(Index p) const {
        return Double8(h) * (Double8(h) + load_tets(elements.damping_stiffness, p));
    }
    [[gnu::flatten]] void stiffness(Index p, const CornerSum::PacketSlots& slots,
                                    Vec4d* sum) const {
        const HookePacket& packet = elements.tets.packets[p];
        const Mat R = load_matrix(rotations.element[p].R);
        add_balanced(stiffness_times(packet, R, load_edges(x, packet), stiffness_factor(p)),
                     slots.slot, sum);
    }
    /// With ρV/20 (1 + δ_ab): each corner gets m (x_a + Σ x_b) more.
    [[gnu::flatten]] void with_mass(Index p, const CornerSum::PacketSlots& slots,
                                    Vec4d* sum) const {
        const HookePacket& packet = elements.tets.packets[p];
        const Mat R = load_matrix(rotations.element[p].R);
        const Mat edges = load_edges(x, packet);
        const Mat f = stiffness_times(packet, R, edges, stiffness_factor(p));
        const Double8 m = load_tets(elements.tet_mass, p) * Double8(1.0 / 20) *
                          (Double8(1) + Double8(h) * load_tets(elements.damping_mass, p));
        const Vec3<Double8> x0 = load_corner(x, packet.node[0]);
        const Vec3<Double8> all =
            m * (Double8(5) * x0 + edges.col(0) + edges.col(1) + edges.col(2));
        add_corner(all - (f.col(0) + f.col(1) + f.col(2)), slots.slot[0], sum);
        for (int c = 0; c < 3; ++c)
            add_corner(m * edges.col(c) + all + f.col(c), slots.slot[1 + c], sum);
    }
};

}  // namespace

CorotationalOperator::CorotationalOperator(const ElementSet& elements)
    : elements_(elements),
      extra_(elements.n_nodes),
      partial_((elements.n_nodes + node_grain - 1) / node_grain) {
    scratch_.fit(elements.corner_sum.n_slots());
}

void CorotationalOperator::set(const SystemCoefficients& coefficients,
                               const CorotationCache& rotations) {
    LIMBER_CHECK(rotations.element.size() == elements_.tets.packets.size(),
                 "reset() the rotations");
    LIMBER_CHECK(coefficients.consistent_mass ||
                     coefficients.lumped.size() == static_cast<std::size_t>(elements_.n_nodes),
                 "one lumped mass per node");
    coefficients_ = coefficients;
    rotations_ = &rotations;
}

double CorotationalOperator::apply(std::span<const Vec3d> x, std::span<Vec3d> y) const {
    LIMBER_CHECK(rotations_ != nullptr, "set() the operator first");
    const PacketProduct product{elements_, *rotations_, x.data(), coefficients_.h};
    if (coefficients_.consistent_mass)
        sweep_packets(elements_.corner_sum, scratch_,
                      [&](Index p, const CornerSum::PacketSlots& slots, Vec4d* sum) {
                          product.with_mass(p, slots, sum);
                      });
    else
        sweep_packets(elements_.corner_sum, scratch_,
                      [&](Index p, const CornerSum::PacketSlots& slots, Vec4d* sum) {
                          product.stiffness(p, slots, sum);
                      });
    return parallel_sum<double>(
        elements_.n_nodes, node_grain, std::span<double>(partial_), [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i) {
                Vec3d yi = node_sum(elements_.corner_sum, scratch_, i) + extra_[i] * x[i];
                if (!coefficients_.lumped.empty()) yi += coefficients_.lumped[i] * x[i];
                y[i] = yi;
                sum += dot(x[i], yi);
            }
            return sum;
        });
}

void CorotationalOperator::diagonal(std::span<Mat3d> blocks) const {
    LIMBER_CHECK(rotations_ != nullptr, "set() the operator first");
    const double h = coefficients_.h;
    parallel_for(elements_.n_nodes, 256, [&](Index i) {
        Mat3d sum = extra_[i];
        double isotropic = coefficients_.lumped.empty() ? 0 : coefficients_.lumped[i];
        for (const Index entry : elements_.incidence.of(i)) {
            const Index t = entry / 4;
            const int a = entry % 4, lane = t % tet_lanes;
            const HookePacket& packet = elements_.tets.at(t);
            const Mat3d R = rotations_->at(t);
            const Vec3d g = rest_gradients(elements_.tets.Dm_inv(t))[a];
            const double k = h * (h + elements_.damping_stiffness[t]) * packet.volume[lane];
            const Vec3d gamma = R * g;
            sum += hooke_block(k * packet.mu[lane], k * packet.lambda[lane], gamma, gamma);
            if (coefficients_.consistent_mass)
                isotropic += elements_.tet_mass[t] / 10 * (1 + h * elements_.damping_mass[t]);
        }
        blocks[i] = sum + isotropic * Mat3d::identity();
    });
}

}  // namespace limber
