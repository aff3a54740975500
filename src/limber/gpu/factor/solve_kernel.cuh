// SPDX-License-Identifier: Apache-2.0
#pragma once

// Both substitutions on the device: one kernel whose blocks take tickets, first those of the
// forward, then those of the backward one. Numbers of vectors travel with the epoch of the run
// (TileWord), so who needs one reads it until it is there. A tile is under way from memory before
// what it is multiplied with is waited for.

#include "limber/gpu/factor/tile_block.cuh"

namespace limber::gpu {

template <class T>
struct SubstitutionShared {
    T vector[2][tile_side];
    T part[4][tile_side];
    RowTask task;
    int ticket;
    int stuck;
};

template <class T>
class SubstitutionBlock {
  public:
    __device__ SubstitutionBlock(const SubstitutionView<T>& view, SubstitutionShared<T>& shared)
        : v_(view),
          s_(shared),
          thread_(static_cast<int>(threadIdx.x)),
          i_(thread_ % tile_side),
          group_(thread_ / tile_side),
          epoch_(view.control->solve_epoch) {}

    __device__ void run() {
        if (thread_ == 0) s_.stuck = static_cast<int>(load_relaxed(&v_.control->stuck));
        while (true) {
            if (thread_ < 32) next_ticket();
            __syncthreads();
            const int ticket = s_.ticket;
            if (s_.stuck != 0 || ticket >= v_.n_forward + v_.n_backward) return;
            const RowTask task = s_.task;
            if (ticket < v_.n_forward)
                forward(task);
            else
                backward(task);
            __syncthreads();
        }
    }

  private:
    static constexpr int share = tile_side / 4;  // numbers of a tile's row or column of a thread
    using Word = TileWord<T>;

    __device__ void next_ticket() {
        int ticket = 0;
        if (thread_ == 0) ticket = static_cast<int>(atomicAdd(&v_.control->solve_ticket, 1u));
        ticket = __shfl_sync(~0u, ticket, 0);
        if (thread_ == 0) s_.ticket = ticket;
        const RowTask* task =
            ticket < v_.n_forward ? v_.forward + ticket : v_.backward + (ticket - v_.n_forward);
        constexpr int words = sizeof(RowTask) / sizeof(int);
        if (ticket < v_.n_forward + v_.n_backward && thread_ < words)
            reinterpret_cast<int*>(&s_.task)[thread_] = reinterpret_cast<const int*>(task)[thread_];
    }

    /// The number at `row`, as soon as it is of this run.
    __device__ T read(const Word* words, int row) {
        Word word = load_word(words + row);
        if (word.epoch == epoch_) return word.value;
        TilePatience patience{v_.control};
        while (true) {
            word = load_word(words + row);
            if (word.epoch == epoch_) return word.value;
            if (patience.over()) {
                s_.stuck = 1;
                return T(0);
            }
        }
    }

    __device__ const T* tile(const RowTask& t, int i, int j) const {
        return v_.tiles + tile_entries * (t.first_tile + place_in_front(i, j, t.col_tiles));
    }
    // A thread has 16 numbers of a tile: of row i_ in the columns of its group, or of column i_ in
    // the rows of its group; those beyond `n` are zero.
    __device__ void load_row(const T* tile, int n, T (&out)[share]) const {
#pragma unroll
        for (int q = 0; q < share; ++q) {
            const int column = share * group_ + q;
            out[q] = column < n ? __ldcg(tile + tile_side * column + i_) : T(0);
        }
    }
    __device__ void load_column(const T* tile, int n, T (&out)[share]) const {
        constexpr int piece = 16 / sizeof(T);
        struct alignas(16) Piece {
            T number[piece];
        };
        const Piece* from = reinterpret_cast<const Piece*>(tile + tile_side * i_ + share * group_);
#pragma unroll
        for (int q = 0; q < share / piece; ++q) {
            Piece p{};
            if (share * group_ + piece * q < n) p = from[q];
#pragma unroll
            for (int m = 0; m < piece; ++m) out[piece * q + m] = p.number[m];
        }
    }
    /// Σ over the thread's numbers, in two chains.
    __device__ T multiply(const T (&numbers)[share], const T* vector, T sum) const {
        T other = 0;
        vector += share * group_;
#pragma unroll
        for (int q = 0; q < share; q += 2) {
            sum = fma(numbers[q], vector[q], sum);
            other = fma(numbers[q + 1], vector[q + 1], other);
        }
        return sum + other;
    }
    /// Σ over the groups, for the first of them. Two barriers apart from the next one.
    __device__ T add_groups(T own) {
        s_.part[group_][i_] = own;
        __syncthreads();
        return (s_.part[0][i_] + s_.part[1][i_]) + (s_.part[2][i_] + s_.part[3][i_]);
    }

    __device__ void forward(const RowTask& t) {
        const int first = t.first_row + tile_side * t.index;
        const bool below = t.index >= t.col_tiles;
        const int n_k = below ? t.col_tiles : t.index;
        T own = 0;
        if (group_ == 0) {
            const int unknown = v_.unknown[first + i_];
            if (unknown >= 0 && (v_.free_bits[first / tile_side] >> i_ & 1) != 0)
                own = static_cast<T>(v_.b[unknown]);
            for (int k = v_.gather_begin[first + i_]; k < v_.gather_begin[first + i_ + 1]; ++k)
                own += read(v_.up, v_.gather[k]);
        }
        T numbers[share], inverse[share], sum = 0;
        if (!below) load_row(tile(t, t.index, t.index), tile_side, inverse);
        for (int k = 0; k < n_k; ++k) {
            load_row(tile(t, t.index, k), k + 1 < t.col_tiles ? tile_side : t.last_k, numbers);
            if (group_ == 0) s_.vector[k % 2][i_] = read(v_.up, t.first_row + tile_side * k + i_);
            __syncthreads();
            sum = multiply(numbers, s_.vector[k % 2], sum);
        }
        const T total = n_k > 0 ? add_groups(sum) : T(0);
        own -= total;
        if (!below) {
            if (group_ == 0) s_.vector[n_k % 2][i_] = own;
            __syncthreads();
            own = add_groups(multiply(inverse, s_.vector[n_k % 2], T(0)));
        }
        if (group_ == 0) store_word(v_.up + first + i_, Word{own, epoch_});
    }

    __device__ void backward(const RowTask& t) {
        const int first = t.first_row + tile_side * t.index;
        T numbers[share], inverse[share], sum = 0;
        load_column(tile(t, t.index, t.index), tile_side, inverse);
        int turn = 0;
        for (int i = t.tile_rows - 1; i > t.index; --i, turn = 1 - turn) {
            const int rows = i + 1 == t.tile_rows && i >= t.col_tiles ? t.last_rows
                             : i + 1 == t.col_tiles                   ? t.last_k
                                                                      : tile_side;
            load_column(tile(t, i, t.index), rows, numbers);
            if (group_ == 0) {
                const int row = t.first_row + tile_side * i + i_;
                const int above = i < t.col_tiles ? row : v_.above[row];
                s_.vector[turn][i_] = above < 0 ? T(0) : read(v_.down, above);
            }
            __syncthreads();
            sum = multiply(numbers, s_.vector[turn], sum);
        }
        T own = 0;
        if (group_ == 0) own = read(v_.up, first + i_);
        own -= add_groups(sum);
        if (group_ == 0) s_.vector[turn][i_] = own;
        __syncthreads();
        own = add_groups(multiply(inverse, s_.vector[turn], T(0)));
        if (group_ != 0) return;
        store_word(v_.down + first + i_, Word{own, epoch_});
        const int unknown = v_.unknown[first + i_];
        if (unknown >= 0) v_.x[unknown] = static_cast<double>(own);
    }

    const SubstitutionView<T>& v_;
    SubstitutionShared<T>& s_;
    const int thread_, i_, group_;
    const decltype(Word::epoch) epoch_;
};

template <class T>
__global__ void __launch_bounds__(tile_threads, sizeof(T) == 8 ? 2 : 3)
    substitute_tiles(const __grid_constant__ SubstitutionView<T> view) {
    __shared__ SubstitutionShared<T> shared;
    SubstitutionBlock<T>(view, shared).run();
}

}  // namespace limber::gpu
