// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tasks of a factorisation on the device: one kernel whose blocks take tickets until the list
// is empty. A task waits for the tiles it needs; they belong to smaller tickets, so the smallest
// ticket that is not done never waits, however many blocks are at work.

#include "limber/gpu/factor/invert_factor.cuh"
#include "limber/gpu/factor/tile_block.cuh"

namespace limber::gpu {

template <class T, bool profiled>
class FactorBlock {
  public:
    __device__ FactorBlock(const FactorView<T>& view, TileShared<T>& shared)
        : v_(view), s_(shared), epoch_(view.control->factor_epoch) {}

    __device__ void run() {
        int slot = 0;
        take_ticket();
        fetch_task(slot);
        await_copies();
        __syncthreads();
        while (s_.ticket[slot] < v_.n_tasks) {
            begin_time();
            if (!do_task(s_.task[slot], 1 - slot)) return;
            end_time(s_.ticket[slot]);
            slot = 1 - slot;
        }
    }

  private:
    static constexpr int per_thread = TileProduct<T>::per_thread;
    static constexpr int piece = 16 / sizeof(T);  // numbers of an asynchronous copy

    __device__ static int thread() { return own_thread(); }
    __device__ static int warp() { return own_thread() / 32; }
    __device__ static int lane() { return own_thread() % 32; }

    // ---- tickets: the last warp asks for the next one when the sums are done, and for its task
    // when the answer is there.
    __device__ void take_ticket() {
        if (thread() == tile_threads - 32) next_ = atomicAdd(&v_.control->factor_ticket, 1u);
    }
    __device__ void fetch_task(int slot) {
        if (warp() != tile_warps - 1) return;
        const int ticket = static_cast<int>(__shfl_sync(~0u, next_, 0));
        if (lane() == 0) s_.ticket[slot] = ticket;
        if (ticket < v_.n_tasks && lane() < 8)
            copy_async(reinterpret_cast<char*>(&s_.task[slot]) + 16 * lane(),
                       reinterpret_cast<const char*>(v_.tasks + ticket) + 16 * lane());
    }
    /// What a task wrote is there for all: its tile is made.
    __device__ void publish(int tile) {
        if (thread() == 0) store_release(v_.made + tile, epoch_);
    }

    // ---- a profile, by the first thread
    __device__ void begin_time() {
        if constexpr (profiled) {
            time_ = {nanoseconds(), cycles(), 0};
        }
    }
    __device__ void end_time(int ticket) {
        if constexpr (profiled) {
            time_.cycles = cycles() - time_.cycles;
            if (thread() == 0) v_.times[ticket] = time_;
        }
    }

    // ---- waits, all by the first warp
    /// How many of the 16 pairs of tiles a + k, b + k, .. have been made, without a gap.
    __device__ int count_made(const TileSum& t, int k) const {
        const int ahead = lane() % 16;
        const int tile = (lane() < 16 ? t.a : t.b) + k + ahead;
        const bool made = k + ahead >= t.n_k || load_acquire(v_.made + tile) == epoch_;
        const unsigned there = __ballot_sync(~0u, made);
        const unsigned gaps = ~(there & there >> 16) & 0xffffu;
        return gaps == 0 ? 16 : __ffs(static_cast<int>(gaps)) - 1;
    }
    /// `poll`, of the first warp, until it is positive; that for all threads, or 0 where the wait
    /// is given up.
    template <class Poll>
    __device__ int wait(const Poll& poll) {
        flip_ = 1 - flip_;
        const unsigned begin = profiled ? cycles() : 0;
        if (warp() == 0) {
            TilePatience patience{v_.control};
            int answer = poll();
            while (answer == 0) {
                if (__any_sync(~0u, lane() == 0 && patience.over())) break;
                answer = poll();
            }
            if (lane() == 0) s_.waited[flip_] = answer;
        }
        __syncthreads();
        if constexpr (profiled) time_.waited += cycles() - begin;
        return s_.waited[flip_];
    }
    __device__ int wait_for_sum(const TileSum& t, int k) {
        return wait([&] { return count_made(t, k); });
    }
    __device__ bool wait_for_tile(int tile) {
        return wait([&] {
                   const bool made = lane() > 0 || load_acquire(v_.made + tile) == epoch_;
                   return __all_sync(~0u, made) ? 1 : 0;
               }) != 0;
    }
    /// The tiles of children that a sum begins with.
    __device__ bool wait_for_children(const TileSum& t) {
        return wait([&] {
                   bool made = true;
                   for (int q = lane(); q < 4 * (t.pull_end - t.pull_begin); q += 32) {
                       const TilePull pull = v_.pulls[t.pull_begin + q / 4];
                       const int i =
                           q % 2 == 0 ? pull.row / tile_side : (pull.row_end - 1) / tile_side;
                       const int j =
                           q / 2 % 2 == 0 ? pull.col / tile_side : (pull.col_end - 1) / tile_side;
                       if (j <= i &&
                           load_acquire(v_.made + pull.update + place_in_triangle(i, j)) != epoch_)
                           made = false;
                   }
                   return __all_sync(~0u, made) ? 1 : 0;
               }) != 0;
    }

    // ---- tiles between global and shared memory
    __device__ T* stage(int chunk) { return s_.stage + chunk_size * chunk; }
    __device__ const T* tile(int number) const { return v_.tiles + tile_entries * number; }
    /// `columns` columns of a tile from its first number on.
    __device__ void copy_columns(const T* from, T* to, int columns) {
        for (int q = thread(); q < columns * (tile_side / piece); q += tile_threads) {
            const int column = q / (tile_side / piece), row = q % (tile_side / piece) * piece;
            copy_async(to + tile_stride * column + row, from + tile_side * column + row);
        }
    }
    __device__ void copy_chunk(const TileSum& t, int chunk) {
        const int k = chunk / 2, half = chunk % 2;
        const int last = k + 1 < t.n_k ? tile_side : t.last_k;
        const int columns = min(chunk_columns_k, (last - chunk_columns_k * half + 3) / 4 * 4);
        const std::size_t begin = tile_side * chunk_columns_k * half;
        copy_columns(tile(t.a + k) + begin, stage(2 * half), columns);
        copy_columns(tile(t.b + k) + begin, stage(2 * half + 1), columns);
    }

    // ---- sums
    __device__ TileProduct<T> product() const { return TileProduct<T>(thread()); }

    /// shared tile = A + children. Waits for these.
    __device__ bool assemble(const TileSum& t) {
        for (int k = thread(); k < tile_side * tile_stride; k += tile_threads) s_.tile[k] = T(0);
        const std::uint64_t rows = v_.free_bits[t.row_tile],
                            cols = t.col_tile < 0 ? 0 : v_.free_bits[t.col_tile];
        // A barrier in any case: entries come over the zeros of other threads.
        if (t.pull_begin == t.pull_end)
            __syncthreads();
        else if (!wait_for_children(t))
            return false;
        for (int k = t.entry_begin + thread(); k < t.entry_end; k += tile_threads) {
            const TileEntry entry = v_.entries[k];
            const int row = entry.place % tile_side, col = entry.place / tile_side;
            if ((rows >> row & 1) != 0 && (cols >> col & 1) != 0)
                s_.tile[tile_stride * col + row] = static_cast<T>(v_.A[entry.source]);
        }
        if (t.row_tile == t.col_tile && thread() < tile_side && (rows >> thread() & 1) == 0)
            s_.tile[(tile_stride + 1) * thread()] = T(1);
        if (t.pull_begin == t.pull_end) return true;
        __syncthreads();
        for (int p = t.pull_begin; p < t.pull_end; ++p) {
            pull(v_.pulls[p]);
            __syncwarp();
        }
        return true;
    }
    /// A column of the tile belongs to one warp, so children follow each other there without a
    /// barrier of the block.
    __device__ void pull(const TilePull& pull) {
        const std::uint8_t* place = v_.relative + pull.relative;
        const int n_rows = pull.row_end - pull.row, n_cols = pull.col_end - pull.col;
        const int to_row[2] = {lane() < n_rows ? place[pull.row + lane()] : -1,
                               lane() + 32 < n_rows ? place[pull.row + lane() + 32] : -1};
        const int to_col[2] = {lane() < n_cols ? place[pull.col + lane()] : -1,
                               lane() + 32 < n_cols ? place[pull.col + lane() + 32] : -1};
        // Columns of this warp.
        std::uint64_t own = __ballot_sync(~0u, to_col[1] >= 0 && to_col[1] % tile_warps == warp());
        own = own << 32 | __ballot_sync(~0u, to_col[0] >= 0 && to_col[0] % tile_warps == warp());
        constexpr int at_once = 4;  // columns whose loads are under way together
        while (own != 0) {
            T value[at_once][2];
            int column[at_once];
#pragma unroll
            for (int q = 0; q < at_once; ++q) {
                const int k = __ffsll(static_cast<long long>(own)) - 1;  // -1: none left
                own &= own - 1;
                const int to = __shfl_sync(~0u, k < 32 ? to_col[0] : to_col[1], k & 31);
                column[q] = k < 0 ? -1 : to;
                const int from = pull.col + k;
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const int row = pull.row + lane() + 32 * i;
                    value[q][i] = T(0);
                    if (k >= 0 && to_row[i] >= 0 && row >= from)
                        value[q][i] =
                            __ldcg(tile(pull.update +
                                        place_in_triangle(row / tile_side, from / tile_side)) +
                                   tile_side * (from % tile_side) + row % tile_side);
                }
            }
#pragma unroll
            for (int q = 0; q < at_once; ++q)
#pragma unroll
                for (int i = 0; i < 2; ++i)
                    if (column[q] >= 0 && to_row[i] >= 0)
                        s_.tile[tile_stride * column[q] + to_row[i]] += value[q][i];
        }
    }

    /// running = Σ_k L(i, k) L(j, k)ᵀ, each product of tiles summed up from zero: added to the
    /// assembled entries, which are large, one number after the other would lose the same digits
    /// every time. Goes on while tiles are there and waits where one is not; the copy of the next
    /// half tile runs beside the product of this one.
    __device__ bool sum(const TileSum& t, T (&running)[per_thread]) {
#pragma unroll
        for (int e = 0; e < per_thread; ++e) running[e] = T(0);
        if (t.n_k == 0) return true;
        const int n_chunks = 2 * t.n_k - (t.last_k > chunk_columns_k ? 0 : 1);
        const TileProduct<T> p = product();
        const bool mine = p.row0 < t.rows && p.col0 < t.cols;
        int ready = wait_for_sum(t, 0);
        if (ready == 0) return false;
        copy_chunk(t, 0);
        T part[per_thread];
#pragma unroll 1
        for (int chunk = 0; chunk < n_chunks; ++chunk) {
            const bool more = chunk + 1 < n_chunks;
            const int next = (chunk + 1) / 2;
            const bool unknown = more && next >= ready;
            if (unknown && warp() == 0) {
                const int made = count_made(t, next);
                if (lane() == 0) s_.ready[chunk % 2] = next + made;
            }
            await_copies();
            __syncthreads();
            if (unknown) ready = s_.ready[chunk % 2];
            if (more && next < ready) copy_chunk(t, chunk + 1);
            if (chunk % 2 == 0) {
#pragma unroll
                for (int e = 0; e < per_thread; ++e) part[e] = T(0);
            }
            if (mine) {
                const int last = chunk / 2 + 1 < t.n_k ? tile_side : t.last_k;
                p.add(stage(2 * (chunk % 2)), stage(2 * (chunk % 2) + 1),
                      min(chunk_columns_k, last - chunk_columns_k * (chunk % 2)), part);
            }
            if (chunk % 2 == 1 || !more) {
#pragma unroll
                for (int e = 0; e < per_thread; ++e) running[e] += part[e];
            }
            if (more && next >= ready) {
                const int found = wait_for_sum(t, next);
                if (found == 0) return false;
                ready = next + found;
                copy_chunk(t, chunk + 1);
            }
        }
        return true;
    }

    /// out = shared tile times the transposed inverse, which is in the first two chunks.
    __device__ void multiply_inverse(int cols, T (&out)[per_thread]) {
        const TileProduct<T> p = product();
#pragma unroll
        for (int e = 0; e < per_thread; ++e) out[e] = T(0);
        // The inverse is a lower triangle: columns up to the last row of this warp's.
        p.add(s_.tile, stage(0), min(cols, p.col0 + TileProduct<T>::warp_cols), out);
    }
    /// value = shared tile - value.
    __device__ void subtract_from_tile(T (&value)[per_thread]) const {
        const TileProduct<T> p = product();
#pragma unroll
        for (int e = 0; e < per_thread; ++e)
            value[e] = s_.tile[tile_stride * p.col(e) + p.row(e)] - value[e];
    }
    /// The entries in shared memory, column by column.
    __device__ void put(const T (&value)[per_thread], T* to) {
        const TileProduct<T> p = product();
#pragma unroll
        for (int e = 0; e < per_thread; ++e) to[tile_stride * p.col(e) + p.row(e)] = value[e];
    }
    /// Those in the front to global memory.
    __device__ void write(const TileSum& t, const T (&value)[per_thread]) {
        const TileProduct<T> p = product();
        T* to = v_.tiles + tile_entries * t.out;
#pragma unroll
        for (int e = 0; e < per_thread; ++e)
            if (p.row(e) < t.rows && p.col(e) < t.cols)
                to[tile_side * p.col(e) + p.row(e)] = value[e];
    }

    // ---- tasks
    /// What the diagonal tile is so far waits where its inverse will be, below the diagonal.
    __device__ void leave(const TileTask& task, const T (&value)[per_thread]) {
        const TileProduct<T> p = product();
        T* own = v_.tiles + tile_entries * task.tile.out;
#pragma unroll
        for (int e = 0; e < per_thread; ++e)
            if (p.row(e) >= p.col(e)) own[tile_side * p.col(e) + p.row(e)] = value[e];
    }
    __device__ bool do_task(const TileTask& task, int next) {
        T running[per_thread];
        const bool two = task.left.out >= 0;
#pragma unroll 1
        for (int pass = two ? 0 : 1; pass < 2; ++pass) {
            const TileSum& t = two && pass == 1 ? task.left : task.tile;
            if (!assemble(t) || !sum(t, running)) return false;
            __syncthreads();
            subtract_from_tile(running);
            if (pass == 1) break;
            leave(task, running);
            __syncthreads();
        }
        take_ticket();
        if (task.work == TileTaskKind::diagonal) return end_diagonal(task, next, running);
        if (task.work == TileTaskKind::panel) {
            put(running, s_.tile);
            if (!wait_for_tile(task.inverse)) return false;
            copy_columns(tile(task.inverse), stage(0), (task.tile.cols + 3) / 4 * 4);
            await_copies();
            __syncthreads();
            multiply_inverse(task.tile.cols, running);
        }
        fetch_task(next);
        write(task.tile, running);
        await_copies();
        __syncthreads();
        publish(task.tile.out);
        return true;
    }

    /// `running`: the left tile where there is one, else the diagonal tile.
    __device__ bool end_diagonal(const TileTask& task, int next, T (&running)[per_thread]) {
        if (task.left.out >= 0) {
            put(running, s_.tile);
            if (!wait_for_tile(task.inverse)) return false;
            copy_columns(tile(task.inverse), stage(0), tile_side);
            await_copies();
            __syncthreads();
            multiply_inverse(tile_side, running);
            write(task.left, running);
            put(running, stage(2));
            __syncthreads();
            publish(task.left.out);
            // Back comes what the diagonal was, beside the product.
            copy_columns(tile(task.tile.out), s_.tile, tile_side);
#pragma unroll
            for (int e = 0; e < per_thread; ++e) running[e] = T(0);
            product().add(stage(2), stage(2), tile_side, running);
            await_copies();
            __syncthreads();
            subtract_from_tile(running);
        }
        // The square takes the place of the inverse, which all have multiplied with.
        T* const square = stage(0);
        const TileProduct<T> p = product();
#pragma unroll
        for (int e = 0; e < per_thread; ++e)
            square[tile_stride * p.row(e) + p.col(e)] = p.row(e) >= p.col(e) ? running[e] : T(0);
        __syncthreads();
        invert_factor(square, v_.control, task.position);
        fetch_task(next);
        T* const own = v_.tiles + tile_entries * task.tile.out;
        for (int k = thread(); k < static_cast<int>(tile_entries); k += tile_threads) {
            const int column = k / tile_side, row = k % tile_side;
            if (row >= column) own[k] = square[tile_stride * column + row];
        }
        await_copies();
        __syncthreads();
        publish(task.tile.out);
        return true;
    }

    const FactorView<T>& v_;
    TileShared<T>& s_;
    const unsigned epoch_;
    unsigned next_ = 0;
    int flip_ = 0;
    TileTime time_;
};

/// Blocks that shall be resident on a processor: what shared memory has room for.
template <class T>
inline constexpr int factor_blocks = sizeof(T) == 8 ? 2 : 3;

template <class T, bool profiled>
__global__ void __launch_bounds__(tile_threads, factor_blocks<T>)
    factor_tiles(const __grid_constant__ FactorView<T> view) {
    extern __shared__ __align__(16) double tile_shared[];
    FactorBlock<T, profiled>(view, *reinterpret_cast<TileShared<T>*>(tile_shared)).run();
}

}  // namespace limber::gpu
