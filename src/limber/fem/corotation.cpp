// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/corotation.h"

#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/fem/elements/packet_memory.h"
#include "limber/fem/hooke.h"
#include "limber/fem/point_law.h"
#include "limber/fem/rotation/rounding.h"

namespace limber {

namespace {

using Mat = Mat3<Double8>;

/// On entry R is the last step's rotation and S = RᵀF.
template <RotationKind kind>
void find_rotation(const Mat& F, int iterations, Mat& R, Mat& S) {
    if constexpr (kind == RotationKind::jacobi) {
        find_polar_jacobi(F, iterations, R, S);
    } else if constexpr (kind == RotationKind::quaternion) {
        find_polar_quaternion(F, iterations, R, S);
    } else {
        R = rotation_svd(F, R);
        S = transpose(R) * F;
    }
}

/// R where the law turns with the element, identity elsewhere.
Mat corotated_only(const HookePacket& packet, const Mat& R) {
    return rotation_detail::select_matrix(Double8::load(packet.corotational) > Double8(0.5), R,
                                          Mat::identity());
}

/// Adds f_a = −V P g_a with P = R σ and g_a the rows of Dm⁻¹.  (6)
inline void add_forces(const HookePacket& packet, const Mat& Dm_inv, const Mat& R, const Mat& S,
                       const CornerSum::PacketSlots& slots, Vec4d* sum) {
    const Double8 V = Double8::load(packet.volume);
    const Mat stress = hooke_stress(-(V * Double8::load(packet.mu)),
                                    -(V * Double8::load(packet.lambda)), S);  // −V σ
    add_balanced((R * stress) * transpose(Dm_inv), slots.slot, sum);
}

/// Any packet: R from x, then the forces.
template <RotationKind kind>
[[gnu::noinline, gnu::flatten]] void rotate_any_packet(const HookePacket& packet, const Vec3d* x,
                                                       int iterations, RotationPacket& rotation,
                                                       const CornerSum::PacketSlots& slots,
                                                       Vec4d* sum) {
    const Mat Dm_inv = load_matrix(packet.Dm_inv);
    const Mat F = load_edges(x, packet) * Dm_inv;  // (2)
    Mat R = load_matrix(rotation.R), S = transpose(R) * F;
    find_rotation<kind>(F, iterations, R, S);
    R = corotated_only(packet, R);
    store_matrix(R, rotation.R);
    add_forces(packet, Dm_inv, R, transpose(R) * F, slots, sum);
}

/// The usual packet, without what rarely happens: calls would push all matrices out of the
/// registers. Where it is not enough it starts again with rotate_any_packet().
template <RotationKind kind>
[[gnu::flatten]] void rotate_packet(const HookePacket& packet, const Vec3d* x, int iterations,
                                    RotationPacket& rotation, const CornerSum::PacketSlots& slots,
                                    Vec4d* sum) {
    const Mat Dm_inv = load_matrix(packet.Dm_inv);
    Mat R = load_matrix(rotation.R), S = transpose(R) * (load_edges(x, packet) * Dm_inv);
    const bool usual = kind == RotationKind::quaternion
                           ? rotation_detail::short_turns(iterations, R, S)
                           : rotation_detail::usual_sweeps(iterations, R, S);
    if (!usual || any((Double8::load(packet.corotational) < Double8(0.5)) |
                      rotation_detail::is_half_turned(S)))
        return rotate_any_packet<kind>(packet, x, iterations, rotation, slots, sum);
    store_matrix(R, rotation.R);
    add_forces(packet, Dm_inv, R, S, slots, sum);
}

template <RotationKind kind>
void rotate_all(const ElementSet& elements, std::span<const Vec3d> x, int iterations,
                CorotationCache& rotations, ElementForces& scratch) {
    sweep_packets(elements.corner_sum, scratch,
                  [&](Index p, const CornerSum::PacketSlots& slots, Vec4d* sum) {
                      if (kind == RotationKind::svd || iterations > usual_iterations)
                          rotate_any_packet<kind>(elements.tets.packets[p], x.data(), iterations,
                                                  rotations.element[p], slots, sum);
                      else
                          rotate_packet<kind>(elements.tets.packets[p], x.data(), iterations,
                                              rotations.element[p], slots, sum);
                  });
}

/// F of a packet and its exact rotation, whatever the last step's was.
struct Deformation {
    Mat F, R;
};
[[gnu::flatten]] Deformation deformation(const HookePacket& packet, std::span<const Vec3d> x) {
    const Mat F = load_edges(x.data(), packet) * load_matrix(packet.Dm_inv);
    return {F, corotated_only(packet, rotation_exact(F, Mat::identity()))};
}

[[gnu::flatten]] void add_energy(const HookePacket& packet, std::span<const Vec3d> x,
                                 Double8& energy, Double8& inverted) {
    const Deformation d = deformation(packet, x);
    const Double8 volume = Double8::load(packet.volume), one(1.0);
    const Double8 psi =
        hooke_energy(Double8::load(packet.mu), Double8::load(packet.lambda), transpose(d.R) * d.F);
    // Lanes past the end have no volume and F = 0; they are neither energy nor inverted.
    energy += volume * psi;
    inverted +=
        select((volume > Double8(0.0)) & (determinant(d.F) <= Double8(0.0)), one, Double8(0.0));
}

Mat3d lane_of(const Mat& m, int lane) {
    Mat3d out;
    for (int i = 0; i < 9; ++i) out.a[i] = m.a[i][lane];
    return out;
}

bool has_other_law(const ElementSet& elements, Index p) {
    return !elements.other_law.empty() && elements.other_law[p];
}

/// The same for laws of every kind, tet by tet.
void add_energy_by_law(const ElementSet& elements, Index p, std::span<const Vec3d> x,
                       Double8& energy, Double8& inverted) {
    const HookePacket& packet = elements.tets.packets[p];
    const Mat F = load_edges(x.data(), packet) * load_matrix(packet.Dm_inv);
    const Index first = p * tet_lanes, n = std::min<Index>(tet_lanes, elements.n_tets - first);
    for (int lane = 0; lane < n; ++lane) {
        const Mat3d F_t = lane_of(F, lane);
        visit_law(elements.materials[elements.tet_material[first + lane]], [&](const auto& law) {
            const auto& own = law_of_tet(law, elements.tet_data, first + lane);
            const double psi = own.energy(F_t, own.interpolant(F_t, 0.0));
            energy.set(lane, energy[lane] + packet.volume[lane] * psi);
        });
        if (determinant(F_t) <= 0) inverted.set(lane, inverted[lane] + 1);
    }
}

/// √(3/2 s:s) of the deviator s.
double von_mises_of(const Mat3d& sigma) {
    const double p = trace(sigma) / 3;
    const Mat3d s = sigma - Mat3d::diagonal(p, p, p);
    return std::sqrt(1.5 * contract(s, s));
}

}  // namespace

void CorotationCache::reset(const ElementSet& elements) {
    RotationPacket identity{};
    store_matrix(Mat::identity(), identity.R);
    element.assign(elements.tets.packets.size(), identity);
}

void update_rotations_and_forces(const ElementSet& elements, std::span<const Vec3d> x,
                                 const RotationOptions& options, CorotationCache& rotations,
                                 ElementForces& scratch, std::span<Vec3d> f) {
    LIMBER_CHECK(rotations.element.size() == elements.tets.packets.size(), "reset() the rotations");
    LIMBER_CHECK(x.size() == static_cast<std::size_t>(elements.n_nodes) && f.size() == x.size(),
                 "one position and one force per node");
    switch (options.kind) {
        case RotationKind::jacobi:
            rotate_all<RotationKind::jacobi>(elements, x, options.iterations, rotations, scratch);
            break;
        case RotationKind::quaternion:
            rotate_all<RotationKind::quaternion>(elements, x, options.iterations, rotations,
                                                 scratch);
            break;
        case RotationKind::svd:
            rotate_all<RotationKind::svd>(elements, x, options.iterations, rotations, scratch);
            break;
    }
    parallel_for(elements.n_nodes, 1024,
                 [&](Index i) { f[i] = node_sum(elements.corner_sum, scratch, i); });
}

void measure_tets(const ElementSet& elements, std::span<const Vec3d> x, std::span<TetMeasure> out) {
    LIMBER_CHECK(out.size() == static_cast<std::size_t>(elements.n_tets), "one measure per tet");
    parallel_for(static_cast<Index>(elements.tets.packets.size()), 32, [&](Index p) {
        const HookePacket& packet = elements.tets.packets[p];
        const Deformation d = deformation(packet, x);
        const Mat S = transpose(d.R) * d.F, strain = hooke_strain(S);
        const Mat stress = hooke_stress(Double8::load(packet.mu), Double8::load(packet.lambda), S);
        const Mat kirchhoff = d.R * stress * transpose(d.F);  // P Fᵀ
        const Double8 det = determinant(d.F);
        const Index first = p * tet_lanes, n = std::min<Index>(tet_lanes, elements.n_tets - first);
        for (int lane = 0; lane < n; ++lane) {
            TetMeasure& m = out[first + lane];
            m.det_F = det[lane];
            m.strain = lane_of(strain, lane);
            m.von_mises = 0;
            if (!(m.det_F > 0)) continue;
            Mat3d tau = lane_of(kirchhoff, lane);
            if (has_other_law(elements, p)) {
                const Mat3d F = lane_of(d.F, lane);
                visit_law(elements.materials[elements.tet_material[first + lane]],
                          [&](const auto& law) {
                              const auto& own = law_of_tet(law, elements.tet_data, first + lane);
                              tau = own.stress(F, own.interpolant(F, 0.0)) * transpose(F);
                          });
            }
            m.von_mises = von_mises_of(tau * (1 / m.det_F));
        }
    });
}

ElasticEnergy elastic_energy(const ElementSet& elements, std::span<const Vec3d> x,
                             std::vector<double>& partial) {
    constexpr Index grain = CornerSum::chunk_packets;
    const Index n_packets = static_cast<Index>(elements.tets.packets.size());
    const Index n_chunks = (n_packets + grain - 1) / grain;
    if (partial.size() < 2 * static_cast<std::size_t>(n_chunks)) partial.resize(2 * n_chunks);
    parallel_chunks(n_chunks, [&](Index chunk) {
        Double8 energy(0.0), inverted(0.0);
        for (Index p = chunk * grain; p < std::min(n_packets, (chunk + 1) * grain); ++p) {
            if (has_other_law(elements, p))
                add_energy_by_law(elements, p, x, energy, inverted);
            else
                add_energy(elements.tets.packets[p], x, energy, inverted);
        }
        double e = 0, n = 0;
        for (int lane = 0; lane < tet_lanes; ++lane) {
            e += energy[lane];
            n += inverted[lane];
        }
        partial[2 * chunk] = e;
        partial[2 * chunk + 1] = n;
    });
    double energy = 0, inverted = 0;
    for (Index chunk = 0; chunk < n_chunks; ++chunk) {
        energy += partial[2 * chunk];
        inverted += partial[2 * chunk + 1];
    }
    return {energy, static_cast<Index>(inverted)};
}

}  // namespace limber
