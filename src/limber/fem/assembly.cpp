// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/assembly.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/fem/block_columns.h"
#include "limber/fem/elements/packet_memory.h"

namespace limber {

namespace {

using Four = BlockColumns::Four;

constexpr std::size_t numbers_a_tet = 12;      // γ_0 .. γ_3
constexpr Index prefetch_ahead = 8;            // blocks
constexpr Index packed_tets = Index{1} << 28;  // a pair packs tet, corner and corner in 32 bits

Tet nodes_of(const ElementSet& elements, Index t) {
    Tet tet;
    for (int c = 0; c < 4; ++c) tet[c] = elements.tets.node(t, c);
    return tet;
}

/// λ/μ where it is one positive number for all tets, else 0.
double common_ratio(const ElementSet& elements) {
    double ratio = 0;
    for (Index t = 0; t < elements.n_tets; ++t) {
        const HookePacket& packet = elements.tets.packets[t / tet_lanes];
        const double r = packet.lambda[t % tet_lanes] / packet.mu[t % tet_lanes];
        if (t == 0) ratio = r;
        if (r != ratio || !(r > 0) || !std::isfinite(r)) return 0;
    }
    return ratio;
}

}  // namespace

SystemAssembler::SystemAssembler(const ElementSet& elements) : elements_(elements) {
    LIMBER_CHECK(elements.n_tets < packed_tets, "at most 268 million tets");
    std::vector<Tet> tets(elements.n_tets);
    for (Index t = 0; t < elements.n_tets; ++t) tets[t] = nodes_of(elements, t);
    NodeGraph graph = node_graph(elements.n_nodes, tets);
    row_begin_ = std::move(graph.begin);
    column_ = std::move(graph.column);
    list_pairs();
    gamma_.resize(numbers_a_tet * tet_lanes * elements.tets.packets.size() + 1);  // loaded by fours
    isotropic_.resize(upper_begin_.back());
    isotropic_ii_.resize(elements.n_nodes);
    ratio_ = common_ratio(elements);
    (ratio_ > 0 ? root_ : lame_)
        .resize((ratio_ > 0 ? 1 : 2) * static_cast<std::size_t>(elements.n_tets));
}

void SystemAssembler::list_pairs() {
    const Index n = elements_.n_nodes;
    const auto place = [&](Index i, Index j) {
        const auto first = column_.begin() + row_begin_[i],
                   last = column_.begin() + row_begin_[i + 1];
        return static_cast<Index>(std::lower_bound(first, last, j) - column_.begin());
    };
    diagonal_.resize(n);
    upper_begin_.assign(n + 1, 0);
    for (Index i = 0; i < n; ++i) {
        diagonal_[i] = place(i, i);
        upper_begin_[i + 1] = upper_begin_[i] + row_begin_[i + 1] - diagonal_[i] - 1;
        for (Index k = diagonal_[i] + 1; k < row_begin_[i + 1]; ++k)
            mirror_.push_back(place(column_[k], i));
    }
    // Counted, then filled: each pair of corners of each tet once, from the node with the lower
    // number.
    const auto for_each_pair = [&](auto&& call) {
        for (Index i = 0; i < n; ++i)
            for (const Index entry : elements_.incidence.of(i)) {
                const Tet tet = nodes_of(elements_, entry / 4);
                for (int b = 0; b < 4; ++b)
                    if (tet[b] > i)
                        call(upper_begin_[i] + place(i, tet[b]) - diagonal_[i] - 1,
                             4 * static_cast<std::uint32_t>(entry) + static_cast<std::uint32_t>(b));
            }
    };
    mirror_.resize(mirror_.size() + prefetch_ahead);
    pair_begin_.assign(upper_begin_.back() + 1, 0);
    for_each_pair([&](Index upper, std::uint32_t) { ++pair_begin_[upper + 1]; });
    for (Index k = 0; k < upper_begin_.back(); ++k) pair_begin_[k + 1] += pair_begin_[k];
    pair_.resize(pair_begin_.back());
    std::vector<Index> next(pair_begin_.begin(), pair_begin_.end() - 1);
    for_each_pair([&](Index upper, std::uint32_t pair) { pair_[next[upper]++] = pair; });
}

BlockCsr SystemAssembler::make_matrix() const {
    return BlockCsr(row_begin_, column_);
}

void SystemAssembler::sum_isotropic(double h, bool consistent_mass) {
    if (h == h_ && consistent_mass == consistent_) return;
    h_ = -1;  // until all of it is there
    consistent_ = consistent_mass;
    parallel_for(elements_.n_tets, 4096, [&](Index t) {
        const HookePacket& packet = elements_.tets.packets[t / tet_lanes];
        const double kV = h * (h + elements_.damping_stiffness[t]) * packet.volume[t % tet_lanes];
        if (ratio_ > 0) {
            root_[t] = std::sqrt(kV * packet.mu[t % tet_lanes]);
        } else {
            lame_[2 * t] = kV * packet.lambda[t % tet_lanes];
            lame_[2 * t + 1] = kV * packet.mu[t % tet_lanes];
        }
    });
    const auto term = [&](Index t, int a, int b) {  // kVμ g_a·g_b + ρV/20 (1 + δ_ab)(1 + h a_e)
        const HookePacket& packet = elements_.tets.packets[t / tet_lanes];
        const int lane = t % tet_lanes;
        const auto g = rest_gradients(elements_.tets.Dm_inv(t));
        const double k = h * (h + elements_.damping_stiffness[t]);
        const double m =
            consistent_mass ? elements_.tet_mass[t] / 20 * (1 + h * elements_.damping_mass[t]) : 0;
        return k * packet.volume[lane] * packet.mu[lane] * dot(g[a], g[b]) + m * (a == b ? 2 : 1);
    };
    parallel_for(elements_.n_nodes, 256, [&](Index i) {
        double sum = 0;
        for (const Index entry : elements_.incidence.of(i))
            sum += term(entry / 4, entry % 4, entry % 4);
        isotropic_ii_[i] = sum;
        for (Index u = upper_begin_[i]; u < upper_begin_[i + 1]; ++u) {
            sum = 0;
            for (Index k = pair_begin_[u]; k < pair_begin_[u + 1]; ++k)
                sum += term(static_cast<Index>(pair_[k] / 16), pair_[k] / 4 % 4, pair_[k] % 4);
            isotropic_[u] = sum;
        }
    });
    h_ = h;
}

namespace {

/// scale γ_a of eight tets, 12 numbers a tet.
[[gnu::flatten]] void turn_packet(const HookePacket& packet, const RotationPacket& rotation,
                                  const Double8& scale, double* out) {
    const Mat3<Double8> G =
        (scale * load_matrix(rotation.R)) * transpose(load_matrix(packet.Dm_inv));
    const auto store = [&](int first, const Vec3<Double8>& xyz, const Double8& w) {
        for_each_lane(
            xyz, w, [&](int lane, const Four& v) { v.store(out + numbers_a_tet * lane + first); });
    };
    // The fourth number of each store but the last is overwritten by the next.
    const Vec3<Double8> g2 = G.col(1), g3 = G.col(2);
    store(0, -(G.col(0) + g2 + g3), Double8(0.0));
    store(3, G.col(0), Double8(0.0));
    store(6, g2, Double8(0.0));
    store(8, {g2.z, g3.x, g3.y}, g3.z);
}

/// Σ kV (λ γ_a γ_bᵀ + μ γ_b γ_aᵀ) over the tets of one edge. Both terms are summed as γ_a γ_bᵀ, and
/// the second is transposed once at the end.
struct EachRatio {
    const double* gamma;  // γ, 12 numbers a tet
    const double* lame;   // kVλ, kVμ

    void add_diagonal(std::uint32_t entry, BlockColumns& sum) const {
        const double* a = gamma + std::size_t{3} * entry;
        const double* k = lame + std::size_t{2} * (entry / 4);
        sum.add_outer(Four(k[0] + k[1]) * Four::load(a), a);
    }
    BlockColumns finish_diagonal(const BlockColumns& sum) const { return sum; }
    BlockColumns sum_pairs(const std::uint32_t* pair, const std::uint32_t* end) const {
        BlockColumns lambda, mu;
        for (; pair != end; ++pair) {
            const std::size_t tet = *pair / 16;
            const Four a = Four::load(gamma + std::size_t{3} * (*pair / 4));
            const double* b = gamma + numbers_a_tet * tet + 3 * (*pair % 4);
            lambda.add_outer(Four(lame[2 * tet]) * a, b);
            mu.add_outer(Four(lame[2 * tet + 1]) * a, b);
        }
        mu = mu.transposed();
        return {lambda.c0 + mu.c0, lambda.c1 + mu.c1, lambda.c2 + mu.c2};
    }
};

/// The same where λ/μ is one number: both terms have the same sum, and √(kVμ) goes with γ.
struct OneRatio {
    const double* gamma;  // √(kVμ) γ, 12 numbers a tet
    double ratio;         // λ/μ

    static BlockColumns combined(const Four& ratio, const BlockColumns& a, const BlockColumns& b) {
        return {ratio * a.c0 + b.c0, ratio * a.c1 + b.c1, ratio * a.c2 + b.c2};
    }
    void add_diagonal(std::uint32_t entry, BlockColumns& sum) const {
        const double* a = gamma + std::size_t{3} * entry;
        sum.add_outer(Four::load(a), a);
    }
    BlockColumns finish_diagonal(const BlockColumns& sum) const {
        return combined(Four(ratio), sum, sum);
    }
    BlockColumns sum_pairs(const std::uint32_t* pair, const std::uint32_t* end) const {
        BlockColumns sum;
        for (; pair != end; ++pair)
            sum.add_outer(Four::load(gamma + std::size_t{3} * (*pair / 4)),
                          gamma + numbers_a_tet * (*pair / 16) + 3 * (*pair % 4));
        return combined(Four(ratio), sum, sum.transposed());
    }
};

}  // namespace

void SystemAssembler::turn_gradients(const CorotationCache& rotations) {
    parallel_for(static_cast<Index>(elements_.tets.packets.size()), 64, [&](Index p) {
        turn_packet(elements_.tets.packets[p], rotations.element[p],
                    ratio_ > 0 ? load_tets(root_, p) : Double8(1.0),
                    gamma_.data() + numbers_a_tet * tet_lanes * static_cast<std::size_t>(p));
    });
}

template <class Sums>
void SystemAssembler::assemble_rows(Index begin, Index end, const Sums& sums, const double* lumped,
                                    Mat3d* blocks) const {
    const std::uint32_t* pair = pair_.data();
    const Index *pair_begin = pair_begin_.data(), *mirror = mirror_.data();
    const double* isotropic = isotropic_.data();
    for (Index row = begin; row < end; ++row) {
        BlockColumns diagonal;
        for (const Index entry : elements_.incidence.of(row))
            sums.add_diagonal(static_cast<std::uint32_t>(entry), diagonal);
        diagonal = sums.finish_diagonal(diagonal);
        diagonal.add_isotropic(isotropic_ii_[row] + (lumped ? lumped[row] : 0.0));
        Mat3d* out = blocks + diagonal_[row];
        const Mat3d* next_row = blocks + diagonal_[std::min(row + 2, elements_.n_nodes - 1)];
        diagonal.store(*out);
        for (Index u = upper_begin_[row], last = upper_begin_[row + 1]; u < last; ++u) {
            BlockColumns block = sums.sum_pairs(pair + pair_begin[u], pair + pair_begin[u + 1]);
            block.add_isotropic(isotropic[u]);
            block.store(*++out);
            // Stores that miss the cache hold up all later ones.
            __builtin_prefetch(next_row++, 1);
            const double* ahead = blocks[mirror[u + prefetch_ahead]].a;  // two cache lines
            __builtin_prefetch(ahead, 1);
            __builtin_prefetch(ahead + 8, 1);
            block.transposed().store(blocks[mirror[u]]);
        }
    }
}

void SystemAssembler::assemble(const SystemCoefficients& coefficients,
                               const CorotationCache& rotations, BlockCsr& A) {
    LIMBER_CHECK(A.n_blocks() == static_cast<Index>(column_.size()), "A is from make_matrix()");
    LIMBER_CHECK(rotations.element.size() == elements_.tets.packets.size(),
                 "reset() the rotations");
    LIMBER_CHECK(coefficients.consistent_mass ||
                     coefficients.lumped.size() == static_cast<std::size_t>(elements_.n_nodes),
                 "one lumped mass per node");
    sum_isotropic(coefficients.h, coefficients.consistent_mass);
    turn_gradients(rotations);
    Mat3d* blocks = A.blocks().data();
    const double* lumped = coefficients.lumped.empty() ? nullptr : coefficients.lumped.data();
    parallel_ranges(elements_.n_nodes, 128, [&](Index begin, Index end) {
        if (ratio_ > 0)
            assemble_rows(begin, end, OneRatio{gamma_.data(), ratio_}, lumped, blocks);
        else
            assemble_rows(begin, end, EachRatio{gamma_.data(), lame_.data()}, lumped, blocks);
    });
}

}  // namespace limber
