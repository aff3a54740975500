// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/core/parallel.h"
#include "limber/fem/elements/packet_memory.h"
#include "limber/fem/node_potential.h"
#include "limber/fem/point_law.h"

namespace limber {

namespace {

constexpr int W = tet_lanes;

double sum_of(const Double8& a) {
    double sum = 0;
    for (int lane = 0; lane < W; ++lane) sum += a[lane];
    return sum;
}

/// Tets of one node and one material, eight at a time, the node as their first corner: then its
/// shape functions have the gradients g = −(the rows of Dm⁻¹), and F = edges Dm⁻¹ needs the other
/// corners alone. Empty lanes repeat the first, with volume 0.
struct alignas(64) NodePacket {
    Index other[3][W];
    Index tet[W];
    double Dm_inv[9][W];
    double volume[W];
    Index material;
};

class TetNodes final : public NodePotential {
  public:
    TetNodes(const TetMesh& mesh, std::span<const Material> materials,
             std::span<const Index> tet_material);
    void hold(Positions x) override;
    void set_kept(std::span<const char> kept) override {
        if (kept.size() != interpolant_.size()) return;
        kept_.assign(kept.begin(), kept.end());
        std::copy(kept.begin(), kept.end(), interpolant_.begin());
    }
    void add(Index node, Positions x, NodeDerivatives& out) const override;
    double energy(Index node, const Vec3d& at, Positions x) const override;

  private:
    void add_packets(std::span<const Index> entries, const TetMesh& mesh, Index material);
    static Mat3<Double8> gradient_of(const NodePacket& packet, const Vec3d& at, Positions x);
    Double8 interpolant_of(const NodePacket& packet) const;

    std::span<const Material> materials_;
    std::vector<Index> begin_{0};  // of each node's packets, and the end
    std::vector<NodePacket> packets_;
    // For the conversion, where some material has it.
    std::vector<Tet> tets_;
    std::vector<Mat3d> Dm_inv_;
    std::vector<Index> tet_material_;
    std::vector<double> interpolant_;  // one a tet
    std::vector<char> kept_;           // its interpolant stays 1
};

TetNodes::TetNodes(const TetMesh& mesh, std::span<const Material> materials,
                   std::span<const Index> tet_material)
    : materials_(materials) {
    const NodeTets incidence = node_tets(mesh.n_nodes(), mesh.tets);
    std::vector<Index> entries;
    for (Index i = 0; i < mesh.n_nodes(); ++i) {
        const auto own = incidence.of(i);
        entries.assign(own.begin(), own.end());
        std::stable_sort(entries.begin(), entries.end(), [&](Index a, Index b) {
            return tet_material[a / 4] < tet_material[b / 4];
        });
        for (std::size_t k = 0; k < entries.size();) {
            const Index material = tet_material[entries[k] / 4];
            std::size_t end = k;
            while (end < entries.size() && tet_material[entries[end] / 4] == material) ++end;
            add_packets(std::span(entries).subspan(k, end - k), mesh, material);
            k = end;
        }
        begin_.push_back(static_cast<Index>(packets_.size()));
    }
    if (std::none_of(materials.begin(), materials.end(),
                     [](const Material& material) { return material.conversion.on; }))
        return;
    tets_ = mesh.tets;
    tet_material_.assign(tet_material.begin(), tet_material.end());
    interpolant_.assign(tets_.size(), 0.0);
    for (const Tet& t : tets_) {
        const Vec3d o = mesh.nodes[t[0]];
        Dm_inv_.push_back(inverse(
            Mat3d::from_columns(mesh.nodes[t[1]] - o, mesh.nodes[t[2]] - o, mesh.nodes[t[3]] - o)));
    }
}

void TetNodes::add_packets(std::span<const Index> entries, const TetMesh& mesh, Index material) {
    for (std::size_t k = 0; k < entries.size(); k += W) {
        NodePacket& packet = packets_.emplace_back();
        packet.material = material;
        for (int lane = 0; lane < W; ++lane) {
            const bool used = k + lane < entries.size();
            const Index entry = entries[used ? k + lane : k];
            const Tet& t = mesh.tets[entry / 4];
            const Vec3d own = mesh.nodes[t[entry % 4]];
            Mat3d Dm;
            for (int c = 0; c < 3; ++c) {
                packet.other[c][lane] = t[(entry % 4 + 1 + c) % 4];
                const Vec3d edge = mesh.nodes[packet.other[c][lane]] - own;
                for (int r = 0; r < 3; ++r) Dm(r, c) = edge[r];
            }
            const Mat3d inv = inverse(Dm);
            for (int i = 0; i < 9; ++i) packet.Dm_inv[i][lane] = inv.a[i];
            packet.volume[lane] = used ? std::abs(determinant(Dm)) / 6 : 0;
            packet.tet[lane] = entry / 4;
        }
    }
}

void TetNodes::hold(Positions x) {
    parallel_for(static_cast<Index>(interpolant_.size()), 256, [&](Index t) {
        const Tet& tet = tets_[t];
        const Vec3d o = x[tet[0]];
        const Mat3d F =
            Mat3d::from_columns(x[tet[1]] - o, x[tet[2]] - o, x[tet[3]] - o) * Dm_inv_[t];
        if (!kept_.empty() && kept_[t]) return;
        visit_law(materials_[tet_material_[t]],
                  [&](const auto& law) { interpolant_[t] = law.interpolant(F, interpolant_[t]); });
    });
}

Mat3<Double8> TetNodes::gradient_of(const NodePacket& packet, const Vec3d& at, Positions x) {
    const Vec3<Double8> own{Double8(at.x), Double8(at.y), Double8(at.z)};
    const Mat3<Double8> edges = Mat3<Double8>::from_columns(
        load_corner(x.data(), packet.other[0]) - own, load_corner(x.data(), packet.other[1]) - own,
        load_corner(x.data(), packet.other[2]) - own);
    return edges * load_matrix(packet.Dm_inv);
}

Double8 TetNodes::interpolant_of(const NodePacket& packet) const {
    Double8 l(0.0);
    if (!interpolant_.empty())
        for (int lane = 0; lane < W; ++lane) l.set(lane, interpolant_[packet.tet[lane]]);
    return l;
}

void TetNodes::add(Index node, Positions x, NodeDerivatives& out) const {
    const Double8 zero(0.0);
    for (Index p = begin_[node]; p < begin_[node + 1]; ++p) {
        const NodePacket& packet = packets_[p];
        const Mat3<Double8> F = gradient_of(packet, x[node], x),
                            Dm_inv = load_matrix(packet.Dm_inv);
        const Vec3<Double8> g = -(Dm_inv.row(0) + Dm_inv.row(1) + Dm_inv.row(2));
        const Double8 V = Double8::load(packet.volume), l = interpolant_of(packet);
        const auto used = V > zero;
        visit_law(materials_[packet.material], [&](const auto& law) {
            const double energy = sum_of(select(used, V * law.energy(F, l), zero));
            const Vec3<Double8> f = law.stress(F, l) * g;
            const Mat3<Double8> K = law.block(F, l, g);
            out.energy += energy;
            // Terms of 3μ/2 cancel at rest.
            out.scale += std::abs(energy) + 1.5 * law.law.small_strain().mu * sum_of(V);
            for (int r = 0; r < 3; ++r) {
                out.gradient[r] += sum_of(V * f[r]);
                for (int s = 0; s <= r; ++s) {
                    const double entry = sum_of(V * K(r, s));
                    out.block(r, s) += entry;
                    if (s < r) out.block(s, r) += entry;
                }
            }
        });
    }
}

double TetNodes::energy(Index node, const Vec3d& at, Positions x) const {
    const Double8 zero(0.0);
    double sum = 0;
    for (Index p = begin_[node]; p < begin_[node + 1]; ++p) {
        const NodePacket& packet = packets_[p];
        const Mat3<Double8> F = gradient_of(packet, at, x);
        const Double8 V = Double8::load(packet.volume), l = interpolant_of(packet);
        visit_law(materials_[packet.material], [&](const auto& law) {
            sum += sum_of(select(V > zero, V * law.energy(F, l), zero));
        });
    }
    return sum;
}

}  // namespace

std::unique_ptr<NodePotential> make_tet_nodes(const TetMesh& mesh,
                                              std::span<const Material> materials,
                                              std::span<const Index> tet_material) {
    return std::make_unique<TetNodes>(mesh, materials, tet_material);
}

}  // namespace limber
