// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/multigrid/multigrid.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/linalg/multigrid/level.h"
#include "limber/linalg/supernodal/cholesky.h"

namespace limber {

namespace {

// A level that keeps more than this share of the nodes is not worth having.
constexpr double largest_share = 0.8;

constexpr Index multigrid_nodes = 256;

/// Rows and columns of prescribed degrees of freedom become those of the identity.
Mat3d filtered_entry(Mat3d B, const Vec3d& row, const Vec3d& column, bool diagonal) {
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            if (row[i] == 0 || column[j] == 0) B(i, j) = diagonal && i == j ? 1 : 0;
    return B;
}

/// The coarsest matrix as 3x3 blocks, two nodes an aggregate.
BlockCsr split_pattern(const BlockPattern& pattern) {
    std::vector<Index> row_begin{0}, column;
    for (Index i = 0; i < pattern.n_rows(); ++i)
        for (int half = 0; half < 2; ++half) {
            for (Index k = pattern.row_begin[i]; k < pattern.row_begin[i + 1]; ++k) {
                column.push_back(2 * pattern.column[k]);
                column.push_back(2 * pattern.column[k] + 1);
            }
            row_begin.push_back(static_cast<Index>(column.size()));
        }
    return {std::move(row_begin), std::move(column)};
}

void split_values(const CoarseMatrix& from, BlockCsr& to) {
    const BlockPattern& pattern = from.pattern;
    for (Index i = 0; i < pattern.n_rows(); ++i)
        for (Index k = pattern.row_begin[i]; k < pattern.row_begin[i + 1]; ++k) {
            const double* B = &from.value[static_cast<std::size_t>(k) * n_modes * n_modes];
            for (int half = 0; half < 2; ++half)
                for (int other = 0; other < 2; ++other) {
                    const Index at =
                        to.row_begin()[2 * i + half] + 2 * (k - pattern.row_begin[i]) + other;
                    for (int r = 0; r < 3; ++r)
                        for (int c = 0; c < 3; ++c)
                            to.blocks()[at](r, c) = B[3 * half + r + n_modes * (3 * other + c)];
                }
        }
}

}  // namespace

struct Multigrid::Hierarchy {
    MultigridOptions options;
    std::vector<Vec3d> positions;
    std::vector<char> leave_out;  // nodes prescribed whole
    std::vector<char> now_out;    // the same of the matrix that comes
    std::vector<char> bad;        // per chunk
    BlockCsr matrix;              // A with prescribed rows and columns those of the identity
    bool has_first = false;       // else A itself is factorised
    MultigridLevel<3> first;
    std::vector<MultigridLevel<6>> rest;
    std::vector<double> modes;  // of the first level
    BlockCsr coarsest;
    SupernodalCholesky<double> factor;
    std::vector<Vec3d> coarsest_r, coarsest_z;
    NodeVector<6> coarse_r, coarse_z;
    bool ready = false;

    bool analyzed(const BlockCsr& A) const;
    void analyze(const BlockCsr& A);
    bool fill_matrix(const BlockCsr& A, FreeMask free);
    void find_modes(FreeMask free);
    const CoarseMatrix& last_coarse() const {
        return rest.empty() ? first.coarse : rest.back().coarse;
    }
    SolveStatus update(FreeMask free);
    void solve_coarsest();
    template <int F>
    void cycle(MultigridLevel<F>& level, const LevelMatrix<F>& A, std::size_t next);
};

bool Multigrid::Hierarchy::analyzed(const BlockCsr& A) const {
    return std::ranges::equal(A.row_begin(), matrix.row_begin()) &&
           std::ranges::equal(A.column(), matrix.column()) && now_out == leave_out;
}

void Multigrid::Hierarchy::analyze(const BlockCsr& A) {
    const BlockPattern pattern{{A.row_begin().begin(), A.row_begin().end()},
                               {A.column().begin(), A.column().end()}};
    matrix = BlockCsr(pattern.row_begin, pattern.column);
    const auto worth = [](const auto& level) {
        return level.n_aggregates > 0 && level.n_aggregates <= largest_share * level.n_nodes();
    };
    rest.clear();
    has_first = 3 * A.n_nodes() > options.coarsest_dofs;
    if (has_first) {
        first.analyze(pattern, pattern, leave_out);
        has_first = worth(first);
    }
    if (!has_first) return;
    while (n_modes * last_coarse().pattern.n_rows() > options.coarsest_dofs) {
        MultigridLevel<6> level;
        level.analyze(last_coarse().pattern, rest.empty() ? first.quotient : rest.back().quotient,
                      {});
        if (!worth(level)) break;
        rest.push_back(std::move(level));
    }
    coarsest = split_pattern(last_coarse().pattern);
    coarsest_r.resize(coarsest.n_nodes());
    coarsest_z.resize(coarsest.n_nodes());
    coarse_r.resize(last_coarse().pattern.n_rows());
    coarse_z.resize(coarse_r.size());
    modes.resize(static_cast<std::size_t>(A.n_nodes()) * 3 * n_modes);
}

/// False where an entry is not finite.
bool Multigrid::Hierarchy::fill_matrix(const BlockCsr& A, FreeMask free) {
    bad.assign((A.n_nodes() + multigrid_nodes - 1) / multigrid_nodes, 0);
    parallel_for(A.n_nodes(), multigrid_nodes, [&](Index i) {
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k) {
            const Index j = A.column()[k];
            matrix.blocks()[k] = free.empty()
                                     ? A.blocks()[k]
                                     : filtered_entry(A.blocks()[k], free[i], free[j], i == j);
            if (!is_finite(matrix.blocks()[k])) bad[i / multigrid_nodes] = 1;
        }
    });
    return std::ranges::find(bad, 1) == bad.end();
}

/// Row k of node i: translations e_k, then rotations (e_m × x)_k about the middle of the nodes, in
/// units of their size; zero where prescribed.
void Multigrid::Hierarchy::find_modes(FreeMask free) {
    Vec3d middle;
    for (const Vec3d& x : positions) middle += x;
    middle *= 1.0 / static_cast<double>(positions.size());
    double size2 = 0;
    for (const Vec3d& x : positions) size2 = std::max(size2, squared_norm(x - middle));
    const double scale = size2 > 0 ? 1 / std::sqrt(size2) : 1;
    parallel_for(matrix.n_nodes(), multigrid_nodes, [&](Index i) {
        const Vec3d x = scale * (positions[i] - middle);
        const double rows[3][n_modes] = {{1, 0, 0, 0, x.z, -x.y},  //
                                         {0, 1, 0, -x.z, 0, x.x},
                                         {0, 0, 1, x.y, -x.x, 0}};
        for (int k = 0; k < 3; ++k)
            for (int c = 0; c < n_modes; ++c)
                modes[(static_cast<std::size_t>(i) * 3 + k) * n_modes + c] =
                    free.empty() || free[i][k] != 0 ? rows[k][c] : 0;
    });
}

SolveStatus Multigrid::Hierarchy::update(FreeMask free) {
    if (!has_first) return factor.factorize(matrix, {}).status;
    find_modes(free);
    if (!first.update(matrix, modes)) return SolveStatus::indefinite;
    for (std::size_t k = 0; k < rest.size(); ++k) {
        const CoarseMatrix& A = k == 0 ? first.coarse : rest[k - 1].coarse;
        const auto& coarse_modes = k == 0 ? first.coarse_modes : rest[k - 1].coarse_modes;
        if (!rest[k].update(A, coarse_modes)) return SolveStatus::indefinite;
    }
    split_values(last_coarse(), coarsest);
    return factor.factorize(coarsest, {}).status;
}

void Multigrid::Hierarchy::solve_coarsest() {
    for (std::size_t i = 0; i < coarse_r.size(); ++i)
        for (int k = 0; k < n_modes; ++k) coarsest_r[2 * i + k / 3][k % 3] = coarse_r[i].a[k];
    factor.solve(coarsest_r, coarsest_z);
    for (std::size_t i = 0; i < coarse_z.size(); ++i)
        for (int k = 0; k < n_modes; ++k) coarse_z[i].a[k] = coarsest_z[2 * i + k / 3][k % 3];
}

/// z from r; `next` is the level below in `rest`.
template <int F>
void Multigrid::Hierarchy::cycle(MultigridLevel<F>& level, const LevelMatrix<F>& A,
                                 std::size_t next) {
    std::ranges::fill(level.z, typename decltype(level.z)::value_type{});
    level.smooth(A, options.smoothing, true);
    if (next < rest.size()) {
        level.restrict_residual(rest[next].r);
        cycle(rest[next], level.coarse, next + 1);
        level.add_correction(A, rest[next].z);
    } else {
        level.restrict_residual(coarse_r);
        solve_coarsest();
        level.add_correction(A, coarse_z);
    }
    level.smooth(A, options.smoothing, false);
}

Multigrid::Multigrid(std::span<const Vec3d> positions, const MultigridOptions& options)
    : hierarchy_(std::make_unique<Hierarchy>()) {
    LIMBER_CHECK(options.smoothing >= 1, "at least one step of smoothing");
    hierarchy_->options = options;
    set_positions(positions);
}

Multigrid::~Multigrid() = default;

void Multigrid::set_positions(std::span<const Vec3d> positions) {
    hierarchy_->positions.assign(positions.begin(), positions.end());
}

SolveStats Multigrid::update(const BlockCsr& A, FreeMask free) {
    Hierarchy& h = *hierarchy_;
    const Index n = A.n_nodes();
    LIMBER_CHECK(std::ssize(h.positions) == n, "multigrid knows a position for every node");
    LIMBER_CHECK(free.empty() || std::ssize(free) == n, "the mask has one entry a node");
    h.now_out.assign(n, 0);
    for (std::size_t i = 0; i < free.size(); ++i) h.now_out[i] = free[i] == Vec3d{};
    h.ready = false;
    if (!h.analyzed(A)) {
        h.leave_out = h.now_out;
        h.analyze(A);
    }
    SolveStats stats;
    stats.status = h.fill_matrix(A, free) ? h.update(free) : SolveStatus::not_finite;
    h.ready = !stats.failed();
    return stats;
}

Index Multigrid::n_nodes() const {
    return hierarchy_->matrix.n_nodes();
}

void Multigrid::apply_inverse(std::span<const Vec3d> r, std::span<Vec3d> z) const {
    Hierarchy& h = *hierarchy_;
    LIMBER_CHECK(h.ready, "update() succeeded before");
    LIMBER_CHECK(std::ssize(r) == n_nodes() && std::ssize(z) == n_nodes(), "one entry a node");
    if (!h.has_first) return h.factor.solve(r, z);
    std::ranges::copy(r, h.first.r.begin());
    h.cycle(h.first, h.matrix, 0);
    std::ranges::copy(h.first.z, z.begin());
}

std::vector<MultigridLevelReport> Multigrid::levels() const {
    const Hierarchy& h = *hierarchy_;
    std::vector<MultigridLevelReport> out{{h.matrix.n_nodes(), h.matrix.n_blocks(), 0}};
    const auto add = [&](const CoarseMatrix& A) {
        out.push_back({A.pattern.n_rows(), static_cast<Index>(A.pattern.column.size()), 0});
    };
    if (!h.has_first) return out;
    out[0].lambda_max = h.first.lambda_max;
    add(h.first.coarse);
    for (const MultigridLevel<6>& level : h.rest) {
        out.back().lambda_max = level.lambda_max;
        add(level.coarse);
    }
    return out;
}

double Multigrid::operator_complexity() const {
    double sum = 0;
    const std::vector<MultigridLevelReport> all = levels();
    for (std::size_t k = 0; k < all.size(); ++k) sum += all[k].n_blocks * (k == 0 ? 9.0 : 36.0);
    return all[0].n_blocks > 0 ? sum / (9.0 * all[0].n_blocks) : 1;
}

}  // namespace limber
