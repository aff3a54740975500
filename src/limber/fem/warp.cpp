// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/warp.h"

#include <algorithm>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/fem/block_columns.h"
#include "limber/fem/elements/packet_memory.h"
#include "limber/fem/hooke.h"
#include "limber/fem/rotation/svd.h"

namespace limber {

namespace {

using Mat = Mat3<Double8>;
using Vec = Vec3<Double8>;

/// R_i of one corner of eight tets.
Mat load_rotations(const NodeRotations& nodes, const Index (&node)[tet_lanes]) {
    return Mat::from_columns(load_corner(nodes.column[0].data(), node),
                             load_corner(nodes.column[1].data(), node),
                             load_corner(nodes.column[2].data(), node));
}

}  // namespace

void NodeRotations::reset(Index n_nodes) {
    for (int c = 0; c < 3; ++c) column[c].assign(n_nodes, Mat3d::identity().col(c));
}

void NodeRotations::set(Index i, const Mat3d& R) {
    for (int c = 0; c < 3; ++c) column[c][i] = R.col(c);
}

NodeRotationFit::NodeRotationFit(const TetMesh& rest)
    : rest_(rest.nodes), graph_(node_graph(rest.n_nodes(), rest.tets)) {}

void NodeRotationFit::update(std::span<const Vec3d> x, std::span<const char> upright,
                             NodeRotations& rotations) const {
    const Index n = static_cast<Index>(rest_.size());
    parallel_ranges(n, 64 * tet_lanes, [&](Index begin, Index end) {
        for (Index first = begin; first < end; first += tet_lanes) {
            const int lanes = std::min<Index>(tet_lanes, end - first);
            Mat B = Mat::identity(), R = Mat::identity();
            for (int lane = 0; lane < lanes; ++lane) {
                const Index i = first + lane;
                Mat3d sum{};
                double size = 0;  // Σ |edge at rest|²: scales B to order one
                for (Index k = graph_.begin[i]; k < graph_.begin[i + 1]; ++k) {
                    const Index j = graph_.column[k];
                    const Vec3d edge = rest_[j] - rest_[i];
                    sum += outer(x[j] - x[i], edge);
                    size += squared_norm(edge);
                }
                const Mat3d old = rotations.at(i);
                for (int c = 0; c < 9; ++c) {
                    B.a[c].set(lane, size > 0 ? 3 / size * sum.a[c] : old.a[c]);
                    R.a[c].set(lane, old.a[c]);
                }
            }
            R = rotation_exact(B, R);
            for (int lane = 0; lane < lanes; ++lane) {
                Mat3d one;
                for (int c = 0; c < 9; ++c) one.a[c] = R.a[c][lane];
                rotations.set(first + lane, upright[first + lane] ? Mat3d::identity() : one);
            }
        }
    });
}

void WarpFrames::reset(const ElementSet& elements) {
    const Mat3d I = Mat3d::identity();
    tet.assign(elements.n_tets, {I, I, I, I});
}

void refresh_frames(const ElementSet& elements, const CorotationCache& elements_now,
                    const NodeRotations& nodes_now, std::span<const char> tet_marked,
                    WarpFrames& frames) {
    parallel_for(static_cast<Index>(elements.tets.packets.size()), 128, [&](Index p) {
        const Index first = p * tet_lanes;
        const int lanes = std::min<Index>(tet_lanes, elements.n_tets - first);
        const auto marked = tet_marked.subspan(first, lanes);
        if (std::find(marked.begin(), marked.end(), 1) == marked.end()) return;
        const Mat R = load_matrix(elements_now.element[p].R);
        for (int c = 0; c < 4; ++c) {
            const Mat Q =
                transpose(load_rotations(nodes_now, elements.tets.packets[p].node[c])) * R;
            const auto put = [&](int from, const Double8& w) {
                for_each_lane({Q.a[from], Q.a[from + 1], Q.a[from + 2]}, w,
                              [&](int lane, const Packet<double, 4>& four) {
                                  if (lane < lanes && marked[lane])
                                      four.store(frames.tet[first + lane][c].a + from);
                              });
            };
            put(0, Q.a[3]);
            put(4, Q.a[7]);
            for (int lane = 0; lane < lanes; ++lane)
                if (marked[lane]) frames.tet[first + lane][c].a[8] = Q.a[8][lane];
        }
    });
}

// ---- assembly

namespace {

using Four = BlockColumns::Four;

/// K_ab and M_ab of one tet in its own frame, by columns, and the same seen from its nodes.
struct WarpedTet {
    const double* g;  // four gradients at rest [1/m]
    double kV_lambda, kV_mu, mass;
    const std::array<Mat3d, 4>& Q;

    double isotropic(int a, int b) const {
        const double *p = g + 3 * a, *q = g + 3 * b;
        return kV_mu * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]) + (a == b ? 2 * mass : mass);
    }
    /// Q_a (kV hooke_block(μ, λ, g_a, g_b) + m I) Q_bᵀ (5), a ≠ b; expanded by hand: change both.
    /// WarpAssembler.fresh_blocks_... holds them together by way of the exact matrix.
    BlockColumns block(int a, int b) const {
        BlockColumns K;
        K.add_outer(Four(kV_lambda) * Four::load(g + 3 * a), g + 3 * b);
        K.add_outer(Four(kV_mu) * Four::load(g + 3 * b), g + 3 * a);
        K.add_isotropic(isotropic(a, b));
        Mat3d K_ab;
        K.store(K_ab);
        return BlockColumns::load(Q[a]).times(K_ab).times_transposed(Q[b]);
    }
    /// The same with a = b, where the isotropic part, which does not turn, is left out.
    void add_diagonal(int a, BlockColumns& sum) const {
        const Four turned = BlockColumns::load(Q[a]).times(g + 3 * a);
        double u[4];
        turned.store(u);
        sum.add_outer(Four(kV_lambda + kV_mu) * turned, u);
    }
};

}  // namespace

WarpAssembler::WarpAssembler(const ElementSet& elements, const BlockPairs& pairs)
    : elements_(elements), pairs_(pairs) {
    gradient_.reserve(12 * static_cast<std::size_t>(elements.n_tets) + 1);
    for (Index t = 0; t < elements.n_tets; ++t)
        for (const Vec3d& g : rest_gradients(elements.tets.Dm_inv(t)))
            gradient_.insert(gradient_.end(), {g.x, g.y, g.z});
    gradient_.push_back(0);
    scale_.resize(elements.n_tets);
}

void WarpAssembler::scale_stiffness(double h, bool consistent_mass) {
    if (h == h_ && consistent_mass == consistent_) return;
    h_ = -1;  // until all of it is there
    consistent_ = consistent_mass;
    parallel_for(elements_.n_tets, 4096, [&](Index t) {
        const HookePacket& packet = elements_.tets.packets[t / tet_lanes];
        const int lane = t % tet_lanes;
        const double kV = h * (h + elements_.damping_stiffness[t]) * packet.volume[lane];
        const double m = elements_.tet_mass[t] / 20 * (1 + h * elements_.damping_mass[t]);
        scale_[t] = {kV * packet.lambda[lane], kV * packet.mu[lane], consistent_mass ? m : 0.0};
    });
    h_ = h;
}

void WarpAssembler::assemble(const SystemCoefficients& coefficients, const WarpFrames& frames,
                             BlockCsr& A) {
    reassemble(coefficients, frames, {}, A);
}

void WarpAssembler::reassemble(const SystemCoefficients& coefficients, const WarpFrames& frames,
                               std::span<const char> node_marked, BlockCsr& A) {
    scale_stiffness(coefficients.h, coefficients.consistent_mass);
    const auto marked = [&](Index i) { return node_marked.empty() || node_marked[i]; };
    const auto tet = [&](Index t) {
        const Scales& s = scale_[t];
        return WarpedTet{gradient_.data() + 12 * static_cast<std::size_t>(t), s.lambda, s.mu,
                         s.mass, frames.tet[t]};
    };
    const std::span<Mat3d> blocks = A.blocks();
    const std::span<const Index> column = A.column();
    parallel_for(elements_.n_nodes, 128, [&](Index i) {
        if (!marked(i)) return;
        double isotropic = coefficients.lumped.empty() ? 0.0 : coefficients.lumped[i];
        BlockColumns diagonal;
        for (const Index entry : elements_.incidence.of(i)) {
            tet(entry / 4).add_diagonal(entry % 4, diagonal);
            isotropic += tet(entry / 4).isotropic(entry % 4, entry % 4);
        }
        diagonal.add_isotropic(isotropic);
        const Index at = pairs_.diagonal[i];
        diagonal.store(blocks[at]);
        for (Index u = pairs_.upper_begin[i]; u < pairs_.upper_begin[i + 1]; ++u) {
            const Index place = at + 1 + u - pairs_.upper_begin[i];
            if (!marked(column[place])) continue;
            BlockColumns sum;
            for (Index k = pairs_.pair_begin[u]; k < pairs_.pair_begin[u + 1]; ++k) {
                const std::uint32_t pair = pairs_.pair[k];
                sum += tet(static_cast<Index>(pair / 16)).block(pair / 4 % 4, pair % 4);
            }
            sum.store(blocks[place]);
            sum.transposed().store(blocks[pairs_.mirror[u]]);
        }
    });
}

void WarpAssembler::turn(const BlockCsr& exact, const NodeRotations& nodes_now, BlockCsr& A) const {
    LIMBER_CHECK(exact.n_blocks() == A.n_blocks(), "both of one pattern");
    const std::span<const Mat3d> from = exact.blocks();
    const std::span<Mat3d> to = A.blocks();
    const std::span<const Index> column = A.column();
    parallel_for(elements_.n_nodes, 128, [&](Index i) {
        const BlockColumns R_i = BlockColumns::load(transpose(nodes_now.at(i)));
        const auto turned = [&](Index place, Index j) {
            return R_i.times(from[place]).times(nodes_now.at(j));
        };
        const Index at = pairs_.diagonal[i];
        turned(at, i).store(to[at]);
        for (Index u = pairs_.upper_begin[i]; u < pairs_.upper_begin[i + 1]; ++u) {
            const Index place = at + 1 + u - pairs_.upper_begin[i];
            const BlockColumns block = turned(place, column[place]);
            block.store(to[place]);
            block.transposed().store(to[pairs_.mirror[u]]);
        }
    });
}

// ---- error

namespace {

/// B_e w of eight tets in their material frames, corner by corner, for w given corner by corner.
struct PacketForces {
    Mat Dm_inv;
    Double8 kV_lambda, kV_mu, m;

    void apply(const std::array<Vec, 4>& w, std::array<Vec, 4>& f) const {
        const Mat G = Mat::from_columns(w[1] - w[0], w[2] - w[0], w[3] - w[0]) * Dm_inv;
        const Mat columns = hooke_stress_change(kV_mu, kV_lambda, G) * transpose(Dm_inv);
        const Vec all = m * (w[0] + w[1] + w[2] + w[3]);
        f[0] = all + m * w[0] - (columns.col(0) + columns.col(1) + columns.col(2));
        for (int c = 0; c < 3; ++c) f[c + 1] = all + m * w[c + 1] + columns.col(c);
    }
};

Mat load_frames(const WarpFrames& frames, Index first, int lanes, int corner) {
    Mat Q = Mat::identity();
    for (int lane = 0; lane < lanes; ++lane) {
        const Mat3d& q = frames.tet[first + lane][corner];
        for (int i = 0; i < 9; ++i) Q.a[i].set(lane, q.a[i]);
    }
    return Q;
}

}  // namespace

void warp_errors(const ElementSet& elements, const SystemCoefficients& coefficients,
                 const CorotationCache& elements_now, const NodeRotations& nodes_now,
                 const WarpFrames& frames, std::span<const Vec3d> v, std::span<const Vec3d> turned,
                 std::span<double> error) {
    const double h = coefficients.h;
    parallel_for(static_cast<Index>(elements.tets.packets.size()), 64, [&](Index p) {
        const HookePacket& packet = elements.tets.packets[p];
        const Index first = p * tet_lanes;
        const int lanes = std::min<Index>(tet_lanes, elements.n_tets - first);
        const Double8 kV = Double8(h) * (Double8(h) + load_tets(elements.damping_stiffness, p)) *
                           Double8::load(packet.volume);
        const PacketForces B{
            load_matrix(packet.Dm_inv), kV * Double8::load(packet.lambda),
            kV * Double8::load(packet.mu),
            coefficients.consistent_mass
                ? load_tets(elements.tet_mass, p) * Double8(1.0 / 20) *
                      (Double8(1) + Double8(h) * load_tets(elements.damping_mass, p))
                : Double8(0.0)};
        const Mat R = load_matrix(elements_now.element[p].R);
        std::array<Mat, 4> Q;
        std::array<Vec, 4> w, f_cor, f_apx;
        for (int c = 0; c < 4; ++c) w[c] = transpose(R) * load_corner(v.data(), packet.node[c]);
        B.apply(w, f_cor);
        for (int c = 0; c < 4; ++c) {
            Q[c] = load_frames(frames, first, lanes, c);
            w[c] = transpose(Q[c]) * load_corner(turned.data(), packet.node[c]);
        }
        B.apply(w, f_apx);
        Double8 sum(0.0);
        for (int c = 0; c < 4; ++c) {
            const Mat R_c = load_rotations(nodes_now, packet.node[c]);
            sum += squared_norm(R * f_cor[c] - R_c * (Q[c] * f_apx[c]));
        }
        for (int lane = 0; lane < lanes; ++lane) error[first + lane] = std::sqrt(sum[lane]);
    });
}

}  // namespace limber
