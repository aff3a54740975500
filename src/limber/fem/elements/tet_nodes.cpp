// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/core/parallel.h"
#include "limber/fem/elements/packet_memory.h"
#include "limber/fem/elements/tet_data.h"
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
/// corners alone.
struct NodeLanes {
    Index tet[W];
    Index material;  // of all
};
using NodeStore = TetStore<double, W, NodeLanes>;
using NodePacket = NodeStore::Lanes;

class TetNodes final : public NodePotential {
  public:
    TetNodes(const TetMesh& mesh, std::span<const Material> materials,
             std::span<const Index> tet_material, std::span<const TetData> tet_data);
    void hold(Positions x) override;
    void set_kept(std::span<const char> kept) override {
        if (kept.size() != interpolant_.size()) return;
        kept_.assign(kept.begin(), kept.end());
        std::copy(kept.begin(), kept.end(), interpolant_.begin());
    }
    void add(Index node, Positions x, NodeDerivatives& out) const override;
    double energy(Index node, const Vec3d& at, Positions x) const override;

  private:
    static Mat3<Double8> gradient_of(const NodePacket& packet, const Vec3d& at, Positions x);
    Double8 interpolant_of(const NodePacket& packet) const;

    std::span<const Material> materials_;
    std::vector<Index> begin_{0};  // of each node's packets, and the end
    NodeStore store_;
    TetDataStore<double, W> data_;
    // For the conversion, where some material has it.
    const TetMesh& mesh_;
    std::span<const Index> tet_material_;
    std::vector<double> interpolant_;  // one a tet
    std::vector<char> kept_;           // its interpolant stays 1
};

TetNodes::TetNodes(const TetMesh& mesh, std::span<const Material> materials,
                   std::span<const Index> tet_material, std::span<const TetData> tet_data)
    : materials_(materials), mesh_(mesh), tet_material_(tet_material) {
    std::vector<Index> runs_of_node;
    const TetOrder order =
        tets_around_nodes(node_tets(mesh.n_nodes(), mesh.tets), tet_material, W, runs_of_node);
    store_.fill(mesh, order, EmptyLanes::repeat);
    data_.fill(order, materials, tet_material, tet_data);
    for (Index run = 0; run < order.n_runs(); ++run)
        for (Index p = order.packet_begin[run]; p < order.packet_begin[run + 1]; ++p) {
            NodePacket& packet = store_.packets[p];
            packet.material = order.material[run];
            for (int lane = 0; lane < W; ++lane) {
                const Index entry = order.entry[p * W + lane];
                packet.tet[lane] = entry == TetOrder::none ? packet.tet[0] : entry / 4;
            }
        }
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        begin_.push_back(order.packet_begin[runs_of_node[i + 1]]);
    if (std::any_of(materials.begin(), materials.end(),
                    [](const Material& material) { return material.conversion.on; }))
        interpolant_.assign(mesh.tets.size(), 0.0);
}

void TetNodes::hold(Positions x) {
    parallel_for(static_cast<Index>(interpolant_.size()), 256, [&](Index t) {
        if (!kept_.empty() && kept_[t]) return;
        const Tet& tet = mesh_.tets[t];
        const Vec3d o = x[tet[0]];
        const Mat3d F = Mat3d::from_columns(x[tet[1]] - o, x[tet[2]] - o, x[tet[3]] - o) *
                        inverse(rest_shape(mesh_, t));
        visit_law(materials_[tet_material_[t]],
                  [&](const auto& law) { interpolant_[t] = law.interpolant(F, interpolant_[t]); });
    });
}

Mat3<Double8> TetNodes::gradient_of(const NodePacket& packet, const Vec3d& at, Positions x) {
    const Vec3<Double8> own{Double8(at.x), Double8(at.y), Double8(at.z)};
    const Mat3<Double8> edges = Mat3<Double8>::from_columns(
        load_corner(x.data(), packet.node[1]) - own, load_corner(x.data(), packet.node[2]) - own,
        load_corner(x.data(), packet.node[3]) - own);
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
        const NodePacket& packet = store_.packets[p];
        const Mat3<Double8> F = gradient_of(packet, x[node], x),
                            Dm_inv = load_matrix(packet.Dm_inv);
        const Vec3<Double8> g = -(Dm_inv.row(0) + Dm_inv.row(1) + Dm_inv.row(2));
        const Double8 V = Double8::load(packet.volume), l = interpolant_of(packet);
        const auto used = V > zero;
        visit_law(materials_[packet.material], [&](const auto& law) {
            const auto& own = data_.of_packet(law, p);
            const double energy = sum_of(select(used, V * own.energy(F, l), zero));
            const Vec3<Double8> f = own.stress(F, l) * g;
            const Mat3<Double8> K = own.block(F, l, g);
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
        const NodePacket& packet = store_.packets[p];
        const Mat3<Double8> F = gradient_of(packet, at, x);
        const Double8 V = Double8::load(packet.volume), l = interpolant_of(packet);
        visit_law(materials_[packet.material], [&](const auto& law) {
            const auto& own = data_.of_packet(law, p);
            sum += sum_of(select(V > zero, V * own.energy(F, l), zero));
        });
    }
    return sum;
}

}  // namespace

std::unique_ptr<NodePotential> make_tet_nodes(const TetMesh& mesh,
                                              std::span<const Material> materials,
                                              std::span<const Index> tet_material,
                                              std::span<const TetData> tet_data) {
    return std::make_unique<TetNodes>(mesh, materials, tet_material, tet_data);
}

}  // namespace limber
