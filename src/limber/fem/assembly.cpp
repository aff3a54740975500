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

void SystemAssembler::turn_gradients(double h, const CorotationCache& rotations) {
    const Index n_packets = static_cast<Index>(elements_.packets.size());
    parallel_for(n_packets, 64, [&](Index p) {
        const TetPacket& packet = elements_.packets[p];
        const Mat3<Double8> G =
            load_matrix(rotations.element[p].R) * transpose(load_matrix(packet.Dm_inv));
        Vec4d corner[4 * tet_lanes];
        store_balanced(G, corner);
        Vec4d* out = gamma_.data() + static_cast<std::size_t>(p) * tet_lanes * gamma_stride;
        const Index n = std::min<Index>(tet_lanes, elements_.n_tets - p * tet_lanes);
        for (int lane = 0; lane < n; ++lane, out += gamma_stride) {
            for (int c = 0; c < 4; ++c) out[c] = corner[lane * 4 + c];
            const double k =
                h * (h + elements_.damping_stiffness[p * tet_lanes + lane]) * packet.volume[lane];
            out[4] = {{k * packet.lambda[lane], k * packet.mu[lane], 0, 0}};
        }
    });
}

void SystemAssembler::assemble_row(Index row, const SystemCoefficients& coefficients,
                                   Mat3d* out) const {
    struct Columns {
        Four c[3];
    };
    Columns sum[max_row_blocks];
    const Index n = row_begin_[row + 1] - row_begin_[row];
    for (Index j = 0; j < n; ++j) sum[j] = Columns{};
    const std::uint8_t* slot =
        slot_.data() + 4 * static_cast<std::size_t>(elements_.incidence.begin[row]);
    for (const Index entry : elements_.incidence.of(row)) {
        const Vec4d* gamma = gamma_.data() + static_cast<std::size_t>(entry / 4) * gamma_stride;
        const double* a = gamma[entry % 4].v;
        const Four lambda_a = Four(gamma[4].v[0]) * Four::load(a);
        const double mu = gamma[4].v[1];
        const Four mu_a[3] = {Four(mu * a[0]), Four(mu * a[1]), Four(mu * a[2])};
        for (int b = 0; b < 4; ++b, ++slot) {
            Columns& block = sum[*slot];
            const Four gamma_b = Four::load(gamma[b].v);
            for (int c = 0; c < 3; ++c)
                block.c[c] += lambda_a * Four(gamma[b].v[c]) + gamma_b * mu_a[c];
        }
    }
    const double* isotropic = isotropic_.data() + row_begin_[row];
    for (Index j = 0; j < n; ++j) {
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < 3; ++i) out[j](i, c) = sum[j].c[c][i];
        for (int i = 0; i < 3; ++i) out[j](i, i) += isotropic[j];
    }
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
