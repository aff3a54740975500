// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/stuffing/stencil.h"

#include <utility>

namespace limber {

namespace {

bool long_edge(int a, int b) {
    return a / 2 == b / 2;
}

/// The parity rule: seen from the outside corner n, exactly one end of a long edge has an even
/// number of coordinates greater than n's, whichever tet asks, so two tets that share the face
/// choose the same diagonal.
bool is_even(const LatticePoint& p, const LatticePoint& n) {
    return ((p[0] > n[0]) + (p[1] > n[1]) + (p[2] > n[2])) % 2 == 0;
}

/// The face (a, b, n) with a, b inside and n outside keeps a quadrilateral a, b, cut bn, cut an.
/// True when its diagonal ends at corner a (and cut bn), false when at b (and cut an). A cut point
/// on a long edge always carries the diagonal: the other choice allows angles of 6 degrees. Where
/// both cut edges are short the parity rule decides.
bool diagonal_at_first(int a, int b, int n, const std::array<LatticePoint, 4>& at) {
    if (long_edge(a, n)) return false;
    if (long_edge(b, n)) return true;
    return is_even(at[a], at[n]);
}

StencilNode corner(int a) {
    return {a, a};
}
StencilNode cut(int a, int b) {
    return {a, b};
}

void add(Stencil& s, StencilNode p, StencilNode q, StencilNode r, StencilNode t) {
    s.tets[s.n_tets++] = {p, q, r, t};
}

/// Two inside, one on, one outside: a pyramid over the quadrilateral with its top at z.
void fill_pyramid(Stencil& s, int a, int b, int z, int n, const std::array<LatticePoint, 4>& at) {
    if (!diagonal_at_first(a, b, n, at)) std::swap(a, b);
    add(s, corner(a), corner(b), cut(b, n), corner(z));
    add(s, corner(a), cut(a, n), cut(b, n), corner(z));
}

/// Three inside, n outside: a triangular prism. o is the far end of n's long edge.
void fill_truncated(Stencil& s, int n, const std::array<LatticePoint, 4>& at) {
    const int o = n ^ 1;
    int r = n < 2 ? 2 : 0, t = r + 1;
    if (!diagonal_at_first(r, t, n, at)) std::swap(r, t);
    add(s, corner(o), corner(r), corner(t), cut(o, n));
    add(s, corner(r), corner(t), cut(o, n), cut(t, n));
    add(s, corner(r), cut(o, n), cut(r, n), cut(t, n));
}

/// Two inside, two outside: a wedge. The diagonals of its two lattice faces start at different
/// inside corners, which leaves one way to split the face on the surface.
void fill_wedge(Stencil& s, int a, int b, int n, int m, const std::array<LatticePoint, 4>& at) {
    if (!diagonal_at_first(a, b, n, at)) std::swap(n, m);  // now a - cut bn and b - cut am
    add(s, corner(a), corner(b), cut(a, m), cut(b, n));
    add(s, corner(a), cut(a, n), cut(a, m), cut(b, n));
    add(s, corner(b), cut(b, n), cut(b, m), cut(a, m));
}

}  // namespace

Stencil make_stencil(const std::array<Side, 4>& side, const std::array<LatticePoint, 4>& at) {
    int in[4], on[4], out[4];
    int n_in = 0, n_on = 0, n_out = 0;
    for (int k = 0; k < 4; ++k) {
        if (side[k] == Side::inside) in[n_in++] = k;
        if (side[k] == Side::on) on[n_on++] = k;
        if (side[k] == Side::outside) out[n_out++] = k;
    }
    Stencil s;
    if (n_in == 0) return s;
    if (n_in == 1 || n_out == 0) {
        StencilTet tet;
        for (int k = 0; k < 4; ++k) tet[k] = side[k] == Side::outside ? cut(in[0], k) : corner(k);
        s.tets[s.n_tets++] = tet;
    } else if (n_in == 3) {
        fill_truncated(s, out[0], at);
    } else if (n_out == 2) {
        fill_wedge(s, in[0], in[1], out[0], out[1], at);
    } else {
        fill_pyramid(s, in[0], in[1], on[0], out[0], at);
    }
    return s;
}

}  // namespace limber
