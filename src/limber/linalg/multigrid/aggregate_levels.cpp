// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/multigrid/aggregate_levels.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/linalg/multigrid/level.h"

namespace limber {

namespace {

constexpr Index aggregate_grain = 32;        // aggregates a chunk
constexpr Index aggregate_node_grain = 512;  // nodes a chunk
constexpr Index largest_top = 32;            // aggregates of a level that is solved whole
constexpr double least_pivot = 1e-5;  // of its entry: below it a motion is no motion of its own

using Block6 = std::array<double, 36>;  // by columns

/// Z_i = [I, −[a]×] of a node at arm a: t + w × a.
template <class T>
Vec3<T> motion(const T* y, const Vec3<T>& a) {
    return Vec3<T>{y[0], y[1], y[2]} + cross(Vec3<T>{y[3], y[4], y[5]}, a);
}
/// out += Z_iᵀ f
template <class T>
void add_wrench(const Vec3<T>& f, const Vec3<T>& a, T* out) {
    const Vec3<T> m = cross(a, f);
    out[0] += f.x;
    out[1] += f.y;
    out[2] += f.z;
    out[3] += m.x;
    out[4] += m.y;
    out[5] += m.z;
}

/// B += Z_iᵀ K Z_j with K a 3x3 block and the arms a, b.
void add_projected(const Mat3d& K, const Vec3d& a, const Vec3d& b, Block6& B) {
    const Vec3d e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 3; ++c) {
        add_wrench(K.col(c), a, &B[static_cast<std::size_t>(6 * c)]);
        add_wrench(K * cross(e[c], b), a, &B[static_cast<std::size_t>(6 * (3 + c))]);
    }
}

/// The inverse of a symmetric semidefinite matrix of n rows, by columns; rows without a pivot of
/// their own become zero.
template <class T>
void invert_semidefinite(int n, std::vector<double>& A, T* out) {
    const auto at = [&](int i, int j) -> double& {
        return A[static_cast<std::size_t>(i) + static_cast<std::size_t>(n) * j];
    };
    std::vector<char> dead(static_cast<std::size_t>(n), 0);
    // Left-looking by columns: L below the diagonal, 1 / L_jj on it.
    for (int j = 0; j < n; ++j) {
        const double entry = at(j, j);
        for (int k = 0; k < j; ++k) {
            const double f = at(j, k);
            if (f != 0)
                for (int i = j; i < n; ++i) at(i, j) -= f * at(i, k);
        }
        const double pivot = at(j, j);
        if (!(pivot > least_pivot * entry) || !(entry > 0)) {
            dead[static_cast<std::size_t>(j)] = 1;
            for (int i = j; i < n; ++i) at(i, j) = 0;
            for (int k = 0; k < j; ++k) at(j, k) = 0;
            continue;
        }
        const double scale = 1 / std::sqrt(pivot);
        at(j, j) = scale;
        for (int i = j + 1; i < n; ++i) at(i, j) *= scale;
    }
    // M = L⁻¹ column by column into the upper triangle of a second array, then Mᵀ M.
    std::vector<double> M(A.size(), 0);  // by rows: M[i][j] at i n + j, j <= i
    const auto m = [&](int i, int j) -> double& {
        return M[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)];
    };
    for (int i = 0; i < n; ++i) {
        if (dead[static_cast<std::size_t>(i)]) continue;
        m(i, i) = 1;
        for (int k = 0; k < i; ++k) {
            const double f = at(i, k);
            if (f != 0)
                for (int j = 0; j <= k; ++j) m(i, j) -= f * m(k, j);
        }
        for (int j = 0; j <= i; ++j) m(i, j) *= at(i, i);
    }
    std::vector<double> sum(A.size(), 0);
    for (int k = 0; k < n; ++k)
        for (int i = 0; i <= k; ++i) {
            const double f = m(k, i);
            if (f == 0) continue;
            double* row = &sum[static_cast<std::size_t>(i) * n];
            for (int j = 0; j <= i; ++j) row[j] += f * m(k, j);
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            out[i + n * j] = out[j + n * i] =
                static_cast<T>(sum[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)]);
}

/// Which parts of a level are next to each other, from those of the finer one.
BlockPattern quotient_graph(const BlockPattern& fine, const std::vector<Index>& parent, Index n) {
    std::vector<std::vector<Index>> rows(static_cast<std::size_t>(n));
    for (Index i = 0; i < fine.n_rows(); ++i) {
        if (parent[i] < 0) continue;
        auto& row = rows[static_cast<std::size_t>(parent[i])];
        for (Index k = fine.row_begin[i]; k < fine.row_begin[i + 1]; ++k)
            if (parent[fine.column[k]] >= 0) row.push_back(parent[fine.column[k]]);
    }
    BlockPattern out;
    for (auto& row : rows) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        out.column.insert(out.column.end(), row.begin(), row.end());
        out.row_begin.push_back(static_cast<Index>(out.column.size()));
    }
    return out;
}

}  // namespace

template <class Real>
AggregateLevels<Real>::AggregateLevels(const BlockCsr& pattern, FreeMask free)
    : free_(free), inverse_(static_cast<std::size_t>(pattern.n_nodes())) {
    LIMBER_CHECK(std::ssize(free) == pattern.n_nodes(), "one mask entry a node");
    gather(pattern);
    Index chunks = pattern.n_nodes() / aggregate_node_grain + 1;
    if (!level_.empty()) chunks = std::max(chunks, level_[0].n / aggregate_grain + 1);
    partial_.resize(static_cast<std::size_t>(chunks));
}

template <class Real>
void AggregateLevels<Real>::gather(const BlockCsr& pattern) {
    const Index n = pattern.n_nodes();
    BlockPattern graph{{pattern.row_begin().begin(), pattern.row_begin().end()},
                       {pattern.column().begin(), pattern.column().end()}};
    std::vector<char> leave_out(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) leave_out[i] = free_[i] == Vec3d{};
    while (true) {
        Level level;
        level.n = aggregate_nodes(graph, leave_out, level.parent);
        const Index parts = graph.n_rows();
        // A level that gathers next to nothing is not worth its blocks.
        if (level.n == 0 || (!level_.empty() && level.n > 0.7 * parts)) break;
        level.part_begin.assign(static_cast<std::size_t>(level.n) + 1, 0);
        for (const Index p : level.parent)
            if (p >= 0) ++level.part_begin[p + 1];
        for (Index a = 0; a < level.n; ++a) level.part_begin[a + 1] += level.part_begin[a];
        level.part.resize(static_cast<std::size_t>(level.part_begin.back()));
        std::vector<Index> next(level.part_begin.begin(), level.part_begin.end() - 1);
        for (Index i = 0; i < parts; ++i)
            if (level.parent[i] >= 0) level.part[next[level.parent[i]]++] = i;
        graph = quotient_graph(graph, level.parent, level.n);
        level.row_begin = graph.row_begin;
        level.column = graph.column;
        level.block.resize(graph.column.size());
        const std::size_t size = static_cast<std::size_t>(level.n);
        level.centre.resize(size);
        level.radius.resize(size);
        level.inverse.resize(size);
        level.arm.resize(level.parent.size());
        level.r.resize(size);
        level.y.resize(size);
        leave_out.clear();
        level_.push_back(std::move(level));
        if (level_.back().n <= largest_top) break;
    }
    if (level_.empty()) {
        for (Index i = 0; i < n; ++i) loose_.push_back(i);
        return;
    }
    for (Index i = 0; i < n; ++i)
        if (level_[0].parent[i] < 0) loose_.push_back(i);
    dense_top_ = level_.back().n <= largest_top;
    if (dense_top_) {
        const std::size_t rows = static_cast<std::size_t>(n_modes * level_.back().n);
        top_.resize(rows * rows);
    }
}

/// Centres, radii and arms of the present positions.
template <class Real>
void AggregateLevels<Real>::place(std::span<const Vec3d> x) {
    for (std::size_t l = 0; l < level_.size(); ++l) {
        Level& level = level_[l];
        const Level* fine = l > 0 ? &level_[l - 1] : nullptr;
        const auto at = [&](Index part) { return fine ? fine->centre[part] : x[part]; };
        parallel_for(level.n, aggregate_grain, [&](Index a) {
            const auto parts =
                std::span(level.part)
                    .subspan(level.part_begin[a], level.part_begin[a + 1] - level.part_begin[a]);
            Vec3d centre;
            for (const Index p : parts) centre += at(p);
            centre *= 1.0 / static_cast<double>(parts.size());
            double radius = 0;
            for (const Index p : parts)
                radius = std::max(radius, norm(at(p) - centre) + (fine ? fine->radius[p] : 0));
            radius = std::max(radius, 1e-30);
            level.centre[a] = centre;
            level.radius[a] = radius;
            for (const Index p : parts) {
                const Vec3d arm = (1 / radius) * (at(p) - centre);
                level.arm[p] = {static_cast<Real>(arm.x), static_cast<Real>(arm.y),
                                static_cast<Real>(arm.z),
                                static_cast<Real>(fine ? fine->radius[p] / radius : 0)};
            }
        });
    }
}

/// Zᵀ A Z of the first level, row by row: one thread owns the blocks of an aggregate.
template <class Real>
void AggregateLevels<Real>::project_nodes(const BlockRows<Real>& A) {
    Level& level = level_[0];
    const auto arm = [&](Index i) {
        return Vec3d{level.arm[i][0], level.arm[i][1], level.arm[i][2]};
    };
    parallel_for(level.n, aggregate_grain, [&](Index a) {
        const Index begin = level.row_begin[a], end = level.row_begin[a + 1];
        for (Index k = begin; k < end; ++k) level.block[k].fill(0);
        for (Index m = level.part_begin[a]; m < level.part_begin[a + 1]; ++m) {
            const Index i = level.part[m];
            for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k) {
                const Index j = A.column()[k], b = level.parent[j];
                if (b < 0) continue;
                const auto first = level.column.begin() + begin, last = level.column.begin() + end;
                const auto place = std::lower_bound(first, last, b);
                if (place == last || *place != b) continue;  // a contact between bodies
                Mat3d K;
                for (int c = 0; c < 3; ++c)
                    for (int r = 0; r < 3; ++r)
                        K(r, c) =
                            free_[i][r] * free_[j][c] * static_cast<double>(A.blocks()[k](r, c));
                add_projected(K, arm(i), arm(j), level.block[place - level.column.begin()]);
            }
        }
    });
}

/// The same from one level of aggregates to the next: T_aᵀ B T_b with T = [I, −[arm]×; 0, share].
template <class Real>
void AggregateLevels<Real>::project_level(const Level& fine, Level& coarse) {
    parallel_for(coarse.n, 4, [&](Index s) {
        const Index begin = coarse.row_begin[s], end = coarse.row_begin[s + 1];
        for (Index k = begin; k < end; ++k) coarse.block[k].fill(0);
        for (Index m = coarse.part_begin[s]; m < coarse.part_begin[s + 1]; ++m) {
            const Index a = coarse.part[m];
            const auto& at = coarse.arm[a];
            const Vec3d arm_a{at[0], at[1], at[2]};
            for (Index k = fine.row_begin[a]; k < fine.row_begin[a + 1]; ++k) {
                const Index b = fine.column[k];
                const auto first = coarse.column.begin() + begin;
                Block6& out = coarse.block[std::lower_bound(first, coarse.column.begin() + end,
                                                            coarse.parent[b]) -
                                           coarse.column.begin()];
                const auto& bt = coarse.arm[b];
                const Vec3d arm_b{bt[0], bt[1], bt[2]};
                const Block6& B = fine.block[k];
                // Columns of B T_b, then T_aᵀ of each.
                for (int c = 0; c < n_modes; ++c) {
                    double unit[n_modes] = {};
                    unit[c] = 1;
                    const Vec3d t = motion(unit, arm_b);
                    const double y[n_modes] = {t.x,
                                               t.y,
                                               t.z,
                                               static_cast<double>(bt[3]) * unit[3],
                                               static_cast<double>(bt[3]) * unit[4],
                                               static_cast<double>(bt[3]) * unit[5]};
                    double f[n_modes] = {};
                    for (int q = 0; q < n_modes; ++q)
                        for (int p = 0; p < n_modes; ++p)
                            f[p] += B[static_cast<std::size_t>(p + 6 * q)] * y[q];
                    double* to = &out[static_cast<std::size_t>(6 * c)];
                    add_wrench(Vec3d{f[0], f[1], f[2]}, arm_a, to);
                    for (int p = 3; p < n_modes; ++p) to[p] += static_cast<double>(at[3]) * f[p];
                }
            }
        }
    });
}

template <class Real>
void AggregateLevels<Real>::invert_top() {
    const Level& level = level_.back();
    const int n = n_modes * static_cast<int>(level.n);
    std::vector<double> A(top_.size(), 0);
    for (Index a = 0; a < level.n; ++a)
        for (Index k = level.row_begin[a]; k < level.row_begin[a + 1]; ++k)
            for (int c = 0; c < n_modes; ++c)
                for (int r = 0; r < n_modes; ++r)
                    A[static_cast<std::size_t>(n_modes * a + r) +
                      static_cast<std::size_t>(n) *
                          static_cast<std::size_t>(n_modes * level.column[k] + c)] =
                        level.block[k][static_cast<std::size_t>(r + 6 * c)];
    invert_semidefinite(n, A, top_.data());
}

template <class Real>
bool AggregateLevels<Real>::update(const BlockRows<Real>& A, std::span<const Vec3d> x) {
    const Index n = A.n_nodes();
    const double bad =
        parallel_sum<double>(n, aggregate_node_grain, partial_, [&](Index begin, Index end) {
            double count = 0;
            std::vector<double> D(9);
            for (Index i = begin; i < end; ++i) {
                const Mat3<Real>& B = A.blocks()[A.diagonal_position(i)];
                for (int c = 0; c < 3; ++c)
                    for (int r = 0; r < 3; ++r)
                        D[static_cast<std::size_t>(r + 3 * c)] =
                            free_[i][r] * free_[i][c] * static_cast<double>(B(r, c));
                for (int k = 0; k < 3; ++k)
                    count += free_[i][k] != 0 && !(D[static_cast<std::size_t>(4 * k)] > 0);
                invert_semidefinite(3, D, inverse_[i].a);
            }
            return count;
        });
    if (bad > 0) return false;
    if (level_.empty()) return true;
    place(x);
    project_nodes(A);
    for (std::size_t l = 1; l < level_.size(); ++l) project_level(level_[l - 1], level_[l]);
    for (std::size_t l = 0; l < level_.size(); ++l) {
        Level& level = level_[l];
        if (dense_top_ && l + 1 == level_.size()) break;
        parallel_for(level.n, aggregate_grain, [&](Index a) {
            const auto first = level.column.begin() + level.row_begin[a];
            const auto own =
                std::lower_bound(first, level.column.begin() + level.row_begin[a + 1], a);
            const Block6& B = level.block[own - level.column.begin()];
            std::vector<double> copy(B.begin(), B.end());
            invert_semidefinite(n_modes, copy, level.inverse[a].data());
        });
    }
    if (dense_top_) invert_top();
    return true;
}

template <class Real>
double AggregateLevels<Real>::apply(ConstVectors r, Vectors z) {
    for (const Index i : loose_) z[i] = inverse_[i] * r[i];
    double sum = 0;
    for (const Index i : loose_) sum += static_cast<double>(dot(r[i], z[i]));
    if (level_.empty()) return sum;
    const auto arm = [](const std::array<Real, 4>& a) { return Vec3<Real>{a[0], a[1], a[2]}; };
    // Up: wrenches of aggregates.
    for (std::size_t l = 0; l < level_.size(); ++l) {
        Level& level = level_[l];
        const Level* fine = l > 0 ? &level_[l - 1] : nullptr;
        parallel_for(level.n, aggregate_grain, [&](Index a) {
            Six w{};
            for (Index m = level.part_begin[a]; m < level.part_begin[a + 1]; ++m) {
                const Index p = level.part[m];
                if (!fine) {
                    add_wrench(r[p], arm(level.arm[p]), w.data());
                } else {
                    const Six& f = fine->r[p];
                    add_wrench(Vec3<Real>{f[0], f[1], f[2]}, arm(level.arm[p]), w.data());
                    for (int k = 3; k < n_modes; ++k) w[k] += level.arm[p][3] * f[k];
                }
            }
            level.r[a] = w;
        });
    }
    // Down: what each level adds to the motions of the one below.
    for (std::size_t l = level_.size(); l-- > 0;) {
        Level& level = level_[l];
        const bool top = l + 1 == level_.size();
        if (top && dense_top_) {
            const std::size_t n = static_cast<std::size_t>(n_modes * level.n);
            Real* y = level.y.data()->data();
            const Real* f = level.r.data()->data();
            std::fill(y, y + n, Real(0));
            for (std::size_t c = 0; c < n; ++c)
                for (std::size_t k = 0; k < n; ++k) y[k] += top_[k + n * c] * f[c];
            continue;
        }
        const Level* coarse = top ? nullptr : &level_[l + 1];
        parallel_for(level.n, aggregate_grain, [&](Index a) {
            Six y{};
            for (int c = 0; c < n_modes; ++c)
                for (int k = 0; k < n_modes; ++k)
                    y[k] += level.inverse[a][static_cast<std::size_t>(k + 6 * c)] * level.r[a][c];
            if (coarse) {
                const Six& up = coarse->y[coarse->parent[a]];
                const Vec3<Real> t = motion(up.data(), arm(coarse->arm[a]));
                y[0] += t.x;
                y[1] += t.y;
                y[2] += t.z;
                for (int k = 3; k < n_modes; ++k) y[k] += coarse->arm[a][3] * up[k];
            }
            level.y[a] = y;
        });
    }
    Level& level = level_[0];
    return sum +
           parallel_sum<double>(level.n, aggregate_grain, partial_, [&](Index begin, Index end) {
               double part = 0;
               for (Index a = begin; a < end; ++a)
                   for (Index m = level.part_begin[a]; m < level.part_begin[a + 1]; ++m) {
                       const Index i = level.part[m];
                       z[i] = inverse_[i] * r[i] +
                              masked(motion(level.y[a].data(), arm(level.arm[i])), free_[i]);
                       part += static_cast<double>(dot(r[i], z[i]));
                   }
               return part;
           });
}

template <class Real>
std::vector<Index> AggregateLevels<Real>::sizes() const {
    std::vector<Index> out;
    for (const Level& level : level_) out.push_back(level.n);
    return out;
}

template class AggregateLevels<float>;
template class AggregateLevels<double>;

}  // namespace limber
