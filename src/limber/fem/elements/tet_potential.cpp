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
                                 std::span<const Index> tet_material)
    : materials_(materials), tets_(mesh.tets), rest_(mesh.tets.size()) {
    const Index n_tets = mesh.n_tets();
    std::vector<Index> order(n_tets), packet_begin{0};
    for (Index t = 0; t < n_tets; ++t) order[t] = t;
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return tet_material[a] < tet_material[b]; });
    for (Index k = 0; k < n_tets; ++k) {
        const Index t = order[k], m = tet_material[t];
        const bool other = k == 0 || m != tet_material[order[k - 1]];
        const int lane = other ? 0 : (rest_[order[k - 1]].place + 1) % W;
        if (lane == 0) {
            const Index packet = static_cast<Index>(groups_.size());
            const bool full = packet - packet_begin.back() == CornerSumOf<W>::chunk_packets;
            if (packet > 0 && (other || full)) packet_begin.push_back(packet);
            if (packet == packet_begin.back()) chunk_material_.push_back(m);
            groups_.emplace_back();
        }
        Group& group = groups_.back();
        const Vec3d a = mesh.nodes[tets_[t][0]];
        const Mat3d Dm = Mat3d::from_columns(
            mesh.nodes[tets_[t][1]] - a, mesh.nodes[tets_[t][2]] - a, mesh.nodes[tets_[t][3]] - a);
        rest_[t] = {inverse(Dm), determinant(Dm) / 6,
                    static_cast<Index>(groups_.size() - 1) * W + lane, m};
        LIMBER_CHECK(rest_[t].volume > 0, "a tet at rest has a positive volume");
        for (int c = 0; c < 4; ++c) group.node[c][lane] = tets_[t][c];
        for (int i = 0; i < 9; ++i) group.Dm_inv[i][lane] = static_cast<Real>(rest_[t].Dm_inv.a[i]);
        group.volume[lane] = static_cast<Real>(rest_[t].volume);
        converts_ = converts_ || materials[m].conversion.on;
    }
    // A lane without a tet repeats the first, so that no law is asked for F = 0; its volume is 0
    // and no node reads its slot.
    for (Group& group : groups_)
        for (int lane = 1; lane < W; ++lane) {
            if (group.volume[lane] > 0) continue;
            for (auto& node : group.node) node[lane] = node[0];
            for (auto& entry : group.Dm_inv) entry[lane] = entry[0];
        }
    // Terms of 3μ/2 that cancel at rest, errors independent from tet to tet, four of them at most.
    double squares = 0;
    for (const RestTet& rest : rest_) {
        const double terms = 1.5 * small_strain(materials[rest.material]).mu * rest.volume;
        squares += terms * terms;
    }
    rounding_scale_ = 4 * std::sqrt(squares);
    tet_of_place_.assign(groups_.size() * W, -1);
    for (Index t = 0; t < n_tets; ++t) tet_of_place_[rest_[t].place] = t;
    packet_begin.push_back(static_cast<Index>(groups_.size()));
    if (n_tets == 0) packet_begin = {0};
    incidence_ = node_tets(mesh.n_nodes(), tets_);
    NodeTets places = incidence_;
    for (Index& entry : places.entry) entry = rest_[entry / 4].place * 4 + entry % 4;
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        std::sort(places.entry.begin() + places.begin[i],
                  places.entry.begin() + places.begin[i + 1]);
    plan_ = make_corner_sum<W>(places, std::move(packet_begin));
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
Mat3d TetPotential<Real>::deformation(Index t, Positions x) const {
    const auto at = [&](int c) {
        const Vec3<Real>& p = x[tets_[t][c]];
        return Vec3d{p.x, p.y, p.z};
    };
    const Vec3d a = at(0);
    return Mat3d::from_columns(at(1) - a, at(2) - a, at(3) - a) * rest_[t].Dm_inv;
}

template <class Real>
void TetPotential<Real>::begin_step(Positions x) {
    if (!converts_) return;
    parallel_chunks(plan_.n_chunks(), [&](Index chunk) {
        visit_law(materials_[chunk_material_[chunk]], [&](const auto& law) {
            bool converted = false;
            for (Index p = plan_.packet_begin[chunk]; p < plan_.packet_begin[chunk + 1]; ++p) {
                Group& group = groups_[p];
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
    std::vector<char> out(converts_ ? tets_.size() : 0);
    for (std::size_t t = 0; t < out.size(); ++t)
        out[t] = groups_[rest_[t].place / W].kept[rest_[t].place % W] > 0;
    return out;
}

template <class Real>
void TetPotential<Real>::set_kept(std::span<const char> kept) {
    if (!converts_) return;
    for (std::size_t t = 0; t < tets_.size(); ++t) {
        Group& group = groups_[rest_[t].place / W];
        const Real keeps = kept.empty() ? Real(0) : static_cast<Real>(kept[t]);
        group.kept[rest_[t].place % W] = group.interpolant[rest_[t].place % W] = keeps;
    }
    for (Index chunk = 0; chunk < plan_.n_chunks(); ++chunk) {
        bool converted = false;
        for (Index p = plan_.packet_begin[chunk]; p < plan_.packet_begin[chunk + 1]; ++p)
            converted = converted || any(Lanes::load(groups_[p].interpolant) > Lanes(Real(0)));
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
                Group& group = groups_[p];
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
    for (const Group *group = &groups_[first], *end = group + (last - first); group != end;
         ++group) {
        const Mat3<Lanes> F = gradient_of(*group, x);
        const Lanes l = Lanes::load(group->interpolant), zero(Real(0));
        const Lanes V = Lanes::load(group->volume);
        Lanes psi;
        if (any(l > zero)) {
            psi = converted_energy(law, F, l);
        } else {
            psi = law.plain_energy(F);
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
    const auto* slots = &plan_.packet[first];
    for (Group *group = &groups_[first], *end = group + (last - first); group != end;
         ++group, ++slots) {
        const Mat3<Lanes> F = gradient_of(*group, x);
        Lanes l = Lanes::load(group->interpolant);
        Mat3<Lanes> P;
        if (stays_plain(law, F, hold, l)) {
            P = law.plain_stress(F);
        } else {
            P = converted_stress(law, F, hold, group->kept, l);
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
        const Group& group = groups_[p];
        const Mat3<Lanes> F = gradient_of(group, x);
        const Lanes l = Lanes::load(group.interpolant), V = Lanes::load(group.volume);
        Mat3<Lanes> Dm_inv;
        for (int i = 0; i < 9; ++i) Dm_inv.a[i] = Lanes::load(group.Dm_inv[i]);
        const Vec3<Lanes> g1 = Dm_inv.row(0), g2 = Dm_inv.row(1), g3 = Dm_inv.row(2);
        const auto add = [&](int corner, const Vec3<Lanes>& g) {
            add_corner(V * law.block_diagonal(F, l, g), plan_.packet[p].slot[corner], sum);
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
    diagonal_.resize(tets_.size());
    parallel_for(static_cast<Index>(tets_.size()), 128, [&](Index t) {
        const RestTet& rest = rest_[t];
        const double l = groups_[rest.place / W].interpolant[rest.place % W];
        visit_law(materials_[rest.material], [&](const auto& law) {
            const Mat9d C = tangent(law, kind, deformation(t, x), l);
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
    for (const Tet& tet : tets_)
        for (int a = 0; a < 4; ++a)
            for (int b = a + 1; b < 4; ++b)
                pairs.push_back({std::min(tet[a], tet[b]), std::max(tet[a], tet[b])});
}

template <class Real>
template <class Matrix>
void TetPotential<Real>::ensure_scatter(const Matrix& A) {
    if (has_scatter_) return;
    if constexpr (std::is_same_v<Matrix, BlockCsr>)
        scatter_ = BlockScatter<4>(A, tets_);
    else
        scatter_ = BlockScatter<4>(A.pattern(), tets_);
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
        const Group& group = groups_[p];
        const Lanes l = Lanes::load(group.interpolant), V = Lanes::load(group.volume);
        Mat3<Lanes> Dm_inv;
        for (int i = 0; i < 9; ++i) Dm_inv.a[i] = Lanes::load(group.Dm_inv[i]);
        const Vec3<Lanes> g[3] = {Dm_inv.row(0), Dm_inv.row(1), Dm_inv.row(2)};
        Mat3<Lanes> K[6];
        law.projected_blocks(gradient_of(group, x), l, g, K);
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
        const bool isotropic =
            visit_law(material, []<class Law>(const PointLaw<Law>&) { return IsotropicLaw<Law>; });
        if (!isotropic) return false;
    }
    ensure_scatter(A);
    auto& blocks = [&]() -> auto& {
        if constexpr (std::is_same_v<Out, double>)
            return blocks_;
        else
            return rounded_blocks_;
    }
    ();
    blocks.resize(tets_.size());
    parallel_chunks(plan_.n_chunks(), [&](Index chunk) {
        visit_law(materials_[chunk_material_[chunk]], [&]<class Law>(const PointLaw<Law>& law) {
            if constexpr (IsotropicLaw<Law>)
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
    blocks_.resize(tets_.size());
    parallel_for(static_cast<Index>(tets_.size()), 128, [&](Index t) {
        const RestTet& rest = rest_[t];
        const double l = groups_[rest.place / W].interpolant[rest.place % W];
        visit_law(materials_[rest.material], [&](const auto& law) {
            const Mat9d C = tangent(law, kind, deformation(t, x), l);
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
    blocks_.resize(tets_.size());
    parallel_for(static_cast<Index>(tets_.size()), 128, [&](Index t) {
        const RestTet& rest = rest_[t];
        const Lame lame = small_strain(materials_[rest.material]);
        const double k = lame.mu + 1.5 * std::max(lame.lambda, 0.0);
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
    std::vector<double> out(tets_.size());
    for (std::size_t t = 0; t < tets_.size(); ++t)
        out[t] = groups_[rest_[t].place / W].interpolant[rest_[t].place % W];
    return out;
}

template class TetPotential<double>;
template class TetPotential<float>;

}  // namespace limber
