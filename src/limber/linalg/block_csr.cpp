// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/block_csr.h"

#include <algorithm>
#include <utility>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/linalg/vec3_packet.h"

namespace limber {

namespace {

// Rows of one chunk: about 300 KB of a tet matrix, so that a chunk's overhead vanishes and 20,000
// nodes still split evenly over many threads.
constexpr Index rows_per_chunk = 256;

Index chunk_count(Index n) {
    return (n + rows_per_chunk - 1) / rows_per_chunk;
}

/// B x added up column by column: one accumulator a column, so that three chains of multiply-adds
/// are in flight. A column of B is loaded as four numbers; what lands in the fourth lane is never
/// used.
struct ColumnSums {
    Four s0, s1, s2;

    void add(const double* B, const Four& x, const Four& y, const Four& z) {
        s0 += Four::load(B) * x;
        s1 += Four::load(B + 3) * y;
        s2 += Four::load(B + 6) * z;
    }
    /// Loads the vector once and spreads it: the load ports are what limits a cached product. Reads
    /// one number past v.
    void add_spread(const double* B, const double* v) {
        const Four x = Four::load(v);
        add(B, spread<0>(x), spread<1>(x), spread<2>(x));
    }
    void add_exact(const double* B, const double* v) { add(B, Four(v[0]), Four(v[1]), Four(v[2])); }
};

/// Σ_k B_k x_{column[k] - first} over the blocks [begin, end) of one row. Columns ascend, so that
/// only the last block can meet the last node, past which nothing may be read.
inline Vec3d row_product(const double* block, const Index* column, Index begin, Index end,
                         Index first, const double* x) {
    const auto node = [=](Index k) {
        return x + 3 * static_cast<std::ptrdiff_t>(column[k] - first);
    };
    const double* B = block + 9 * static_cast<std::ptrdiff_t>(begin);
    ColumnSums even, odd;
    Index k = begin;
    for (; k + 2 < end; k += 2, B += 18) {
        even.add_spread(B, node(k));
        odd.add_spread(B + 9, node(k + 1));
    }
    for (; k < end; ++k, B += 9) even.add_exact(B, node(k));
    const Four s = ((even.s0 + odd.s0) + (even.s1 + odd.s1)) + (even.s2 + odd.s2);
    return {s[0], s[1], s[2]};
}

}  // namespace

BlockCsr::BlockCsr(std::vector<Index> row_begin, std::vector<Index> column)
    : row_begin_(std::move(row_begin)), column_(std::move(column)) {
    LIMBER_CHECK(!row_begin_.empty() && row_begin_.front() == 0, "row starts begin with 0");
    LIMBER_CHECK(row_begin_.back() == n_blocks(), "row starts end with the number of blocks");
    const Index n = n_nodes();
    diagonal_.resize(n);
    for (Index row = 0; row < n; ++row) {
        LIMBER_CHECK(row_begin_[row] <= row_begin_[row + 1], "row starts ascend");
        LIMBER_CHECK(row_begin_[row + 1] <= n_blocks(), "row starts stay inside the columns");
        for (Index k = row_begin_[row]; k < row_begin_[row + 1]; ++k) {
            LIMBER_CHECK(column_[k] >= 0 && column_[k] < n, "columns are nodes");
            LIMBER_CHECK(k == row_begin_[row] || column_[k - 1] < column_[k], "columns ascend");
        }
        diagonal_[row] = find(row, row);
        LIMBER_CHECK(diagonal_[row] >= 0, "every row has its diagonal block");
    }
    block_.resize(column_.size() + 1);
    partial_.resize(chunk_count(n));
}

Index BlockCsr::find(Index row, Index col) const {
    LIMBER_CHECK(row >= 0 && row < n_nodes(), "row is a node");
    const auto first = column_.begin() + row_begin_[row];
    const auto last = column_.begin() + row_begin_[row + 1];
    const auto it = std::lower_bound(first, last, col);
    return it != last && *it == col ? static_cast<Index>(it - column_.begin()) : -1;
}

void BlockCsr::set_zero() {
    Mat3d* block = block_.data();
    parallel_ranges(n_blocks(), 16 * rows_per_chunk, [=](Index begin, Index end) {
        std::fill(block + begin, block + end, Mat3d{});
    });
}

double BlockCsr::apply(std::span<const Vec3d> x, std::span<Vec3d> y) const {
    LIMBER_CHECK(std::ssize(x) == n_nodes(), "x has one entry a node");
    return apply_rows(0, x, y, partial_);
}

double BlockCsr::apply_rows(Index first, std::span<const Vec3d> x, std::span<Vec3d> y,
                            std::vector<double>& partial) const {
    const Index n = static_cast<Index>(x.size());
    LIMBER_CHECK(first >= 0 && first + n <= n_nodes(), "the rows are the matrix's");
    LIMBER_CHECK(std::ssize(y) == n, "x and y have the same size");
    if (n == 0) return 0;
    if (std::ssize(partial) < chunk_count(n)) partial.resize(chunk_count(n));
    const Index* row_begin = row_begin_.data() + first;
    const Index* column = column_.data();
    const double* block = block_.data()->a;
    const double* in = &x.data()->x;
    const Vec3d* x_node = x.data();
    Vec3d* out = y.data();
    return parallel_sum(n, rows_per_chunk, std::span(partial), [=](Index begin, Index end) {
        double sum = 0;
        for (Index row = begin; row < end; ++row) {
            const Vec3d s =
                row_product(block, column, row_begin[row], row_begin[row + 1], first, in);
            out[row] = s;
            sum += dot(x_node[row], s);
        }
        return sum;
    });
}

void BlockCsr::diagonal(std::span<Mat3d> blocks) const {
    LIMBER_CHECK(std::ssize(blocks) == n_nodes(), "one block a node");
    Mat3d* out = blocks.data();
    parallel_for(n_nodes(), 4 * rows_per_chunk,
                 [this, out](Index row) { out[row] = block_[diagonal_[row]]; });
}

double BlockCsr::product_bytes() const {
    const double per_block = sizeof(Mat3d) + sizeof(Index);
    const double per_row = sizeof(Index) + 2 * sizeof(Vec3d);
    return per_block * n_blocks() + per_row * n_nodes() + sizeof(Index);
}

}  // namespace limber
