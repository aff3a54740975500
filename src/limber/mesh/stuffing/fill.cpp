// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/stuffing/fill.h"

#include <numeric>
#include <utility>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/core/stop.h"

namespace limber {

namespace {

/// Corners of the face between two octants, in the plane across `axis`, counter-clockwise seen
/// against the axis: with the two centres they make positive tets (c, c', k, k + 1).
constexpr int around_face[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

}  // namespace

StuffingFill::StuffingFill(const WarpedLattice& lattice)
    : lattice_(lattice),
      node_(static_cast<std::size_t>(lattice.lattice().size()), -1),
      cut_node_(lattice.active().size() * n_owned, -1) {}

Index StuffingFill::lattice_node(LatticeId id, const LatticePoint& p) {
    Index& node = node_[id];
    if (node < 0) {
        node = mesh_.n_nodes();
        mesh_.nodes.push_back(lattice_.position(id, p));
    }
    return node;
}

Index StuffingFill::cut_node(const LatticePoint& a, const LatticePoint& b) {
    const std::int64_t key = lattice_.cut_key(a, b);
    Index& node = cut_node_[key];
    if (node < 0) {
        node = mesh_.n_nodes();
        mesh_.nodes.push_back(lattice_.cut_position(key));
    }
    return node;
}

void StuffingFill::push(Tet tet) {
    if (mesh_.n_tets() >= max_tets)
        throw InputError("the mesh would have more than " + std::to_string(max_tets) +
                         " tets; choose a larger cell");
    mesh_.tets.push_back(tet);
}

void StuffingFill::add_whole(const std::array<LatticePoint, 4>& corners) {
    Tet tet;
    for (int k = 0; k < 4; ++k)
        tet[k] = lattice_node(lattice_.lattice().id(corners[k]), corners[k]);
    const auto& x = mesh_.nodes;
    if (tet_volume(x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]) < 0) std::swap(tet[2], tet[3]);
    push(tet);
}

void StuffingFill::add_cut_tet(const std::array<LatticePoint, 4>& at,
                               const std::array<LatticeId, 4>& id,
                               const std::array<Side, 4>& side) {
    const Stencil stencil = make_stencil(side, at);
    for (int t = 0; t < stencil.n_tets; ++t) {
        Tet tet;
        for (int k = 0; k < 4; ++k) {
            const StencilNode& s = stencil.tets[t][k];
            tet[k] = s.a == s.b ? lattice_node(id[s.a], at[s.a]) : cut_node(at[s.a], at[s.b]);
        }
        const auto& x = mesh_.nodes;
        const double volume = tet_volume(x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]);
        LIMBER_ASSERT(volume != 0);
        if (volume < 0) std::swap(tet[2], tet[3]);
        push(tet);
    }
}

void StuffingFill::fill_face(const LatticePoint& c, int axis) {
    const BccLattice& lattice = lattice_.lattice();
    LatticePoint next = c;
    next[axis] += 2;
    const LatticeId id_c = lattice.id(c), id_next = lattice.id(next);
    const Side side_c = lattice_.side(id_c), side_next = lattice_.side(id_next);

    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    LatticePoint corner[4];
    LatticeId id[4];
    Side side[4];
    bool any_inside = side_c == Side::inside || side_next == Side::inside;
    for (int k = 0; k < 4; ++k) {
        corner[k][axis] = c[axis] + 1;
        corner[k][u] = c[u] + around_face[k][0];
        corner[k][v] = c[v] + around_face[k][1];
        id[k] = lattice.id(corner[k]);
        side[k] = lattice_.side(id[k]);
        any_inside |= side[k] == Side::inside;
    }
    if (!any_inside) return;

    for (int k = 0; k < 4; ++k) {
        const int l = (k + 1) % 4;
        if (side_c == Side::inside && side_next == Side::inside && side[k] == Side::inside &&
            side[l] == Side::inside) {
            push({lattice_node(id_c, c), lattice_node(id_next, next),
                  lattice_node(id[k], corner[k]), lattice_node(id[l], corner[l])});
        } else {
            add_cut_tet({c, next, corner[k], corner[l]}, {id_c, id_next, id[k], id[l]},
                        {side_c, side_next, side[k], side[l]});
        }
    }
}

TetMesh StuffingFill::take() {
    mesh_.node_ids.resize(mesh_.nodes.size());
    mesh_.tet_ids.resize(mesh_.tets.size());
    std::iota(mesh_.node_ids.begin(), mesh_.node_ids.end(), FileId{0});
    std::iota(mesh_.tet_ids.begin(), mesh_.tet_ids.end(), FileId{0});
    return std::move(mesh_);
}

TetMesh fill_uniform(const WarpedLattice& lattice, const StuffingProgress& progress) {
    StuffingFill fill(lattice);
    const auto& n = lattice.lattice().octants();
    for (Index k = 0; k < n[2]; ++k) {
        stop_if_requested();
        for (Index j = 0; j < n[1]; ++j)
            for (Index i = 0; i < n[0]; ++i) {
                const LatticePoint c{2 * i + 1, 2 * j + 1, 2 * k + 1};
                for (int axis = 0; axis < 3; ++axis)
                    if (c[axis] + 2 < 2 * n[axis]) fill.fill_face(c, axis);
            }
        if (progress) progress("filling", double(k + 1) / n[2]);
    }
    return fill.take();
}

}  // namespace limber
