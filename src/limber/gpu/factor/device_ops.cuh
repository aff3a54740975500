// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tile kernels ask of the device beyond plain CUDA: flags, words that carry their own
// flag, copies into shared memory, the tensor cores' product.

#include <cuda_runtime.h>

#include "limber/gpu/factor/view.h"

namespace limber::gpu {

// Flags. Who makes a tile stores it, all threads meet at a barrier, and one of them stores the flag
// with release; who reads it loads the flag with acquire in one thread and meets the others at a
// barrier. The barriers order the threads of a block (they are morally strong at its scope),
// release and acquire at the device's scope order the two blocks, and causality order is transitive
// through both (PTX ISA, memory consistency model): plain loads and stores of the tile suffice.
__device__ inline unsigned load_acquire(const unsigned* from) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}
__device__ inline void store_release(unsigned* to, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ inline unsigned load_relaxed(const unsigned* from) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}
__device__ inline void store_relaxed(unsigned* to, unsigned value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// A number and its epoch in one access of 8 or 16 bytes, which is single-copy atomic: nothing else
// is read on the strength of it, so relaxed is enough.
__device__ inline TileWord<double> load_word(const TileWord<double>* from) {
    TileWord<double> word;
    asm volatile("{ .reg .b128 w; ld.relaxed.gpu.global.b128 w, [%2]; mov.b128 {%0, %1}, w; }"
                 : "=d"(word.value), "=l"(word.epoch)
                 : "l"(from)
                 : "memory");
    return word;
}
__device__ inline void store_word(TileWord<double>* to, const TileWord<double>& word) {
    asm volatile(
        "{ .reg .b128 w; mov.b128 w, {%1, %2}; st.relaxed.gpu.global.b128 [%0], w; }" ::"l"(to),
        "d"(word.value), "l"(word.epoch)
        : "memory");
}
__device__ inline TileWord<float> load_word(const TileWord<float>* from) {
    unsigned long long bits;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(from) : "memory");
    TileWord<float> word;
    word.value = __uint_as_float(static_cast<unsigned>(bits));
    word.epoch = static_cast<std::uint32_t>(bits >> 32);
    return word;
}
__device__ inline void store_word(TileWord<float>* to, const TileWord<float>& word) {
    const unsigned long long bits =
        (static_cast<unsigned long long>(word.epoch) << 32) | __float_as_uint(word.value);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(bits) : "memory");
}

/// 16 bytes into shared memory, past the first-level cache. Seen by the thread after
/// await_copies(), by others after a barrier behind that.
__device__ inline void copy_async(void* shared, const void* global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(shared))),
                 "l"(global)
                 : "memory");
}
__device__ inline void await_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/// c += a b for 8 x 4 and 4 x 8 on the tensor cores: lane 4 g + t gives a(g, t) and b(t, g) and has
/// c(g, 2 t) and c(g, 2 t + 1).
__device__ inline void multiply_add(double (&c)[2], double a, double b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
}

/// 1/√x for a normal x > 0: the seed of 20 bits and one step of third order, right to the last bit
/// or the one before.
__device__ inline double inverse_root(double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x * y, y, 1.0);
    return fma(y * e, fma(0.375, e, 0.5), y);
}
__device__ inline float inverse_root(float x) {
    return rsqrtf(x);
}

__device__ inline unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

/// Of the processor's clock, modulo 2^32.
__device__ inline unsigned cycles() {
    unsigned now;
    asm volatile("mov.u32 %0, %clock;" : "=r"(now));
    return now;
}

/// The thread's number in its block, read anew: kept, it and all that is found from it take more
/// registers than there are.
__device__ inline int own_thread() {
    int number = static_cast<int>(threadIdx.x);
    asm volatile("" : "+r"(number));
    return number;
}

/// Meets the first `threads` of the block.
template <int threads>
__device__ void meet_first() {
    asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
}

}  // namespace limber::gpu
