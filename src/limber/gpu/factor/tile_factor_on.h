// SPDX-License-Identifier: Apache-2.0
#pragma once

// TileFactor on a queue. What runs the tasks there, prepare_factor(), run_factor() and
// run_substitution(), is found by the queue's type.

#include <algorithm>
#include <functional>
#include <optional>

#include "limber/core/check.h"
#include "limber/core/timer.h"
#include "limber/gpu/errors.h"
#include "limber/gpu/factor/tile_factor.h"
#include "limber/gpu/factor/view.h"
#include "limber/gpu/queue.h"

namespace limber::gpu {

/// The plan, the factor and vectors in the memory of a queue, and what is put into it.
template <class Queue, class T>
class FactorArrays {
  public:
    FactorArrays(Queue& queue, const TilePlan& plan, const BlockCsr& pattern) : q_(queue) {
        keep(plan.tasks, tasks_);
        keep(plan.entries, entries_);
        keep(plan.pulls, pulls_);
        keep(plan.relative, relative_);
        keep(plan.forward, forward_);
        keep(plan.backward, backward_);
        keep(plan.gather_begin, gather_begin_);
        keep(plan.gather, gather_);
        keep(plan.unknown, unknown_);
        keep(plan.above, above_);
        q_.resize(row_begin_, pattern.row_begin().size());
        q_.put(pattern.row_begin(), row_begin_);
        q_.resize(column_, pattern.column().size());
        q_.put(pattern.column(), column_);
        q_.resize(free_bits_, static_cast<std::size_t>(plan.tile_row_count()));
        q_.resize(A_, static_cast<std::size_t>(pattern.n_blocks()));
        q_.resize(tiles_, tile_entries * static_cast<std::size_t>(plan.n_tiles));
        q_.resize(made_, static_cast<std::size_t>(plan.n_tiles));
        q_.resize(up_, static_cast<std::size_t>(plan.n_rows));
        q_.resize(down_, static_cast<std::size_t>(plan.n_rows));
        for (auto* vector : {&b_, &x_, &r_, &dx_})
            q_.resize(*vector, static_cast<std::size_t>(plan.n_nodes));
        q_.resize(control_, 1);
        q_.resize(checksum_, 1);
        const TileControl start;
        q_.put(std::span(&start, 1), control_);
        n_nodes_ = plan.n_nodes;
    }

    /// Puts a factorisation of A into the queue. `times`: one a task, or null.
    void factorize(TileTime* times = nullptr) {
        q_.once(BeginFactor{control_.data()});
        run_factor(q_, FactorView<T>{tasks_.data(), count(tasks_), entries_.data(), pulls_.data(),
                                     relative_.data(), free_bits_.data(),
                                     reinterpret_cast<const double*>(A_.data()), tiles_.data(),
                                     made_.data(), control_.data(), times});
    }
    /// x = A⁻¹ b.
    void solve(typename Queue::template Array<Vec3d>& b, typename Queue::template Array<Vec3d>& x) {
        q_.once(BeginSubstitution{control_.data()});
        run_substitution(
            q_,
            SubstitutionView<T>{forward_.data(), backward_.data(), count(forward_),
                                count(backward_), gather_begin_.data(), gather_.data(),
                                unknown_.data(), above_.data(), free_bits_.data(), tiles_.data(),
                                up_.data(), down_.data(), reinterpret_cast<const double*>(b.data()),
                                reinterpret_cast<double*>(x.data()), control_.data()});
    }
    void solve() { solve(b_, x_); }
    /// x += A⁻¹ (b - A x).
    void refine() {
        q_.each(n_nodes_, TileResidual{row_begin_.data(), column_.data(), A_.data(), b_.data(),
                                       x_.data(), r_.data()});
        solve(r_, dx_);
        q_.each(n_nodes_, TileCorrection{dx_.data(), x_.data()});
    }

    typename Queue::template Array<std::uint64_t> free_bits_;
    typename Queue::template Array<Mat3d> A_;
    typename Queue::template Array<T> tiles_;
    typename Queue::template Array<Vec3d> b_, x_, r_, dx_;
    typename Queue::template Array<TileControl> control_;
    typename Queue::template Array<std::uint64_t> checksum_;

  private:
    template <class U, class Array>
    void keep(const std::vector<U>& from, Array& to) {
        q_.resize(to, from.size());
        q_.put(std::span<const U>(from), to);
    }
    template <class Array>
    static Index count(const Array& array) {
        return static_cast<Index>(array.size());
    }

    Queue& q_;
    Index n_nodes_ = 0;
    typename Queue::template Array<TileTask> tasks_;
    typename Queue::template Array<TileEntry> entries_;
    typename Queue::template Array<TilePull> pulls_;
    typename Queue::template Array<std::uint8_t> relative_;
    typename Queue::template Array<RowTask> forward_, backward_;
    typename Queue::template Array<Index> gather_begin_, gather_, unknown_, above_, row_begin_,
        column_;
    typename Queue::template Array<unsigned> made_;
    typename Queue::template Array<TileWord<T>> up_, down_;
};

/// Bits of the free unknowns of each padded tile row.
inline std::vector<std::uint64_t> free_bits_of(const TilePlan& plan, FreeMask free) {
    std::vector<std::uint64_t> bits(plan.tile_row_count(), 0);
    for (Index row = 0; row < plan.n_rows; ++row) {
        Index unknown = plan.unknown[row];
        if (unknown < 0 && plan.above[row] >= 0) unknown = plan.unknown[plan.above[row]];
        if (unknown < 0) continue;
        if (!free.empty() && free[unknown / 3][unknown % 3] == 0) continue;
        bits[row / tile_side] |= std::uint64_t(1) << (row % tile_side);
    }
    return bits;
}

template <class Queue, class T>
class TileFactorOn final : public TileFactor<T> {
  public:
    TileFactorOn(const TilePlan& plan, const BlockCsr& pattern)
        : plan_(plan), arrays_(q_, plan, pattern) {
        prepare_factor(q_, T());
        factor_.emplace(q_, [this] { arrays_.factorize(); });
        solve_.emplace(q_, [this] { arrays_.solve(); });
        refine_.emplace(q_, [this] { arrays_.refine(); });
    }

    SolveStats factorize(const BlockCsr& A, FreeMask free, Index* bad_node) override {
        LIMBER_CHECK(static_cast<std::size_t>(A.n_blocks()) == arrays_.A_.size() &&
                         A.n_nodes() == plan_.n_nodes,
                     "the matrix has the pattern that was planned for");
        q_.put(A.blocks(), arrays_.A_);
        const std::vector<std::uint64_t> bits = free_bits_of(plan_, free);
        q_.put(std::span<const std::uint64_t>(bits), arrays_.free_bits_);
        factor_->run();
        const unsigned long long bad = control().bad;
        SolveStats stats;
        stats.status = SolveStatus::direct;
        if (bad_node) *bad_node = -1;
        if (bad == no_bad_pivot) return stats;
        stats.status = bad % 2 == 1 ? SolveStatus::not_finite : SolveStatus::indefinite;
        if (bad_node) *bad_node = plan_.order[bad / 2 / 3];
        return stats;
    }
    void solve(std::span<const Vec3d> b, std::span<Vec3d> x, int refinements) override {
        LIMBER_CHECK(std::ssize(b) == plan_.n_nodes && std::ssize(x) == plan_.n_nodes,
                     "b and x have one entry a node");
        q_.put(b, arrays_.b_);
        solve_->run();
        for (int k = 0; k < refinements; ++k) refine_->run();
        control();
        q_.get(arrays_.x_, x);
    }
    std::vector<T> tiles() override {
        std::vector<T> out(arrays_.tiles_.size());
        q_.get(arrays_.tiles_, std::span(out));
        return out;
    }
    std::uint64_t checksum() override {
        q_.template sum<std::uint64_t>(tile_side * plan_.n_tiles,
                                       TileChecksum<T>{arrays_.tiles_.data()},
                                       PutChecksum{arrays_.checksum_.data()});
        std::uint64_t out = 0;
        q_.get(arrays_.checksum_, std::span(&out, 1));
        return out;
    }
    typename TileFactor<T>::Times time(int runs) override {
        typename TileFactor<T>::Times out;
        for (int k = 0; k < runs; ++k)
            out.factor.push_back(elapsed_ms(q_, [this] { factor_->run(); }));
        for (int k = 0; k < runs; ++k)
            out.solve.push_back(elapsed_ms(q_, [this] { solve_->run(); }));
        control();
        return out;
    }
    std::vector<TileTime> profile() override {
        typename Queue::template Array<TileTime> times;
        q_.resize(times, plan_.tasks.size());
        arrays_.factorize(times.data());
        control();
        std::vector<TileTime> out(times.size());
        q_.get(times, std::span(out));
        return out;
    }
    std::int64_t bytes() const override { return q_.bytes(); }
    void set_patience(double seconds) override {
        TileControl now = control();
        now.patience = static_cast<unsigned long long>(1e9 * seconds);
        q_.put(std::span<const TileControl>(&now, 1), arrays_.control_);
    }

  private:
    TileControl control() {
        TileControl out;
        q_.get(arrays_.control_, std::span(&out, 1));
        if (out.stuck) throw DeviceLost("a task of the factor waited longer than it may");
        return out;
    }

    const TilePlan& plan_;
    Queue q_;
    FactorArrays<Queue, T> arrays_;
    using Steps = std::function<void()>;
    std::optional<typename Queue::template Program<Steps>> factor_, solve_, refine_;
};

}  // namespace limber::gpu
