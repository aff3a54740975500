// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/core/simd.h"
#include "limber/linalg/schur/compliance.h"

namespace limber {

namespace {

constexpr Index lanes = 8;        // rows of W that are made together
constexpr Index run = 4;          // strips of so many rows that follow each other: W is written
                                  // in whole cache lines
constexpr Index n_groups = 16;    // pieces of work, with scratch of their own
constexpr Index block_rows = 32;  // right-hand sides of `blocked` in memory at a time
using P = Packet<double, lanes>;

/// Rows a and b of a transposition: lanes that differ in `step` change places.
template <int step, int... lane>
void exchange(P& a, P& b, std::integer_sequence<int, lane...>) {
    const P low = shuffle<((lane & step) ? lanes + lane - step : lane)...>(a, b);
    b = shuffle<((lane & step) ? lanes + lane : lane + step)...>(a, b);
    a = low;
}
template <int step>
void exchange_all(P* rows) {
    for (int i = 0; i < lanes; ++i)
        if (!(i & step))
            exchange<step>(rows[i], rows[i + step], std::make_integer_sequence<int, lanes>{});
}
/// The 8x8 block whose rows these are, in place.
void transpose_lanes(P* rows) {
    exchange_all<1>(rows);
    exchange_all<2>(rows);
    exchange_all<4>(rows);
}

template <class T>
void store(const P& p, T* out) {
    for (int l = 0; l < lanes; ++l) out[l] = static_cast<T>(p[l]);
}

/// Lines s0 to s0 + 7 of columns r0 to r0 + 7 of W, and their mirror image.
template <class T>
void put_lines(const double* block, Index s0, Index n_lines, Index r0, Index n_columns,
               DenseMatrixOf<T>& W) {
    if (n_lines == lanes && n_columns == lanes && s0 >= r0 + lanes) {
        P rows[lanes];
        for (Index s = 0; s < lanes; ++s) {
            rows[s] = P::load(block + s * lanes);
            store(rows[s], &W(s0 + s, r0));
        }
        transpose_lanes(rows);
        for (Index l = 0; l < lanes; ++l) store(rows[l], &W(r0 + l, s0));
        return;
    }
    for (Index s = 0; s < n_lines; ++s)
        for (Index l = 0; l < n_columns && r0 + l <= s0 + s; ++l)
            W(s0 + s, r0 + l) = W(r0 + l, s0 + s) = static_cast<T>(block[s * lanes + l]);
}

/// Nodes of H ascending, and for each entry where its node is among them. `slot` is scratch.
void list_nodes(const ConstraintRows& H, std::vector<Index>& nodes, std::vector<Index>& slot,
                std::vector<Index>& entry_slot) {
    nodes.clear();
    for (const auto& e : H.entries()) nodes.push_back(e.node);
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    slot.resize(nodes.empty() ? 0 : std::max<std::size_t>(slot.size(), nodes.back() + 1));
    for (std::size_t k = 0; k < nodes.size(); ++k) slot[nodes[k]] = static_cast<Index>(k);
    entry_slot.clear();
    for (const auto& e : H.entries()) entry_slot.push_back(slot[e.node]);
}

}  // namespace

/// W column by column, n_block of them at a time (Alg. 1).
template <class T>
void Delassus::build_columns(const ConstraintRows& H, Compliance& A, DenseMatrixOf<T>& W,
                             Index n_block) {
    const Index n = H.n_rows();
    const auto size = static_cast<std::size_t>(A.n_nodes());
    W.resize(n);
    forces_.resize(n_block * size);
    answers_.resize(n_block * size);
    for (Index r0 = 0; r0 < n; r0 += n_block) {
        const Index m = std::min(n_block, n - r0);
        std::fill_n(forces_.begin(), m * size, Vec3d{});
        for (Index k = 0; k < m; ++k)
            for (const auto& e : H.row(r0 + k)) forces_[k * size + e.node] += e.gradient;
        A.apply_many(m, std::span(forces_).first(m * size), std::span(answers_).first(m * size));
        for (Index k = 0; k < m; ++k)
            for (Index s = r0 + k; s < n; ++s)
                W(s, r0 + k) = W(r0 + k, s) =
                    static_cast<T>(H.apply(s, std::span(answers_).subspan(k * size, size)));
    }
}

/// Ĥ W̄ of rows r0 to r0 + 7, column by column: lines[8 k + l] = (Ĥ W̄)(r0 + l, k), to a whole number
/// of packets. `rows` is scratch of as many numbers.
void Delassus::multiply_rows(const ConstraintRows& H, Index r0, double* rows, double* lines) const {
    const Index K = isolated_.n(), m = std::min(lanes, H.n_rows() - r0);
    const Index stride = (K + lanes - 1) / lanes * lanes;
    const auto* entries = H.entries().data();
    std::fill_n(rows, static_cast<std::size_t>(stride) * lanes, 0.0);
    for (Index l = 0; l < m; ++l)
        for (const auto& e : H.row(r0 + l)) {
            const Index row = 3 * entry_slot_[&e - entries];
            double* y = rows + static_cast<std::size_t>(l) * stride;
            const double *a = isolated_.row(row).data(), *b = a + K, *c = b + K;
            const Vec3d g = e.gradient;
            for (Index k = 0; k < K; ++k) y[k] += g.x * a[k] + g.y * b[k] + g.z * c[k];
        }
    for (Index k = 0; k < K; k += lanes) {
        P block[lanes];
        for (Index l = 0; l < lanes; ++l)
            block[l] = P::load(rows + static_cast<std::size_t>(l) * stride + k);
        transpose_lanes(block);
        for (Index l = 0; l < lanes; ++l)
            block[l].store(lines + static_cast<std::size_t>(k + l) * lanes);
    }
}

/// W = (Ĥ W̄) Ĥᵀ (25c), (25d): the lower half, eight columns at a time, and its mirror image.
template <class T>
void Delassus::multiply(const ConstraintRows& H, DenseMatrixOf<T>& W) {
    const Index n = H.n_rows(), n_strips = (n + lanes - 1) / lanes;
    const std::size_t size = static_cast<std::size_t>(lanes) * (isolated_.n() + lanes);
    W.resize(n);
    scratch_.resize(n_groups * 2 * size);
    const auto* entries = H.entries().data();
    // Strips have fewer rows to go the later they come: groups take every sixteenth run of them.
    parallel_tiles(n_groups, [&](Index group) {
        double *rows = scratch_.data() + 2 * size * group, *lines = rows + size;
        for (Index strip = group * run; strip < n_strips;
             strip += strip % run == run - 1 ? (n_groups - 1) * run + 1 : 1) {
            const Index r0 = strip * lanes;
            multiply_rows(H, r0, rows, lines);
            for (Index s0 = r0; s0 < n; s0 += lanes) {
                const Index count = std::min(lanes, n - s0);
                alignas(64) double block[lanes * lanes];
                for (Index s = 0; s < count; ++s) {
                    P sum;
                    for (const auto& e : H.row(s0 + s)) {
                        const double* y =
                            lines + static_cast<std::size_t>(entry_slot_[&e - entries]) * 3 * lanes;
                        sum += P::load(y) * P(e.gradient.x) + P::load(y + lanes) * P(e.gradient.y) +
                               P::load(y + 2 * lanes) * P(e.gradient.z);
                    }
                    sum.store(block + s * lanes);
                }
                put_lines(block, s0, count, r0, std::min(lanes, n - r0), W);
            }
        }
    });
}

template <class T>
void Delassus::build_by(const ConstraintRows& H, Compliance& A, DenseMatrixOf<T>& W,
                        SchurMethod method) {
    list_nodes(H, nodes_, slot_, entry_slot_);
    LIMBER_CHECK(nodes_.empty() || (nodes_.front() >= 0 && nodes_.back() < A.n_nodes()),
                 "H names nodes of A");
    if (method == SchurMethod::columns) return build_columns(H, A, W, 1);
    if (method == SchurMethod::blocked) return build_columns(H, A, W, block_rows);
    A.between(nodes_, isolated_);
    multiply(H, W);
}

void Delassus::build(const ConstraintRows& H, Compliance& A, DenseMatrix& W, SchurMethod method) {
    build_by(H, A, W, method);
}
void Delassus::build(const ConstraintRows& H, Compliance& A, DenseMatrixF& W, SchurMethod method) {
    build_by(H, A, W, method);
}

UnbuiltDelassus::UnbuiltDelassus(const ConstraintRows& H, Compliance& A) : H_(H), A_(A) {
    std::vector<Index> slot;
    list_nodes(H, nodes_, slot, entry_slot_);
}

void UnbuiltDelassus::apply(std::span<const double> y, std::span<double> z, bool whole) {
    const std::size_t n = whole ? A_.n_nodes() : nodes_.size();
    force_.assign(n, {});
    answer_.resize(n);
    const auto* entries = H_.entries().data();
    const auto place = [&](const ConstraintRows::Entry& e) {
        return whole ? e.node : entry_slot_[&e - entries];
    };
    for (Index r = 0; r < H_.n_rows(); ++r)
        for (const auto& e : H_.row(r)) force_[place(e)] += y[r] * e.gradient;
    if (whole)
        A_.apply(force_, answer_);
    else
        A_.apply_between(nodes_, force_, answer_);
    for (Index r = 0; r < H_.n_rows(); ++r) {
        double u = 0;
        for (const auto& e : H_.row(r)) u += dot(e.gradient, answer_[place(e)]);
        z[r] = u;
    }
}

}  // namespace limber
