// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/block_sweeps.h"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/core/simd.h"
#include "limber/core/stop.h"

namespace limber {

namespace {

constexpr Index width = BlockSweeps::width;
constexpr Index n_packets = width / 8;
using P = Packet<double, 8>;

P load_double(const double* x) {
    return P::load(x);
}
P load_double(const float* x) {
    return convert<double>(Packet<float, 8>::load(x));
}

/// u[0 .. width) += Σ_r dp[r] rows[r][0 .. width).
template <class T>
void add_rows(const T* rows, const double* dp, Index n_rows, double* u) {
    P sum[n_packets];
    for (Index k = 0; k < n_packets; ++k) sum[k] = P::load(u + 8 * k);
    for (Index r = 0; r < n_rows; ++r) {
        const P factor(dp[r]);
        for (Index k = 0; k < n_packets; ++k)
            sum[k] += factor * load_double(rows + r * width + 8 * k);
    }
    for (Index k = 0; k < n_packets; ++k) sum[k].store(u + 8 * k);
}

/// Copies and says whether all was 0.
template <class T>
bool copy_run(const double* in, Index n, T* out) {
    P seen;
    Index i = 0;
    for (; i + 8 <= n; i += 8) {
        const P x = P::load(in + i);
        convert<T>(x).store(out + i);
        seen = max(seen, abs(x));
    }
    bool zero = !any(seen > P(0));
    for (; i < n; ++i) {
        out[i] = static_cast<T>(in[i]);
        zero &= in[i] == 0;
    }
    return zero;
}

}  // namespace

void BlockSweeps::pack(const ComplementarityProblem& problem, const GroupLaws& laws,
                       std::span<const Index> chosen, const Options& options) {
    laws_ = &laws;
    single_ = options.single;
    coloured_ = options.coloured;
    make_batches(chosen);
    copy_tiles(problem.W);
    make_colours(options.coloured);
    const std::size_t n = static_cast<std::size_t>(n_batches()) * width;
    p_.assign(n, 0);
    u_.assign(n, 0);
    dp_.assign(n, 0);
    changed_.assign(n_batches(), 0);
}

void BlockSweeps::make_batches(std::span<const Index> chosen) {
    items_.clear();
    runs_.clear();
    items_.reserve(laws_->size());  // however the chosen ones are scattered
    runs_.reserve(laws_->size());
    item_begin_.assign(1, 0);
    run_begin_.assign(1, 0);
    Index used = 0;
    const auto close = [&] {
        item_begin_.push_back(static_cast<Index>(items_.size()));
        run_begin_.push_back(static_cast<Index>(runs_.size()));
        used = 0;
    };
    for (const Index g : chosen) {
        const ConstraintGroup& group = laws_->group(g);
        if (used + group.n_rows > width) close();
        const Index packed = static_cast<Index>(item_begin_.size() - 1) * width + used;
        items_.push_back({g, packed});
        const bool follows = used > 0 && runs_.back().source + runs_.back().length == group.row;
        if (follows)
            runs_.back().length += group.n_rows;
        else
            runs_.push_back({group.row, packed, group.n_rows});
        used += group.n_rows;
    }
    if (used > 0) close();
}

template <class T>
void BlockSweeps::copy_row(std::span<const double> source, Index batch, Index row,
                           std::vector<T>& tiles) {
    for (Index column = 0; column < n_batches(); ++column) {
        T* out = &tiles[tile(batch, column) + static_cast<std::size_t>(row) * width];
        if (column == batch || run_begin_[column + 1] - run_begin_[column] > 1 ||
            runs_[run_begin_[column]].length < width)
            std::fill(out, out + width, T(0));
        if (column == batch) continue;
        bool zero = true;
        for (Index k = run_begin_[column]; k < run_begin_[column + 1]; ++k)
            zero &= copy_run(&source[runs_[k].source], runs_[k].length,
                             out + (runs_[k].packed - column * width));
        if (!zero) couples_[batch * n_batches() + column] = 1;
    }
}

void BlockSweeps::copy_tiles(const DenseMatrix& W) {
    const Index n = n_batches();
    const std::size_t n_entries = tile(n, 0);
    if (single_)
        single_tiles_.resize(n_entries);
    else
        tiles_.resize(n_entries);
    couples_.assign(static_cast<std::size_t>(n) * n, 0);
    diagonal_.assign(static_cast<std::size_t>(n) * width * width, 0);
    const auto copy_batch = [&](Index batch) {
        for (Index k = run_begin_[batch]; k < run_begin_[batch + 1]; ++k)
            for (Index i = 0; i < runs_[k].length; ++i) {
                const std::span<const double> source = W.row(runs_[k].source + i);
                const Index row = runs_[k].packed + i - batch * width;
                if (single_)
                    copy_row(source, batch, row, single_tiles_);
                else
                    copy_row(source, batch, row, tiles_);
                double* own = &diagonal_[(static_cast<std::size_t>(batch) * width + row) * width];
                for (Index m = run_begin_[batch]; m < run_begin_[batch + 1]; ++m)
                    for (Index j = 0; j < runs_[m].length; ++j)
                        own[runs_[m].packed + j - batch * width] = source[runs_[m].source + j];
            }
    };
    if (coloured_)
        parallel_chunks(n, copy_batch);
    else
        for (Index batch = 0; batch < n; ++batch) copy_batch(batch);
}

/// Greedy colours of the batches in order, each batch its own where not coloured.
void BlockSweeps::make_colours(bool coloured) {
    const Index n = n_batches();
    colour_of_.resize(n);
    Index n_colours = 0;
    for (Index b = 0; b < n; ++b) {
        Index colour = coloured ? 0 : b;
        const auto taken = [&] {
            for (Index a = 0; a < b; ++a)
                if (colour_of_[a] == colour && couples_[b * n + a]) return true;
            return false;
        };
        while (coloured && taken()) ++colour;
        colour_of_[b] = colour;
        n_colours = std::max(n_colours, colour + 1);
    }
    colour_begin_.assign(1, 0);
    colour_batch_.clear();
    for (Index colour = 0; colour < n_colours; ++colour) {
        for (Index b = 0; b < n; ++b)
            if (colour_of_[b] == colour) colour_batch_.push_back(b);
        colour_begin_.push_back(static_cast<Index>(colour_batch_.size()));
    }
}

void BlockSweeps::load(std::span<const double> p, std::span<const double> u) {
    for (const Run& run : runs_)
        for (Index i = 0; i < run.length; ++i) {
            p_[run.packed + i] = p[run.source + i];
            u_[run.packed + i] = u[run.source + i];
        }
}

void BlockSweeps::store(std::span<double> p) const {
    for (const Run& run : runs_)
        for (Index i = 0; i < run.length; ++i) p[run.source + i] = p_[run.packed + i];
}

void BlockSweeps::solve_batch(Index batch) {
    double* u = &u_[static_cast<std::size_t>(batch) * width];
    changed_[batch] = 0;
    for (Index k = item_begin_[batch]; k < item_begin_[batch + 1]; ++k) {
        const auto [g, row] = items_[k];
        double* dp = &dp_[row];
        laws_->solve(g, &u_[row], &p_[row], dp);
        const Index n_rows = laws_->group(g).n_rows;
        if (std::all_of(dp, dp + n_rows, [](double x) { return x == 0; })) continue;
        changed_[batch] = 1;
        add_rows(&diagonal_[static_cast<std::size_t>(row) * width], dp, n_rows, u);
    }
}

/// What the batches of a colour changed, as the batch `column` sees it.
template <class T>
void BlockSweeps::send_to(const std::vector<T>& tiles, Index colour, Index column) {
    for (Index k = colour_begin_[colour]; k < colour_begin_[colour + 1]; ++k) {
        const Index batch = colour_batch_[k];
        if (!changed_[batch] || !couples_[batch * n_batches() + column]) continue;
        const auto [group, row] = items_[item_begin_[batch + 1] - 1];
        const Index n_rows = row + laws_->group(group).n_rows - batch * width;
        add_rows(&tiles[tile(batch, column)], &dp_[static_cast<std::size_t>(batch) * width], n_rows,
                 &u_[static_cast<std::size_t>(column) * width]);
    }
}

void BlockSweeps::send_colour(Index colour) {
    const auto columns = [&](Index begin, Index end) {
        for (Index column = begin; column < end; ++column) {
            if (single_)
                send_to(single_tiles_, colour, column);
            else
                send_to(tiles_, colour, column);
        }
    };
    // A task is to last longer than its start: eight tiles are 18 432 entries of W.
    if (coloured_)
        parallel_ranges(n_batches(), 8, columns);
    else
        columns(0, n_batches());
}

void BlockSweeps::sweep() {
    stop_if_requested();
    for (Index colour = 0; colour + 1 < static_cast<Index>(colour_begin_.size()); ++colour) {
        const Index begin = colour_begin_[colour], end = colour_begin_[colour + 1];
        if (coloured_ && end - begin > 1)
            parallel_chunks(end - begin, [&](Index i) { solve_batch(colour_batch_[begin + i]); });
        else
            for (Index i = begin; i < end; ++i) solve_batch(colour_batch_[i]);
        send_colour(colour);
    }
}

double BlockSweeps::residual() const {
    double worst = 0;
    for (const auto [g, row] : items_) {
        const ConstraintGroup& group = laws_->group(g);
        const std::size_t n = group.n_rows;
        const double r = group_residual(group, laws_->d(g), {&p_[row], n}, {&u_[row], n});
        if (!(r <= worst)) worst = r;
        if (std::isnan(worst)) return worst;
    }
    return worst;
}

}  // namespace limber
