// SPDX-License-Identifier: Apache-2.0
// The smoothed prolongator P and the coarse matrix Pᵀ A P. Every row is one thread's work, and sums
// within it follow the order of the pattern.
#include <algorithm>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/linalg/multigrid/level.h"
#include "limber/linalg/vec6_packet.h"

namespace limber {

namespace {

constexpr Index project_rows = 64;

/// out (F x 6 by rows) += A (F x F by columns) B (F x 6 by rows)
template <int F>
inline void add_product(const double* A, const double* B, double* out) {
    for (int i = 0; i < F; ++i) {
        Six sum = Six::load(out + i * n_modes);
        for (int k = 0; k < F; ++k) sum.add(A[i + F * k], Six::load(B + k * n_modes));
        sum.store(out + i * n_modes);
    }
}

/// out (6 x 6 by columns) += Pᵀ B, both F x 6 by rows
template <int F>
inline void add_transposed_product(const double* P, const double* B, double* out) {
    for (int c = 0; c < n_modes; ++c) {
        Six sum = Six::load(out + c * n_modes);
        for (int k = 0; k < F; ++k) sum.add(B[k * n_modes + c], Six::load(P + k * n_modes));
        sum.store(out + c * n_modes);
    }
}

/// Pattern of the product of two: the union of the rows of `right` that a row of `left` names.
BlockPattern product_of(const BlockPattern& left, const BlockPattern& right, Index n_columns) {
    BlockPattern out;
    std::vector<Index> seen_by(n_columns, -1);
    for (Index i = 0; i < left.n_rows(); ++i) {
        const std::size_t begin = out.column.size();
        for (Index k = left.row_begin[i]; k < left.row_begin[i + 1]; ++k) {
            const Index j = left.column[k];
            for (Index m = right.row_begin[j]; m < right.row_begin[j + 1]; ++m) {
                const Index c = right.column[m];
                if (seen_by[c] == i) continue;
                seen_by[c] = i;
                out.column.push_back(c);
            }
        }
        std::sort(out.column.begin() + static_cast<std::ptrdiff_t>(begin), out.column.end());
        out.row_begin.push_back(static_cast<Index>(out.column.size()));
    }
    return out;
}

/// The pattern by columns; `block` says where each entry lies.
BlockPattern transposed(const BlockPattern& p, Index n_columns, std::vector<Index>& block) {
    BlockPattern out;
    out.row_begin.assign(n_columns + 1, 0);
    for (const Index c : p.column) ++out.row_begin[c + 1];
    for (Index c = 0; c < n_columns; ++c) out.row_begin[c + 1] += out.row_begin[c];
    out.column.resize(p.column.size());
    block.resize(p.column.size());
    std::vector<Index> next(out.row_begin.begin(), out.row_begin.end() - 1);
    for (Index i = 0; i < p.n_rows(); ++i)
        for (Index k = p.row_begin[i]; k < p.row_begin[i + 1]; ++k) {
            const Index at = next[p.column[k]]++;
            out.column[at] = i;
            block[at] = k;
        }
    return out;
}

}  // namespace

template <int F>
void MultigridLevel<F>::analyze(const BlockPattern& A, const BlockPattern& graph,
                                std::span<const char> leave_out) {
    n_aggregates = aggregate_nodes(graph, leave_out, aggregate);
    list_members();
    BlockPattern T;
    for (const Index a : aggregate) {
        if (a >= 0) T.column.push_back(a);
        T.row_begin.push_back(static_cast<Index>(T.column.size()));
    }
    std::vector<Index> unused;
    quotient = product_of(transposed(T, n_aggregates, unused), product_of(graph, T, n_aggregates),
                          n_aggregates);
    p_ = product_of(A, T, n_aggregates);
    ap_ = product_of(A, p_, n_aggregates);
    columns_of_p_ = transposed(p_, n_aggregates, block_of_column_);
    coarse.pattern = product_of(columns_of_p_, ap_, n_aggregates);
    transposed(coarse.pattern, n_aggregates, coarse.mirror);

    const auto nodes = static_cast<std::size_t>(n_nodes());
    constexpr std::size_t rectangle = F * n_modes, square = n_modes * n_modes;
    inverse_diagonal_.resize(nodes * F * F);
    tentative_.resize(nodes * rectangle);
    coarse_modes.resize(n_aggregates * square);
    p_value_.resize(p_.column.size() * rectangle);
    ap_value_.resize(ap_.column.size() * rectangle);
    coarse.value.resize(coarse.pattern.column.size() * square);
    for (auto* v : {&r, &z, &d_, &q_}) v->resize(nodes);
}

/// P = T - ω D⁻¹ A T with ω = 4 / (3 λ_max) (Vaněk, Mandel & Brezina 1996): one step of damped
/// Jacobi takes the jumps between aggregates, which cost energy, out of the columns of T.
template <int F>
void MultigridLevel<F>::smooth_prolongator(const MatrixView<F>& A) {
    const double omega = 4.0 / 3.0 / lambda_max;
    constexpr int size = F * n_modes;
    parallel_for(n_nodes(), project_rows, [&](Index i) {
        const Index begin = p_.row_begin[i], end = p_.row_begin[i + 1];
        double* row = p_value_.data() + static_cast<std::size_t>(begin) * size;
        std::fill_n(row, static_cast<std::size_t>(end - begin) * size, 0.0);
        const auto place = [&](Index a) {
            return row +
                   (std::find(&p_.column[begin], &p_.column[end - 1], a) - &p_.column[begin]) *
                       size;
        };
        for (Index k = A.row_begin[i]; k < A.row_begin[i + 1]; ++k) {
            const Index j = A.column[k];
            if (aggregate[j] < 0) continue;
            add_product<F>(A.value + static_cast<std::size_t>(k) * F * F,
                           &tentative_[static_cast<std::size_t>(j) * size], place(aggregate[j]));
        }
        const double* inverse = &inverse_diagonal_[static_cast<std::size_t>(i) * F * F];
        for (Index k = begin; k < end; ++k) {
            double product[size] = {};
            double* block = row + static_cast<std::size_t>(k - begin) * size;
            add_product<F>(inverse, block, product);
            for (int e = 0; e < size; ++e) block[e] = -omega * product[e];
        }
        if (aggregate[i] < 0) return;
        double* own = place(aggregate[i]);
        for (int e = 0; e < size; ++e) own[e] += tentative_[static_cast<std::size_t>(i) * size + e];
    });
}

/// Pᵀ (A P): the blocks on and above the diagonal, then their mirrors. A motion that no degree of
/// freedom carries leaves a zero row; it becomes one of the identity.
template <int F>
void MultigridLevel<F>::project(const MatrixView<F>& A) {
    constexpr int size = F * n_modes, square = n_modes * n_modes;
    parallel_for(n_nodes(), project_rows, [&](Index i) {
        const Index begin = ap_.row_begin[i], end = ap_.row_begin[i + 1];
        double* row = ap_value_.data() + static_cast<std::size_t>(begin) * size;
        std::fill_n(row, static_cast<std::size_t>(end - begin) * size, 0.0);
        for (Index k = A.row_begin[i]; k < A.row_begin[i + 1]; ++k) {
            const Index j = A.column[k];
            Index at = begin;  // both rows ascend
            for (Index m = p_.row_begin[j]; m < p_.row_begin[j + 1]; ++m) {
                while (ap_.column[at] != p_.column[m]) ++at;
                add_product<F>(A.value + static_cast<std::size_t>(k) * F * F,
                               p_value_.data() + static_cast<std::size_t>(m) * size,
                               row + static_cast<std::size_t>(at - begin) * size);
            }
        }
    });
    const BlockPattern& pattern = coarse.pattern;
    double* value = coarse.value.data();
    parallel_for(n_aggregates, project_rows / 8, [&](Index a) {
        const Index begin = pattern.row_begin[a], end = pattern.row_begin[a + 1];
        std::fill(value + static_cast<std::size_t>(begin) * square,
                  value + static_cast<std::size_t>(end) * square, 0.0);
        for (Index m = columns_of_p_.row_begin[a]; m < columns_of_p_.row_begin[a + 1]; ++m) {
            const Index i = columns_of_p_.column[m];
            Index at = begin;
            for (Index k = ap_.row_begin[i]; k < ap_.row_begin[i + 1]; ++k) {
                if (ap_.column[k] < a) continue;
                while (pattern.column[at] != ap_.column[k]) ++at;
                add_transposed_product<F>(
                    p_value_.data() + static_cast<std::size_t>(block_of_column_[m]) * size,
                    ap_value_.data() + static_cast<std::size_t>(k) * size,
                    value + static_cast<std::size_t>(at) * square);
            }
        }
    });
    parallel_for(n_aggregates, project_rows, [&](Index a) {
        for (Index k = pattern.row_begin[a]; k < pattern.row_begin[a + 1]; ++k) {
            double* block = value + static_cast<std::size_t>(k) * square;
            const double* mirror = value + static_cast<std::size_t>(coarse.mirror[k]) * square;
            if (pattern.column[k] == a) {
                for (int i = 0; i < n_modes; ++i) {
                    for (int j = 0; j < i; ++j) block[i + n_modes * j] = block[j + n_modes * i];
                    if (block[i + n_modes * i] == 0) block[i + n_modes * i] = 1;
                }
            } else if (pattern.column[k] < a) {
                for (int i = 0; i < n_modes; ++i)
                    for (int j = 0; j < n_modes; ++j)
                        block[i + n_modes * j] = mirror[j + n_modes * i];
            }
        }
    });
}

/// Row by row of Pᵀ, its blocks in the order of the nodes.
template <int F>
void MultigridLevel<F>::restrict_residual(NodeVector<6>& out) const {
    const double* in = numbers(r);
    double* to = numbers(out);
    parallel_for(n_aggregates, project_rows, [&](Index a) {
        Six sum;
        for (Index m = columns_of_p_.row_begin[a]; m < columns_of_p_.row_begin[a + 1]; ++m) {
            const double* P =
                p_value_.data() + static_cast<std::size_t>(block_of_column_[m]) * F * n_modes;
            const double* v = in + static_cast<std::size_t>(columns_of_p_.column[m]) * F;
            for (int k = 0; k < F; ++k) sum.add(v[k], Six::load(P + k * n_modes));
        }
        sum.store(to + static_cast<std::size_t>(a) * n_modes);
    });
}

template <int F>
void MultigridLevel<F>::add_correction(const LevelMatrix<F>& A, const NodeVector<6>& from) {
    const double* in = numbers(from);
    double* change = numbers(d_);
    parallel_for(n_nodes(), 4 * project_rows, [&](Index i) {
        double sum[F] = {};
        for (Index m = p_.row_begin[i]; m < p_.row_begin[i + 1]; ++m) {
            const double* P = p_value_.data() + static_cast<std::size_t>(m) * F * n_modes;
            const Six v = Six::load(in + static_cast<std::size_t>(p_.column[m]) * n_modes);
            for (int k = 0; k < F; ++k) sum[k] += dot(Six::load(P + k * n_modes), v);
        }
        for (int k = 0; k < F; ++k) change[static_cast<std::size_t>(i) * F + k] = sum[k];
    });
    A.apply(d_, q_);
    double *to_z = numbers(z), *to_r = numbers(r);
    const double* product = numbers(q_);
    parallel_for(n_nodes() * F, 12 * project_rows, [=](Index k) {
        to_z[k] += change[k];
        to_r[k] -= product[k];
    });
}

#define LIMBER_INSTANTIATE(F)                                                          \
    template void MultigridLevel<F>::analyze(const BlockPattern&, const BlockPattern&, \
                                             std::span<const char>);                   \
    template void MultigridLevel<F>::smooth_prolongator(const MatrixView<F>&);         \
    template void MultigridLevel<F>::project(const MatrixView<F>&);                    \
    template void MultigridLevel<F>::restrict_residual(NodeVector<6>&) const;          \
    template void MultigridLevel<F>::add_correction(const LevelMatrix<F>&, const NodeVector<6>&);
LIMBER_INSTANTIATE(3)
LIMBER_INSTANTIATE(6)
#undef LIMBER_INSTANTIATE

}  // namespace limber
