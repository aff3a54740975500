// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a supernodal factor is made of; shared by the files that factorise, update and solve.

#include <cstdint>
#include <mutex>
#include <vector>

#include "limber/core/parallel.h"
#include "limber/linalg/huge_pages.h"
#include "limber/linalg/supernodal/kernels.h"
#include "limber/linalg/supernodal/layout.h"

namespace limber {

/// Numbers on cache lines, not set to anything.
template <class T>
class StripMemory {
  public:
    StripMemory() = default;
    explicit StripMemory(std::size_t n)
        : bytes_(n * sizeof(T) + 64), memory_(allocate_streamed(bytes_)) {}
    StripMemory(const StripMemory&) = delete;
    StripMemory& operator=(const StripMemory&) = delete;
    StripMemory(StripMemory&& other) noexcept { swap(other); }
    StripMemory& operator=(StripMemory&& other) noexcept {
        swap(other);
        return *this;
    }
    ~StripMemory() {
        if (memory_) release_streamed(memory_, bytes_);
    }
    T* data() const {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_);
        return reinterpret_cast<T*>((address + 63) / 64 * 64);
    }

  private:
    void swap(StripMemory& other) {
        std::swap(bytes_, other.bytes_);
        std::swap(memory_, other.memory_);
    }
    std::size_t bytes_ = 0;
    void* memory_ = nullptr;
};

/// Memory for update blocks that live as long as a task, one piece for each thread at work.
template <class T>
class ScratchPool {
  public:
    /// At least n pieces of `size` numbers.
    void reserve(int n, std::size_t size) {
        for (int i = static_cast<int>(pieces_.size()); size > 0 && i < n; ++i) {
            pieces_.emplace_back(size);
            free_.push_back(i);
        }
    }
    void clear() {
        pieces_.clear();
        free_.clear();
    }
    /// A piece that goes back where its task ends, however it ends.
    class Lease {
      public:
        explicit Lease(ScratchPool& pool) : pool_(pool), piece_(pool.take()) {}
        ~Lease() { pool_.give_back(piece_); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        T* data() const { return piece_ < 0 ? nullptr : pool_.pieces_[piece_].data(); }

      private:
        ScratchPool& pool_;
        int piece_;
    };

  private:
    int take() {
        const std::scoped_lock lock(mutex_);
        if (free_.empty()) return -1;
        const int piece = free_.back();
        free_.pop_back();
        return piece;
    }
    void give_back(int piece) {
        const std::scoped_lock lock(mutex_);
        if (piece >= 0) free_.push_back(piece);  // it had room for all of them
    }
    std::mutex mutex_;
    std::vector<StripMemory<T>> pieces_;
    std::vector<int> free_;
};

/// One front while it is worked on.
template <class T>
struct Front {
    static constexpr Index S = strip_lanes<T>;
    FrontShape f;
    T* panel;   // L11, then L21
    T* update;  // may be null where r = 0
    bool wide;  // worth several threads

    /// Strip q of the columns: those of L11, then those of L21.
    T* strip(Index q) const {
        return q < f.n_top ? panel + triangle_offset(q, S)
                           : panel + f.low(S) + static_cast<std::size_t>(q - f.n_top) * S * f.c;
    }
    T* update_strip(Index q) const { return update + triangle_offset(q, S); }
    /// Entry (row, 0) of the columns, row counted over L11 and L21 without padding.
    std::size_t panel_row(Index row) const {
        if (row < f.c) return triangle_offset(row / S, S) + row % S;
        row -= f.c;
        return f.low(S) + static_cast<std::size_t>(row / S) * S * f.c + row % S;
    }
    /// Entry (row, 0) of the update block.
    std::size_t update_row(Index row) const { return triangle_offset(row / S, S) + row % S; }

    template <class F>
    void for_tiles(Index n, F&& tile) const {
        if (wide)
            parallel_tiles(n, tile);
        else
            for (Index i = 0; i < n; ++i) tile(i);
    }
};

/// Columns of the front: L11 holds L with the inverse in each diagonal block, L21 is L21. Reads the
/// assembled columns in place.
template <class T>
PivotResult factor_panel(const Front<T>& front);
/// update = -L21 L21ᵀ, lower triangle.
template <class T>
void multiply_update(const Front<T>& front);
/// Rows of an update block that lie side by side in one strip of the parent's front.
struct RowRun {
    Index row, n;
};

/// The runs of rows whose places in the parent's front, of c columns, are relative[0 .. r).
void list_row_runs(const Index* relative, Index r, Index c, Index S, std::vector<RowRun>& runs);

/// The update block of a child as its parent sees it.
template <class T>
struct ChildUpdate {
    const T* update;
    const Index* relative;         // per row: its place in the parent's front
    Index n_panel;                 // rows that lie in the parent's columns; they come first
    std::span<const RowRun> runs;  // all rows
};

/// Adds a child's update block to the columns, or to the update block, of its parent.
template <class T>
void extend_add_panel(const ChildUpdate<T>& child, const Front<T>& parent);
template <class T>
void extend_add_update(const ChildUpdate<T>& child, const Front<T>& parent);

template <class T>
struct SupernodalCholesky<T>::Numeric {
    static constexpr Index S = strip_lanes<T>;

    SupernodalOptions options;
    std::vector<Index> pattern_begin, pattern_column;  // what was analysed
    SupernodalStructure t;
    FrontLayout layout;
    std::vector<Index> relative;  // per row of a front, in scalars: its place in the parent's front
    std::vector<Index> n_panel;   // per supernode: its rows that lie in the parent's columns
    std::vector<RowRun> runs;     // of every supernode's rows
    std::vector<std::size_t> run_begin;
    StripMemory<T> L, U;
    ScratchPool<T> scratch;
    TaskTree tasks;

    std::vector<Vec3d> free;   // mask of the factor; empty: all free
    std::vector<char> dirty;   // per supernode, of the call that runs
    std::vector<char> todo;    // per task
    std::vector<char> failed;  // per supernode: no factor, its own pivot or that of a descendant
    std::vector<Index> bad;    // per supernode: column of a bad pivot, -1: none
    std::vector<char> not_finite;
    std::vector<double> cost_ms;       // per supernode
    std::vector<std::uint64_t> stamp;  // per supernode
    std::uint64_t structure_stamp = 0;
    bool factorized = false;
    SupernodalWork work;

    struct Solver;
    std::unique_ptr<Solver> solver;  // workspace of the solves
    std::vector<Index> all_nodes;    // for solve_many()

    void analyze(const BlockCsr& pattern);
    bool analyzed(const BlockCsr& A) const;
    /// `piece`: scratch of the task, for update blocks that are not kept.
    Front<T> front(Index s, T* piece = nullptr) const;
    const Index* relative_of(Index s) const {
        return relative.data() + 3 * static_cast<std::size_t>(t.row_begin[s]);
    }
    T* update_of(Index s, T* piece) const {
        T* memory = layout.shape[s].kept ? U.data() : piece;
        return memory ? memory + layout.shape[s].update : nullptr;
    }
    void assemble(const Front<T>& front, Index s, const BlockCsr& A) const;
    void factor_front(Index s, const BlockCsr& A, T* piece);
    void mark_mask_changes(const BlockCsr& A, FreeMask mask);
    double close_dirty(std::span<char> marks) const;
    SolveStats run(const BlockCsr& A, FreeMask mask, Index* bad_node);
    SolveStats outcome(Index* bad_node);
    Solver& workspace();
    void mark_paths(std::span<const Index> nodes, std::vector<char>& marks) const;
};

}  // namespace limber
