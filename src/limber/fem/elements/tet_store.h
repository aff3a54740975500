// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tets of a mesh as the loops over elements read them, W side by side: the one place where a
// tet's nodes, rest shape and volume are stored. Solvers differ in the type of their numbers, in W
// (eight doubles or sixteen floats a packet, one for a loop that takes tet after tet) and in the
// order of tets; what they keep of a tet besides is their Data.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "limber/core/math.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

struct NoTetData {};

template <class Real, int W>
struct TetShapeLanes {
    Index node[4][W];
    Real Dm_inv[9][W];  // inverse rest shape, column-major entries [1/m]
    Real volume[W];     // [m³]; 0 in a lane without a tet
};
/// W tets. Data is an empty struct or one of arrays [W]; it comes last, so that each row of a shape
/// is a cache line.
template <class Real, int W, class Data = NoTetData>
struct alignas(std::min<std::size_t>(64, W * sizeof(Real))) TetLanes : TetShapeLanes<Real, W>,
                                                                       Data {};

/// g_0 .. g_3, the gradients of the shape functions of one tet at rest [1/m].
template <class T>
std::array<Vec3<T>, 4> rest_gradients(const Mat3<T>& Dm_inv) {
    const Vec3<T> g1 = Dm_inv.row(0), g2 = Dm_inv.row(1), g3 = Dm_inv.row(2);
    return {-(g1 + g2 + g3), g1, g2, g3};
}

/// Edges of a tet at rest as columns, corner `first` its origin and the others following in turn
/// (after 3 comes 0).
inline Mat3d rest_shape(const TetMesh& mesh, Index tet, int first = 0) {
    const auto at = [&](int c) { return mesh.nodes[mesh.tets[tet][(first + c) % 4]]; };
    const Vec3d o = at(0);
    return Mat3d::from_columns(at(1) - o, at(2) - o, at(3) - o);
}

/// Where the tets of a store come from, place by place (packet * W + lane).
struct TetOrder {
    static constexpr Index none = -1;
    std::vector<Index> entry;         // tet * 4 + the corner that comes first; none: no tet here
    std::vector<Index> packet_begin;  // of each run of packets of one material, and the end
    std::vector<Index> material;      // of each run

    Index n_runs() const { return static_cast<Index>(material.size()); }
};
/// Tets as the mesh has them, materials mixed: one run.
TetOrder tets_in_mesh_order(Index n_tets, int W);
/// Tets of one material together, otherwise as the mesh has them; runs end with a material and
/// after `longest` packets.
TetOrder tets_by_material(std::span<const Index> tet_material, int W, Index longest);
/// The tets of each node, it their first corner, by material: a run a node and material.
/// `runs_of_node` gets the first run of each node, and the end.
TetOrder tets_around_nodes(const NodeTets& incidence, std::span<const Index> tet_material, int W,
                           std::vector<Index>& runs_of_node);

/// What a lane without a tet holds: zeros, or the first tet of its packet with volume 0, so that no
/// law is asked for F = 0.
enum class EmptyLanes { zero, repeat };

template <class Real, int W, class Data = NoTetData>
struct TetStore {
    using Lanes = TetLanes<Real, W, Data>;
    static constexpr int width = W;
    std::vector<Lanes> packets;

    Index n_packets() const { return static_cast<Index>(packets.size()); }
    static int lane(Index place) { return place % W; }
    Lanes& at(Index place) { return packets[place / W]; }
    const Lanes& at(Index place) const { return packets[place / W]; }
    Index node(Index place, int corner) const { return at(place).node[corner][lane(place)]; }
    Real volume(Index place) const { return at(place).volume[lane(place)]; }
    Mat3<Real> Dm_inv(Index place) const {
        Mat3<Real> out;
        for (int i = 0; i < 9; ++i) out.a[i] = at(place).Dm_inv[i][lane(place)];
        return out;
    }

    void fill(const TetMesh& mesh, const TetOrder& order, EmptyLanes empty);
};

template <class Real, int W, class Data>
void TetStore<Real, W, Data>::fill(const TetMesh& mesh, const TetOrder& order, EmptyLanes empty) {
    packets.assign(order.entry.size() / W, Lanes{});
    for (Index place = 0; place < static_cast<Index>(order.entry.size()); ++place) {
        Lanes& packet = at(place);
        const int l = lane(place);
        const Index entry = order.entry[place];
        if (entry == TetOrder::none) {
            if (empty == EmptyLanes::zero) continue;
            for (auto& corner : packet.node) corner[l] = corner[0];
            for (auto& number : packet.Dm_inv) number[l] = number[0];
            continue;
        }
        const Index tet = entry / 4;
        const int first = entry % 4;
        const Mat3d Dm = rest_shape(mesh, tet, first), inv = inverse(Dm);
        for (int c = 0; c < 4; ++c) packet.node[c][l] = mesh.tets[tet][(first + c) % 4];
        for (int i = 0; i < 9; ++i) packet.Dm_inv[i][l] = static_cast<Real>(inv.a[i]);
        // Every other corner as the first one mirrors the edges.
        const double det = determinant(Dm);
        packet.volume[l] = static_cast<Real>((first % 2 == 0 ? det : -det) / 6);
    }
}

}  // namespace limber
