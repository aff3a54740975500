// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/corotated_sweep.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/fem/elements/packet_memory.h"
#include "limber/fem/rotation/rotation.h"

namespace limber {

namespace {

/// Of unit length.
template <class T>
struct Turn {
    T w;
    Vec3<T> v;
};

/// R of a unit quaternion, without the division by its length.
template <class T>
Mat3<T> matrix_of(const Turn<T>& q) {
    const Vec3<T> u = q.v + q.v;
    const T wx = q.w * u.x, wy = q.w * u.y, wz = q.w * u.z;
    const T xx = q.v.x * u.x, yy = q.v.y * u.y, zz = q.v.z * u.z;
    const T xy = q.v.x * u.y, xz = q.v.x * u.z, yz = q.v.y * u.z;
    return Mat3<T>::from_columns({T(1) - (yy + zz), xy + wz, xz - wy},
                                 {xy - wz, T(1) - (xx + zz), yz + wx},
                                 {xz + wy, yz - wx, T(1) - (xx + yy)});
}

/// The quaternion of a rotation, by its largest entry (Shepperd 1978).
Turn<double> quaternion_of(const Mat3d& R) {
    const double squares[4] = {1 + trace(R), 1 + 2 * R(0, 0) - trace(R), 1 + 2 * R(1, 1) - trace(R),
                               1 + 2 * R(2, 2) - trace(R)};  // 4 w², 4 x², 4 y², 4 z²
    const auto k = std::max_element(squares, squares + 4) - squares;
    const Vec3d odd{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
    const Vec3d even{R(2, 1) + R(1, 2), R(0, 2) + R(2, 0), R(1, 0) + R(0, 1)};
    const double f = std::sqrt(squares[k]);
    const double products[4][4] = {{f * f, odd.x, odd.y, odd.z},
                                   {odd.x, f * f, even.z, even.y},
                                   {odd.y, even.z, f * f, even.x},
                                   {odd.z, even.y, even.x, f * f}};
    const double* p = products[k];
    const double scale = 1 / (2 * f);
    return {scale * p[0], {scale * p[1], scale * p[2], scale * p[3]}};
}

/// Lanes that no small turn brings to the maximum: F far from order one, or R half a turn away from
/// it, where the trace has no slope either. Rare, and out of line.
template <class T>
[[gnu::noinline]] Turn<T> found_anew(Mat3<T> F, Turn<T> q) {
    for (int lane = 0; lane < T::width; ++lane) {
        Mat3d own, R;
        const Turn<double> now{static_cast<double>(q.w[lane]),
                               {static_cast<double>(q.v.x[lane]), static_cast<double>(q.v.y[lane]),
                                static_cast<double>(q.v.z[lane])}};
        for (int k = 0; k < 9; ++k) own.a[k] = static_cast<double>(F.a[k][lane]);
        R = rotation_exact(own, matrix_of(now));
        const Turn<double> found = quaternion_of(R);
        using S = typename T::Scalar;
        q.w.set(lane, static_cast<S>(found.w));
        for (int k = 0; k < 3; ++k) q.v[k].set(lane, static_cast<S>(found.v[k]));
    }
    return q;
}

/// One Newton step of max tr(RᵀF) about the present R, its length by the exact line search: see
/// polar_quaternion() in fem/rotation/rotation.h. The trace never falls.
template <class T>
Turn<T> turned(const Mat3<T>& F, const Turn<T>& q) {
    using std::sqrt;
    const Mat3<T> S = transpose(matrix_of(q)) * F;
    const Vec3<T> g = rotation_detail::axial(S);
    const Vec3<T> d = rotation_detail::ascent_direction(S, g);
    // Where nothing is left to turn the direction is rounding, or zero.
    const T tiny(is_single<T> ? 1e-30 : 1e-200), one(1), zero(0);
    const T d2 = dot(d, d);
    const auto turns = d2 > tiny;
    const T inv = one / select(turns, d2, one);
    const T b = dot(g, d) * inv, a = trace(S) - dot(d, S * d) * inv;
    const T c = sqrt(a * a + b * b * d2) + a;
    const auto safe = turns & (c > tiny);
    const T w = select(safe, c, one), f = select(safe, b, zero);
    const Vec3<T> v = f * d;
    const Turn<T> p{q.w * w - dot(q.v, v), q.w * v + w * q.v + cross(q.v, v)};
    const T scale = one / sqrt(p.w * p.w + dot(p.v, p.v));
    return {scale * p.w, scale * p.v};
}

}  // namespace

template <class Real>
CorotatedSweep<Real>::CorotatedSweep(const TetMesh& mesh, std::span<const Material> materials,
                                     std::span<const Index> tet_material) {
    TetOrder order = tets_by_material(tet_material, W, CornerSumOf<W>::chunk_packets);
    store_.fill(mesh, order, EmptyLanes::repeat);
    for (const Index material : order.material) {
        const Lame lame = small_strain(materials[material]);
        moduli_.push_back({static_cast<Real>(2 * lame.mu), static_cast<Real>(lame.lambda)});
    }
    std::vector<Index> place(mesh.tets.size());
    for (std::size_t p = 0; p < order.entry.size(); ++p)
        if (order.entry[p] != TetOrder::none) place[order.entry[p] / 4] = static_cast<Index>(p);
    NodeTets places = node_tets(mesh.n_nodes(), mesh.tets);
    for (Index& entry : places.entry) entry = place[entry / 4] * 4 + entry % 4;
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        std::sort(places.entry.begin() + places.begin[i],
                  places.entry.begin() + places.begin[i + 1]);
    plan_ = make_corner_sum<W>(places, std::move(order.packet_begin));
    reset_rotations();
}

template <class Real>
template <CorotatedTerms terms>
[[gnu::flatten]] void CorotatedSweep<Real>::sweep(Index chunk, Index first, Index last,
                                                  const Vec3<Real>* x, Vec4<Real>* sum) {
    using Lanes = Packet<Real, W>;
    const Lanes two_mu(moduli_[chunk].two_mu), lambda(moduli_[chunk].lambda);
    const auto* slots = &plan_.packet[first];
    for (auto *tets = &store_.packets[first], *end = tets + (last - first); tets != end;
         ++tets, ++slots) {
        Mat3<Lanes> Dm_inv;
        for (int i = 0; i < 9; ++i) Dm_inv.a[i] = Lanes::load(tets->Dm_inv[i]);
        const Mat3<Lanes> F = load_edges(x, tets->node) * Dm_inv;
        Turn<Lanes> q{Lanes::load(tets->q[0]),
                      {Lanes::load(tets->q[1]), Lanes::load(tets->q[2]), Lanes::load(tets->q[3])}};
        // Beyond this range products of entries leave that of floats.
        const Lanes size = contract(F, F);
        const auto odd = !((size > Lanes(Real(1e-6))) & (size < Lanes(Real(1e6))));
        if (any(odd))
            q = found_anew(F, q);
        else
            q = turned(F, q);
        Mat3<Lanes> R = matrix_of(q);
        Lanes stretch = contract(R, F);  // tr(RᵀF)
        if (any(stretch < Lanes(Real(0)))) {
            q = found_anew(F, q);
            R = matrix_of(q);
            stretch = contract(R, F);
        }
        q.w.store(tets->q[0]);
        q.v.x.store(tets->q[1]);
        q.v.y.store(tets->q[2]);
        q.v.z.store(tets->q[3]);
        // P = 2μ (F − R) + λ (tr(RᵀF) − 3) R
        Lanes of_R = two_mu;
        if constexpr (terms == CorotatedTerms::all) of_R -= lambda * (stretch - Lanes(Real(3)));
        const Lanes V = Lanes::load(tets->volume);
        const Mat3<Lanes> P = (V * two_mu) * F - (V * of_R) * R;
        for (int i = 0; i < 9; ++i) Dm_inv.a[i] = Lanes::load(tets->Dm_inv[i]);
        add_balanced(P * transpose(Dm_inv), slots->slot, sum);
    }
}

template <class Real>
void CorotatedSweep<Real>::begin_gradient(std::span<const Vec3<Real>> x, CorotatedTerms terms) {
    sweep_chunks(plan_, scratch_, [&](Index chunk, Index first, Index last, Vec4<Real>* sum) {
        if (terms == CorotatedTerms::all)
            sweep<CorotatedTerms::all>(chunk, first, last, x.data(), sum);
        else
            sweep<CorotatedTerms::stretch>(chunk, first, last, x.data(), sum);
    });
}

template <class Real>
void CorotatedSweep<Real>::add_gradient_range(Index begin, Index end,
                                              std::span<Vec3<Real>> g) const {
    Vec3<Real>* out = g.data();
    for (Index i = begin; i < end; ++i) out[i] += node_sum(plan_, scratch_, i);
}

template <class Real>
std::vector<double> CorotatedSweep<Real>::rotations() const {
    std::vector<double> out;
    for (const auto& tets : store_.packets)
        for (const auto& numbers : tets.q) out.insert(out.end(), numbers, numbers + W);
    return out;
}
template <class Real>
void CorotatedSweep<Real>::set_rotations(std::span<const double> values) {
    LIMBER_CHECK(values.size() == 4 * W * store_.packets.size(), "four numbers a place");
    const double* from = values.data();
    for (auto& tets : store_.packets)
        for (auto& numbers : tets.q)
            for (Real& number : numbers) number = static_cast<Real>(*from++);
}
template <class Real>
void CorotatedSweep<Real>::reset_rotations() {
    for (auto& tets : store_.packets)
        for (int k = 0; k < 4; ++k) std::fill_n(tets.q[k], W, Real(k == 0 ? 1 : 0));
}

template <class Real>
VolumeSweep<Real>::VolumeSweep(const TetMesh& mesh, std::span<const Material> materials,
                               std::span<const Index> tet_material) {
    std::vector<Index> constrained;
    std::vector<Index> nodes;
    for (Index t = 0; t < mesh.n_tets(); ++t) {
        if (!(small_strain(materials[tet_material[t]]).lambda > 0)) continue;
        constrained.push_back(t);
        nodes.insert(nodes.end(), mesh.tets[t].begin(), mesh.tets[t].end());
    }
    const Colouring colours = colour_elements(mesh.n_nodes(), nodes, 4);
    TetOrder order;
    for (Index c = 0; c < colours.n_colours(); ++c) {
        for (const Index k : colours.of(c)) order.entry.push_back(constrained[k] * 4);
        while (order.entry.size() % W != 0) order.entry.push_back(TetOrder::none);
        packet_begin_.push_back(static_cast<Index>(order.entry.size() / W));
    }
    store_.fill(mesh, order, EmptyLanes::repeat);
    tets_in_.assign(store_.packets.size(), 0);
    for (Index place = 0; place < static_cast<Index>(order.entry.size()); ++place) {
        auto& tets = store_.at(place);
        const Index entry = order.entry[place];
        double compliance = 1;
        if (entry != TetOrder::none) {
            ++tets_in_[place / W];
            const double V = determinant(rest_shape(mesh, entry / 4)) / 6;
            compliance = 1 / (small_strain(materials[tet_material[entry / 4]]).lambda * V);
        }
        tets.compliance[place % W] = static_cast<Real>(compliance);
    }
}

template <class Real>
void VolumeSweep<Real>::begin() {
    for (auto& tets : store_.packets) std::fill_n(tets.multiplier, W, Real(0));
}

template <class Real>
void VolumeSweep<Real>::sweep(std::span<Vec3<Real>> x, std::span<const Vec3<Real>> mobility) {
    using Lanes = Packet<Real, W>;
    const auto solve = [&](Index packet) {
        auto& tets = store_.packets[packet];
        const Vec3<Real>*at = x.data(), *w = mobility.data();
        Mat3<Lanes> Dm_inv;
        for (int i = 0; i < 9; ++i) Dm_inv.a[i] = Lanes::load(tets.Dm_inv[i]);
        Vec3<Lanes> corner[4], weight[4];
        for (int c = 0; c < 4; ++c) {
            corner[c] = load_corner(at, tets.node[c]);
            weight[c] = load_corner(w, tets.node[c]);
        }
        const Mat3<Lanes> F =
            Mat3<Lanes>::from_columns(corner[1] - corner[0], corner[2] - corner[0],
                                      corner[3] - corner[0]) *
            Dm_inv;
        const Mat3<Lanes> cof = cofactor(F), G = cof * transpose(Dm_inv);  // ∂J/∂F, ∂J/∂x
        const Vec3<Lanes> gradient[4] = {-(G.col(0) + G.col(1) + G.col(2)), G.col(0), G.col(1),
                                         G.col(2)};
        const Lanes J = dot(F.col(0), cof.col(0)), one(Real(1));
        const Lanes compliance = Lanes::load(tets.compliance);
        const Lanes kappa = Lanes::load(tets.multiplier);
        Lanes response = compliance;
        for (int c = 0; c < 4; ++c)
            response += weight[c].x * gradient[c].x * gradient[c].x +
                        weight[c].y * gradient[c].y * gradient[c].y +
                        weight[c].z * gradient[c].z * gradient[c].z;
        const Lanes change = -((J - one) + compliance * kappa) / response;
        (kappa + change).store(tets.multiplier);
        const int n = tets_in_[packet];
        for (int c = 0; c < 4; ++c) {
            const Vec3<Lanes> moved{corner[c].x + change * weight[c].x * gradient[c].x,
                                    corner[c].y + change * weight[c].y * gradient[c].y,
                                    corner[c].z + change * weight[c].z * gradient[c].z};
            for_each_lane(moved, Lanes(Real(0)), [&](int lane, const Packet<Real, 4>& value) {
                if (lane < n) x[tets.node[c][lane]] = {value[0], value[1], value[2]};
            });
        }
    };
    for (Index c = 0; c < n_colours(); ++c) {
        const Index first = packet_begin_[c];
        parallel_for(packet_begin_[c + 1] - first, 64, [&](Index k) { solve(first + k); });
    }
}

template class CorotatedSweep<double>;
template class CorotatedSweep<float>;
template class VolumeSweep<double>;
template class VolumeSweep<float>;

}  // namespace limber
