// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/tet_potential.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/fem/elements/packet_memory.h"
#include "limber/fem/point_law.h"

namespace limber {

namespace {

/// The 3x3 block ∂²E/∂x_a ∂x_b = V Σ_jl C(· j, · l) g_a[j] g_b[l] of a tet, C = ∂P/∂F.
Mat3d contracted(const Mat9d& C, double volume, const Vec3d& a, const Vec3d& b) {
    Mat3d K;
    for (int l = 0; l < 3; ++l)
        for (int j = 0; j < 3; ++j) {
            const double w = volume * a[j] * b[l];
            for (int k = 0; k < 3; ++k)
                for (int i = 0; i < 3; ++i) K(i, k) += w * C(i + 3 * j, k + 3 * l);
        }
    return K;
}

template <class Law>
Mat9d tangent(const Law& law, HessianKind kind, const Mat3d& F, double l) {
    return kind == HessianKind::exact ? law.hessian(F, l) : law.projected_hessian(F, l);
}

}  // namespace

template <class Real>
TetPotential<Real>::TetPotential(const TetMesh& mesh, std::span<const Material> materials,
                                 std::span<const Index> tet_material,
                                 std::span<const TetData> tet_data)
    : mesh_(mesh),
      materials_(materials),
      tet_material_(tet_material),
      tet_data_(tet_data),
      place_(mesh.tets.size()) {
    LIMBER_CHECK(tet_data.empty() || tet_data.size() == mesh.tets.size(), "numbers of every tet");
    const Index n_tets = mesh.n_tets();
    TetOrder order = tets_by_material(tet_material, W, CornerSumOf<W>::chunk_packets);
    store_.fill(mesh, order, EmptyLanes::repeat);
    data_.fill(order, materials, tet_material, tet_data);
    chunk_material_ = std::move(order.material);
    tet_of_place_ = std::move(order.entry);
    for (Index place = 0; place < static_cast<Index>(tet_of_place_.size()); ++place) {
        Index& tet = tet_of_place_[place];
        if (tet == TetOrder::none) continue;
        tet /= 4;
        place_[tet] = place;
        LIMBER_CHECK(store_.volume(place) > 0, "a tet at rest has a positive volume");
    }
    // Terms of 3μ/2 that cancel at rest, errors independent from tet to tet, four of them at most.
    double squares = 0;
    for (Index t = 0; t < n_tets; ++t) {
        const double terms = 1.5 * small_strain(material_of(t)).mu * rest_of(t).volume;
        squares += terms * terms;
        converts_ = converts_ || material_of(t).conversion.on;
    }
    rounding_scale_ = 4 * std::sqrt(squares);
    incidence_ = node_tets(mesh.n_nodes(), mesh.tets);
    NodeTets places = incidence_;
    for (Index& entry : places.entry) entry = place_[entry / 4] * 4 + entry % 4;
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        std::sort(places.entry.begin() + places.begin[i],
                  places.entry.begin() + places.begin[i + 1]);
    plan_ = make_corner_sum<W>(places, std::move(order.packet_begin));
    chunk_energy_.resize(plan_.n_chunks());
    chunk_converted_.resize(plan_.n_chunks());
}

/// F = Ds Dm⁻¹ of W tets.
template <class Real>
auto TetPotential<Real>::gradient_of(const Group& group, const Vec3<Real>* x) const -> Mat3<Lanes> {
    Mat3<Lanes> Dm_inv;
    for (int i = 0; i < 9; ++i) Dm_inv.a[i] = Lanes::load(group.Dm_inv[i]);
    return load_edges(x, group.node) * Dm_inv;
}

template <class Real>
auto TetPotential<Real>::rest_of(Index t) const -> Rest {
    const Mat3d Dm = rest_shape(mesh_, t);
    return {inverse(Dm), determinant(Dm) / 6};
}

template <class Real>
Mat3d TetPotential<Real>::deformation(Index t, const Rest& rest, Positions x) const {
    const auto at = [&](int c) {
        const Vec3<Real>& p = x[mesh_.tets[t][c]];
        return Vec3d{p.x, p.y, p.z};
    };
    const Vec3d a = at(0);
    return Mat3d::from_columns(at(1) - a, at(2) - a, at(3) - a) * rest.Dm_inv;
}

template <class Real>
void TetPotential<Real>::begin_step(Positions x) {
    if (!converts_) return;
    parallel_chunks(plan_.n_chunks(), [&](Index chunk) {
        visit_law(materials_[chunk_material_[chunk]], [&](const auto& law) {
            bool converted = false;
            for (Index p = plan_.packet_begin[chunk]; p < plan_.packet_begin[chunk + 1]; ++p) {
                Group& group = store_.packets[p];
                const Mat3<Lanes> F = gradient_of(group, x.data());
                for (int lane = 0; lane < W; ++lane) {
                    Mat3d own;
                    for (int k = 0; k < 9; ++k) own.a[k] = static_cast<double>(F.a[k][lane]);
                    const bool keeps = law.keeps(own, group.kept[lane] > 0);
                    group.kept[lane] = group.interpolant[lane] = keeps ? Real(1) : Real(0);
                    converted = converted || keeps;
                }
            }
            chunk_converted_[chunk] = converted;
        });
    });
}

template <class Real>
std::vector<char> TetPotential<Real>::kept() const {
    std::vector<char> out(converts_ ? place_.size() : 0);
    for (std::size_t t = 0; t < out.size(); ++t)
        out[t] = store_.at(place_[t]).kept[place_[t] % W] > 0;
    return out;
}

template <class Real>
void TetPotential<Real>::set_kept(std::span<const char> kept) {
    if (!converts_) return;
    for (std::size_t t = 0; t < place_.size(); ++t) {
        Group& group = store_.at(place_[t]);
        const Real keeps = kept.empty() ? Real(0) : static_cast<Real>(kept[t]);
        group.kept[place_[t] % W] = group.interpolant[place_[t] % W] = keeps;
    }
    for (Index chunk = 0; chunk < plan_.n_chunks(); ++chunk) {
        bool converted = false;
        for (Index p = plan_.packet_begin[chunk]; p < plan_.packet_begin[chunk + 1]; ++p)
            converted =
                converted || any(Lanes::load(store_.packets[p].interpolant) > Lanes(Real(0)));
        chunk_converted_[chunk] = converted;
    }
}

/// The interpolant of the next iteration; 1 where it is kept.
template <class Lanes, class Law, class Scalar>
Lanes next_interpolant(const PointLaw<Law>& law, const Mat3<Lanes>& F, const Lanes& before,
                       const Scalar* kept) {
    const Lanes l = law.interpolant(F, before), keeps = Lanes::load(kept);
    return select(keeps > l, keeps, l);
}

template <class Real>
void TetPotential<Real>::hold(Positions x) {
    if (!converts_) return;
    parallel_chunks(plan_.n_chunks(), [&](Index chunk) {
        visit_law(materials_[chunk_material_[chunk]], [&](const auto& law) {
            if (!law.conversion.on) return;
            bool converted = false;
            for (Index p = plan_.packet_begin[chunk]; p < plan_.packet_begin[chunk + 1]; ++p) {
                Group& group = store_.packets[p];
                const Lanes l = next_interpolant(law, gradient_of(group, x.data()),
                                                 Lanes::load(group.interpolant), group.kept);
                l.store(group.interpolant);
                converted = converted || any(l > Lanes(Real(0)));
            }
            chunk_converted_[chunk] = converted;
        });
    });
}

template <class Real>
bool TetPotential<Real>::converted() const {
    return std::find(chunk_converted_.begin(), chunk_converted_.end(), 1) != chunk_converted_.end();
}

/// What the conversion does to a packet; rare, and out of line so that the usual path keeps its
/// registers.
template <class Law, class Lanes>
[[gnu::noinline]] Mat3<Lanes> converted_stress(const PointLaw<Law>& law, const Mat3<Lanes>& F,
                                               bool hold, const typename Lanes::Scalar* kept,
                                               Lanes& l) {
    if (hold) l = next_interpolant(law, F, l, kept);
    return law.stress(F, l);
}
template <class Law, class Lanes>
[[gnu::noinline]] Lanes converted_energy(const PointLaw<Law>& law, const Mat3<Lanes>& F,
                                         const Lanes& l) {
    return law.energy(F, l);
}

/// True where no tet of the packet is or becomes converted: PointLaw::interpolant would give 0.
template <class Law, class Lanes>
bool stays_plain(const PointLaw<Law>& law, const Mat3<Lanes>& F, bool hold, const Lanes& l) {
    const Lanes zero(typename Lanes::Scalar(0));
    if (!hold) return !any(l > zero);
    const Invariants<Lanes> v = invariants_of(F);
    const Lanes upper(static_cast<typename Lanes::Scalar>(law.conversion.upper));
    return !any(!((v.J > zero) & (v.J * v.J > upper * upper * v.II) & (l <= zero)));
}

template <class Real>
template <class Law>
[[gnu::flatten]] double TetPotential<Real>::sum_energy(const PointLaw<Law>& law, Index first,
                                                       Index last, const Vec3<Real>* x) const {
    double sum = 0;
    Index packet = first;
    for (const Group *group = &store_.packets[first], *end = group + (last - first); group != end;
         ++group, ++packet) {
        const auto& own = data_.of_packet(law, packet);
        const Mat3<Lanes> F = gradient_of(*group, x);
        const Lanes l = Lanes::load(group->interpolant), zero(Real(0));
        const Lanes V = Lanes::load(group->volume);
        Lanes psi;
        if (any(l > zero)) {
            psi = converted_energy(own, F, l);
        } else {
            psi = own.plain_energy(F);
        }
        const Lanes part = select(V > zero, V * psi, zero);
        for (int lane = 0; lane < W; ++lane) sum += static_cast<double>(part[lane]);
    }
    return sum;
}

template <class Real>
double TetPotential<Real>::energy(Positions x) {
    parallel_chunks(plan_.n_chunks(), [&](Index chunk) {
        visit_law(materials_[chunk_material_[chunk]], [&](const auto& law) {
            chunk_energy_[chunk] =
                sum_energy(law, plan_.packet_begin[chunk], plan_.packet_begin[chunk + 1], x.data());
        });
    });
    double sum = 0;
    for (double part : chunk_energy_) sum += part;
    return sum;
}

/// Returns whether some tet is converted.
template <class Real>
template <class Law>
[[gnu::flatten]] bool TetPotential<Real>::sweep_stress(const PointLaw<Law>& law, bool hold,
                                                       Index first, Index last, const Vec3<Real>* x,
                                                       Vec4<Real>* sum) {
    bool converted = false;
    Index packet = first;
    const auto* slots = &plan_.packet[first];
    for (Group *group = &store_.packets[first], *end = group + (last - first); group != end;
         ++group, ++slots, ++packet) {
        const auto& own = data_.of_packet(law, packet);
        const Mat3<Lanes> F = gradient_of(*group, x);
        Lanes l = Lanes::load(group->interpolant);
        Mat3<Lanes> P;
        if (stays_plain(own, F, hold, l)) {
            P = own.plain_stress(F);
        } else {
            P = converted_stress(own, F, hold, group->kept, l);
            l.store(group->interpolant);
            converted = converted || any(l > Lanes(Real(0)));
        }
        Mat3<Lanes> Dm_inv;
        for (int i = 0; i < 9; ++i) Dm_inv.a[i] = Lanes::load(group->Dm_inv[i]);
        add_balanced((Lanes::load(group->volume) * P) * transpose(Dm_inv), slots->slot, sum);
    }
    return converted;
}

template <class Real>
bool TetPotential<Real>::begin_gradient(Positions x, bool hold) {
    sweep_chunks(plan_, scratch_, [&](Index chunk, Index first, Index last, Vec4<Real>* sum) {
        visit_law(materials_[chunk_material_[chunk]], [&](const auto& law) {
            const bool takes_hold = hold && law.conversion.on;
            const bool converted = sweep_stress(law, takes_hold, first, last, x.data(), sum);
            if (takes_hold) chunk_converted_[chunk] = converted;
        });
    });
    return true;
}

template <class Real>
void TetPotential<Real>::add_gradient_range(Index begin, Index end, std::span<Vec3<Real>> g) {
    Vec3<Real>* out = g.data();
    for (Index i = begin; i < end; ++i) out[i] += node_sum(plan_, scratch_, i);
}

template <class Real>
void TetPotential<Real>::add_gradient(Positions x, std::span<Vec3<Real>> g) {
    begin_gradient(x, false);
    parallel_ranges(static_cast<Index>(g.size()), 2048,
                    [&](Index begin, Index end) { add_gradient_range(begin, end, g); });
}

template <class Real>
template <class Law>
void TetPotential<Real>::sweep_diagonal(const PointLaw<Law>& law, Index first, Index last,
                                        const Vec3<Real>* x, Vec4<Real>* sum) const {
    for (Index p = first; p < last; ++p) {
        const Group& group = store_.packets[p];
        const auto& own = data_.of_packet(law, p);
        const Mat3<Lanes> F = gradient_of(group, x);
        const Lanes l = Lanes::load(group.interpolant), V = Lanes::load(group.volume);
        Mat3<Lanes> Dm_inv;
        for (int i = 0; i < 9; ++i) Dm_inv.a[i] = Lanes::load(group.Dm_inv[i]);
        const Vec3<Lanes> g1 = Dm_inv.row(0), g2 = Dm_inv.row(1), g3 = Dm_inv.row(2);
        const auto add = [&](int corner, const Vec3<Lanes>& g) {
            add_corner(V * own.block_diagonal(F, l, g), plan_.packet[p].slot[corner], sum);
        };
        add(0, -(g1 + g2 + g3));
        add(1, g1);
        add(2, g2);
        add(3, g3);
    }
}

template <class Real>
void TetPotential<Real>::add_diagonal(Positions x, std::span<Vec3<Real>> d) {
    sweep_chunks(
        plan_, diagonal_scratch_, [&](Index chunk, Index first, Index last, Vec4<Real>* sum) {
            visit_law(materials_[chunk_material_[chunk]],
                      [&](const auto& law) { sweep_diagonal(law, first, last, x.data(), sum); });
        });
    parallel_for(static_cast<Index>(d.size()), 2048,
                 [&](Index i) { d[i] += node_sum(plan_, diagonal_scratch_, i); });
}

template <class Real>
void TetPotential<Real>::add_diagonal_blocks(Positions x, HessianKind kind,
                                             std::span<Mat3<Real>> D) {
    diagonal_.resize(place_.size());
    parallel_for(static_cast<Index>(place_.size()), 128, [&](Index t) {
        const Rest rest = rest_of(t);
        const double l = store_.at(place_[t]).interpolant[place_[t] % W];
        visit_law(material_of(t), [&](const auto& law) {
            const Mat9d C =
                tangent(law_of_tet(law, tet_data_, t), kind, deformation(t, rest, x), l);
            const auto g = rest_gradients(rest.Dm_inv);
            for (int a = 0; a < 4; ++a) diagonal_[t][a] = contracted(C, rest.volume, g[a], g[a]);
        });
    });
    parallel_for(static_cast<Index>(D.size()), 512, [&](Index i) {
        Mat3d sum;
        for (Index entry : incidence_.of(i)) sum += diagonal_[entry / 4][entry % 4];
        for (int k = 0; k < 9; ++k) D[i].a[k] += static_cast<Real>(sum.a[k]);
    });
}

template <class Real>
void TetPotential<Real>::add_pairs(std::vector<std::array<Index, 2>>& pairs) const {
    for (const Tet& tet : mesh_.tets)
        for (int a = 0; a < 4; ++a)
            for (int b = a + 1; b < 4; ++b)
                pairs.push_back({std::min(tet[a], tet[b]), std::max(tet[a], tet[b])});
}

template <class Real>
template <class Matrix>
void TetPotential<Real>::ensure_scatter(const Matrix& A) {
    if (has_scatter_) return;
    if constexpr (std::is_same_v<Matrix, BlockCsr>)
        scatter_ = BlockScatter<4>(A, mesh_.tets);
    else
        scatter_ = BlockScatter<4>(A.pattern(), mesh_.tets);
    has_scatter_ = true;
}

/// Blocks of the tets of a chunk, W at a time. Corner 0 balances the others.
template <class Real>
template <class Law, class Out>
void TetPotential<Real>::sweep_tangent(const PointLaw<Law>& law, Index first, Index last,
                                       const Vec3<Real>* x,
                                       std::span<BlockScatter<4>::BlocksOf<Out>> blocks) const {
    const auto pair = [](int a, int b) { return BlockScatter<4>::pair(a, b); };
    for (Index p = first; p < last; ++p) {
        const Group& group = store_.packets[p];
        const Lanes l = Lanes::load(group.interpolant), V = Lanes::load(group.volume);
        Mat3<Lanes> Dm_inv;
        for (int i = 0; i < 9; ++i) Dm_inv.a[i] = Lanes::load(group.Dm_inv[i]);
        const Vec3<Lanes> g[3] = {Dm_inv.row(0), Dm_inv.row(1), Dm_inv.row(2)};
        Mat3<Lanes> K[6];
        data_.of_packet(law, p).projected_blocks(gradient_of(group, x), l, g, K);
        const auto put = [&](int at, const Mat3<Lanes>& block) {
            for (int e = 0; e < 9; ++e) {
                const Lanes entry = V * block.a[e];
                for (int lane = 0; lane < W; ++lane) {
                    const Index tet = tet_of_place_[p * W + lane];
                    if (tet >= 0) blocks[tet][at].a[e] = static_cast<Out>(entry[lane]);
                }
            }
        };
        // K has the pairs 11, 12, 13, 22, 23, 33.
        put(pair(1, 1), K[0]);
        put(pair(1, 2), K[1]);
        put(pair(1, 3), K[2]);
        put(pair(2, 2), K[3]);
        put(pair(2, 3), K[4]);
        put(pair(3, 3), K[5]);
        const Mat3<Lanes> to_1 = Lanes(Real(-1)) * (K[0] + transpose(K[1]) + transpose(K[2]));
        const Mat3<Lanes> to_2 = Lanes(Real(-1)) * (K[1] + K[3] + transpose(K[4]));
        const Mat3<Lanes> to_3 = Lanes(Real(-1)) * (K[2] + K[4] + K[5]);
        put(pair(0, 1), to_1);
        put(pair(0, 2), to_2);
        put(pair(0, 3), to_3);
        put(pair(0, 0), Lanes(Real(-1)) * (to_1 + to_2 + to_3));
    }
}

template <class Real>
template <class Out>
bool TetPotential<Real>::assemble_tangent(Positions x, BlockRows<Out>& A) {
    for (const Material& material : materials_) {
        const bool by_stretches = visit_law(
            material, []<class Law>(const PointLaw<Law>&) { return StretchProjectedLaw<Law>; });
        if (!by_stretches) return false;
    }
    ensure_scatter(A);
    auto& blocks = [&]() -> auto& {
        if constexpr (std::is_same_v<Out, double>)
            return blocks_;
        else
            return rounded_blocks_;
    }
    ();
    blocks.resize(place_.size());
    parallel_chunks(plan_.n_chunks(), [&](Index chunk) {
        visit_law(materials_[chunk_material_[chunk]], [&]<class Law>(const PointLaw<Law>& law) {
            if constexpr (StretchProjectedLaw<Law>)
                sweep_tangent<Law, Out>(law, plan_.packet_begin[chunk],
                                        plan_.packet_begin[chunk + 1], x.data(), blocks);
        });
    });
    scatter_.template add<Out>(blocks, A);
    return true;
}

/// A += Σ weight(t) K_t.
template <class Real>
template <class Weight>
void TetPotential<Real>::assemble(Positions x, HessianKind kind, Weight&& weight, BlockCsr& A) {
    ensure_scatter(A);
    blocks_.resize(place_.size());
    parallel_for(static_cast<Index>(place_.size()), 128, [&](Index t) {
        const Rest rest = rest_of(t);
        const double l = store_.at(place_[t]).interpolant[place_[t] % W];
        visit_law(material_of(t), [&](const auto& law) {
            const Mat9d C =
                tangent(law_of_tet(law, tet_data_, t), kind, deformation(t, rest, x), l);
            const auto g = rest_gradients(rest.Dm_inv);
            for (int a = 0; a < 4; ++a)
                for (int b = a; b < 4; ++b)
                    blocks_[t][BlockScatter<4>::pair(a, b)] =
                        contracted(C, weight(t) * rest.volume, g[a], g[b]);
        });
    });
    scatter_.add(blocks_, 1, A);
}

template <class Real>
bool TetPotential<Real>::add_tangent(Positions x, BlockRows<float>& A) {
    return assemble_tangent(x, A);
}
template <class Real>
bool TetPotential<Real>::add_tangent(Positions x, BlockRows<double>& A) {
    return assemble_tangent(x, A);
}

template <class Real>
void TetPotential<Real>::add_hessian(Positions x, HessianKind kind, double scale, BlockCsr& A) {
    assemble(
        x, kind, [&](Index) { return scale; }, A);
}

template <class Real>
bool TetPotential<Real>::add_projective_matrix(BlockCsr& A) {
    ensure_scatter(A);
    blocks_.resize(place_.size());
    parallel_for(static_cast<Index>(place_.size()), 128, [&](Index t) {
        const Rest rest = rest_of(t);
        const Lame lame = small_strain(material_of(t));
        const double k =
            lame.mu + 1.5 * std::max(lame.lambda, 0.0) + 0.5 * added_stiffness(material_of(t));
        const auto g = rest_gradients(rest.Dm_inv);
        for (int a = 0; a < 4; ++a)
            for (int b = a; b < 4; ++b) {
                const double w = 2 * k * rest.volume * dot(g[a], g[b]);
                blocks_[t][BlockScatter<4>::pair(a, b)] = Mat3d::diagonal(w, w, w);
            }
    });
    scatter_.add(blocks_, 1, A);
    return true;
}

template <class Real>
void TetPotential<Real>::add_damping(Positions x, std::span<const double> b, double scale,
                                     BlockCsr& A) {
    assemble(
        x, HessianKind::projected, [&](Index t) { return scale * b[t]; }, A);
}

template <class Real>
std::vector<double> TetPotential<Real>::interpolants() const {
    std::vector<double> out(place_.size());
    for (std::size_t t = 0; t < place_.size(); ++t)
        out[t] = store_.at(place_[t]).interpolant[place_[t] % W];
    return out;
}

template class TetPotential<double>;
template class TetPotential<float>;

}  // namespace limber
