// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/assembly.h"

#include <algorithm>
#include <array>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/fem/packet_memory.h"

namespace limber {

namespace {

using Four = Packet<double, 4>;

constexpr Index max_row_blocks = 256;  // slots are bytes
constexpr Index gamma_stride = 5;      // four gradients and one Vec4d of stiffness factors

/// g_0 .. g_3, the gradients of the shape functions of one tet at rest [1/m].
std::array<Vec3d, 4> rest_gradients(const TetPacket& packet, int lane) {
    Mat3d Dm_inv;
    for (int i = 0; i < 9; ++i) Dm_inv.a[i] = packet.Dm_inv[i][lane];
    const Vec3d g1 = Dm_inv.row(0), g2 = Dm_inv.row(1), g3 = Dm_inv.row(2);
    return {-(g1 + g2 + g3), g1, g2, g3};
}

}  // namespace

SystemAssembler::SystemAssembler(const ElementSet& elements) : elements_(elements) {
    std::vector<Tet> tets(elements.n_tets);
    for (Index t = 0; t < elements.n_tets; ++t)
        for (int c = 0; c < 4; ++c)
            tets[t][c] = elements.packets[t / tet_lanes].node[c][t % tet_lanes];
    NodeGraph graph = node_graph(elements.n_nodes, tets);
    row_begin_ = std::move(graph.begin);
    column_ = std::move(graph.column);
    diagonal_.resize(elements.n_nodes);
    slot_.resize(4 * elements.incidence.entry.size());
    std::size_t s = 0;
    for (Index i = 0; i < elements.n_nodes; ++i) {
        const auto first = column_.begin() + row_begin_[i],
                   last = column_.begin() + row_begin_[i + 1];
        const auto place = [&](Index j) {
            return static_cast<Index>(std::lower_bound(first, last, j) - first);
        };
        longest_row_ = std::max(longest_row_, row_begin_[i + 1] - row_begin_[i]);
        diagonal_[i] = place(i);
        for (const Index entry : elements.incidence.of(i))
            for (int b = 0; b < 4; ++b)
                slot_[s++] = static_cast<std::uint8_t>(place(tets[entry / 4][b]));
    }
    LIMBER_CHECK(longest_row_ <= max_row_blocks, "a node has more than 255 neighbours");
    gamma_.resize(static_cast<std::size_t>(elements.packets.size()) * tet_lanes * gamma_stride);
    isotropic_.resize(column_.size());
}

BlockCsr SystemAssembler::make_matrix() const {
    return BlockCsr(row_begin_, column_);
}

void SystemAssembler::sum_isotropic(double h, bool consistent_mass) {
    if (h == h_ && consistent_mass == consistent_) return;
    h_ = h;
    consistent_ = consistent_mass;
    parallel_for(elements_.n_nodes, 256, [&](Index i) {
        double* row = isotropic_.data() + row_begin_[i];
        std::fill(row, row + (row_begin_[i + 1] - row_begin_[i]), 0.0);
        const std::uint8_t* slot =
            slot_.data() + 4 * static_cast<std::size_t>(elements_.incidence.begin[i]);
        for (const Index entry : elements_.incidence.of(i)) {
            const Index t = entry / 4;
            const int a = entry % 4, lane = t % tet_lanes;
            const TetPacket& packet = elements_.packets[t / tet_lanes];
            const auto g = rest_gradients(packet, lane);
            const double k = h * (h + elements_.damping_stiffness[t]);
            const double m = consistent_mass
                                 ? elements_.tet_mass[t] / 20 * (1 + h * elements_.damping_mass[t])
                                 : 0;
            for (int b = 0; b < 4; ++b, ++slot)
                row[*slot] += k * packet.volume[lane] * packet.mu[lane] * dot(g[a], g[b]) +
                              m * (a == b ? 2 : 1);
        }
    });
}

namespace {

/// γ_a of eight tets, and (kVλ, kVμ): five Vec4d a tet.
[[gnu::flatten]] void turn_packet(const TetPacket& packet, const RotationPacket& rotation,
                                  const Double8& k, Vec4d* out) {
    store_balanced<gamma_stride>(load_matrix(rotation.R) * transpose(load_matrix(packet.Dm_inv)),
                                 out);
    const Double8 kV = k * Double8::load(packet.volume);
    store_corner<gamma_stride>(
        {kV * Double8::load(packet.lambda), kV * Double8::load(packet.mu), Double8(0.0)}, out + 4);
}

// A 3x3 block while it is summed: columns padded to four, the block to two cache lines.
struct alignas(64) PaddedBlock {
    double v[16];
};

using Eight = Packet<double, 8>;

Eight twice(const Four& a) {
    return Eight::from(__builtin_shufflevector(a.v, a.v, 0, 1, 2, 3, 4, 5, 6, 7));
}
/// (a_0 four times, a_1 four times)
Eight spread(const Four& a) {
    return Eight::from(__builtin_shufflevector(a.v, a.v, 0, 0, 0, 0, 1, 1, 1, 1));
}

/// sum += λ γ_a γ_bᵀ + μ γ_b γ_aᵀ over the four corners b of one tet.
inline void add_tet(const Vec4d* gamma, int a, const std::uint8_t* slot, PaddedBlock* sum) {
    const Four gamma_a = Four::load(gamma[a].v);
    const Four lambda_a = Four(gamma[4].v[0]) * gamma_a, mu_a = Four(gamma[4].v[1]) * gamma_a;
    const Eight lambda_aa = twice(lambda_a), mu_spread = spread(mu_a);
    const Four mu_2(mu_a[2]);
    for (int b = 0; b < 4; ++b) {
        double* block = sum[slot[b]].v;
        const Four gamma_b = Four::load(gamma[b].v);
        Eight columns01 = Eight::load(block);
        Four column2 = Four::load(block + 8);
        columns01 += lambda_aa * spread(gamma_b);
        columns01 += twice(gamma_b) * mu_spread;
        column2 += lambda_a * Four(gamma[b].v[2]);
        column2 += gamma_b * mu_2;
        columns01.store(block);
        column2.store(block + 8);
    }
}

/// out = block + isotropic I
inline void put_block(const PaddedBlock& block, double isotropic, Mat3d& out) {
    Four c0 = Four::load(block.v), c1 = Four::load(block.v + 4), c2 = Four::load(block.v + 8);
    const Four s(isotropic);
    c0 += s * Four::from(Four::Native{1, 0, 0, 0});
    c1 += s * Four::from(Four::Native{0, 1, 0, 0});
    c2 += s * Four::from(Four::Native{0, 0, 1, 0});
    c0.store(out.a);  // the padding of a column is overwritten by the next one
    c1.store(out.a + 3);
    for (int i = 0; i < 3; ++i) out.a[6 + i] = c2[i];
}

}  // namespace

void SystemAssembler::turn_gradients(double h, const CorotationCache& rotations) {
    parallel_for(static_cast<Index>(elements_.packets.size()), 64, [&](Index p) {
        const Double8 k = Double8(h) * (Double8(h) + load_tets(elements_.damping_stiffness, p));
        turn_packet(elements_.packets[p], rotations.element[p], k,
                    gamma_.data() + static_cast<std::size_t>(p) * tet_lanes * gamma_stride);
    });
}

void SystemAssembler::assemble_row(Index row, const SystemCoefficients& coefficients,
                                   Mat3d* out) const {
    PaddedBlock sum[max_row_blocks];  // not cleared beyond n: a row has 15 blocks, not 256
    const Index n = row_begin_[row + 1] - row_begin_[row];
    for (Index j = 0; j < n; ++j) {
        Eight(0.0).store(sum[j].v);
        Four(0.0).store(sum[j].v + 8);
    }
    const std::uint8_t* slot =
        slot_.data() + 4 * static_cast<std::size_t>(elements_.incidence.begin[row]);
    for (const Index entry : elements_.incidence.of(row)) {
        add_tet(gamma_.data() + static_cast<std::size_t>(entry / 4) * gamma_stride, entry % 4, slot,
                sum);
        slot += 4;
    }
    const double* isotropic = isotropic_.data() + row_begin_[row];
    for (Index j = 0; j < n; ++j) put_block(sum[j], isotropic[j], out[j]);
    if (!coefficients.lumped.empty())
        for (int i = 0; i < 3; ++i) out[diagonal_[row]](i, i) += coefficients.lumped[row];
}

void SystemAssembler::assemble(const SystemCoefficients& coefficients,
                               const CorotationCache& rotations, BlockCsr& A) {
    LIMBER_CHECK(A.n_blocks() == static_cast<Index>(column_.size()), "A is from make_matrix()");
    LIMBER_CHECK(rotations.element.size() == elements_.packets.size(), "reset() the rotations");
    LIMBER_CHECK(coefficients.consistent_mass ||
                     coefficients.lumped.size() == static_cast<std::size_t>(elements_.n_nodes),
                 "one lumped mass per node");
    sum_isotropic(coefficients.h, coefficients.consistent_mass);
    turn_gradients(coefficients.h, rotations);
    Mat3d* blocks = A.blocks().data();
    parallel_for(elements_.n_nodes, 128,
                 [&](Index i) { assemble_row(i, coefficients, blocks + row_begin_[i]); });
}

}  // namespace limber
