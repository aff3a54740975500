// SPDX-License-Identifier: Apache-2.0
#pragma once

// The queue of gpu/queue.h on the device: a body is a kernel, what a Program lists is captured into
// one graph, and a loop whose end the device decides is a WHILE node of it. The host waits for
// nothing but what it reads.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "limber/gpu/cuda_check.cuh"
#include "limber/gpu/queue.h"

namespace limber::gpu {

namespace cuda_kernels {

inline constexpr int each_threads = 128, team_threads = 512;

template <class Body>
__global__ void __launch_bounds__(each_threads) each(Index n, const __grid_constant__ Body body) {
    const Index i = static_cast<Index>(blockIdx.x) * each_threads + static_cast<Index>(threadIdx.x);
    if (i < n) body(i);
}
template <class Body>
__global__ void once(Body body) {
    body();
}

/// Σ of a block's threads at thread 0, by halves.
template <int n, class Sum>
__device__ void add_up(Sum* part, Sum own) {
    part[threadIdx.x] = own;
    for (int half = n / 2; half > 0; half /= 2) {
        __syncthreads();
        if (static_cast<int>(threadIdx.x) < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
}

/// A chunk a block; the block that is done last adds up all chunks in their order and ends the sum.
/// `done` counts blocks and is 0 again afterwards. Which block is last changes from run to run,
/// what it adds up does not.
template <class Sum, class Body, class End>
__global__ void __launch_bounds__(sum_threads)
    sum(Index n, Index chunk, const __grid_constant__ Body body, End end, Sum* chunks,
        unsigned* done) {
    // Raw: sums that do not begin at zero have a constructor, which shared memory cannot have.
    __shared__ double raw[sum_threads * sizeof(Sum) / sizeof(double)];
    Sum* part = reinterpret_cast<Sum*>(raw);
    __shared__ bool last;
    const Index begin = static_cast<Index>(blockIdx.x) * chunk;
    const Index stop = begin + chunk < n ? begin + chunk : n;
    Sum own{};
    for (Index i = begin + static_cast<Index>(threadIdx.x); i < stop; i += sum_threads)
        own += body(i);
    add_up<sum_threads>(part, own);
    if (threadIdx.x == 0) {
        chunks[blockIdx.x] = part[0];
        __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    Sum all{};
    const int n_chunks = static_cast<int>(gridDim.x);
    for (int k = static_cast<int>(threadIdx.x); k < n_chunks; k += sum_threads) all += chunks[k];
    add_up<sum_threads>(part, all);
    if (threadIdx.x != 0) return;
    *done = 0;
    end(part[0]);
}

/// A block's threads together.
struct Team {
    int rank, size;
    __device__ void sync() const { __syncthreads(); }
};
template <class Body>
__global__ void __launch_bounds__(team_threads) team(Body body) {
    Team own{static_cast<int>(threadIdx.x), team_threads};
    body(own);
}

/// All blocks of a body run at the same time (a cooperative launch).
struct Grid {
    static constexpr unsigned turn = 0x80000000u;
    static constexpr unsigned patience = 1u << 26;  // polls: minutes, where a barrier takes 1 µs

    int block, blocks, rank, size;
    char* shared;
    unsigned* barrier;
    unsigned before = 0;  // of thread 0: the barrier's word as it arrived

    __device__ void sync() const { __syncthreads(); }
    /// The last block to arrive turns the highest bit over; nothing is put back. What the threads of
    /// a block wrote before arrive() is seen by all threads after wait(): barriers of the blocks
    /// with a release by the arrival, and an acquire after the poll that succeeds.
    __device__ void arrive() {
        __syncthreads();
        if (threadIdx.x != 0) return;
        const unsigned step = blockIdx.x == 0 ? turn - (gridDim.x - 1) : 1u;
        asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(barrier), "r"(step)
                     : "memory");
    }
    __device__ void wait() const {
        if (threadIdx.x == 0) {
            unsigned now = 0, polls = 0;
            do {
                asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier) : "memory");
                if (++polls == patience) __trap();  // told as a lost device
            } while (((before ^ now) & turn) == 0);
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
        }
        __syncthreads();
    }
    __device__ void sync_all() {
        arrive();
        wait();
    }
    /// By warps, and then over them. `scratch`: an entry a warp.
    template <class Sum>
    __device__ Sum sum(const Sum& own, Sum* scratch) const {
        constexpr int n = sizeof(Sum) / sizeof(double);
        union Numbers {
            double at[n];
            Sum sum;
            __device__ Numbers() {}
        } all;
        all.sum = own;
        for (int far = 16; far > 0; far /= 2)
            for (int k = 0; k < n; ++k) all.at[k] += __shfl_down_sync(~0u, all.at[k], far);
        __syncthreads();
        if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = all.sum;
        __syncthreads();
        Sum out = scratch[0];
#pragma unroll 1
        for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) out += scratch[warp];
        return out;
    }
    /// Past the cache of the processor, and where 16 bytes make it up in one piece.
    template <class T>
    __device__ T fresh(const T& at) const {
        static_assert(sizeof(T) % sizeof(ulonglong2) == 0 && alignof(T) >= sizeof(ulonglong2));
        union Words {
            ulonglong2 word[sizeof(T) / sizeof(ulonglong2)];
            T value;
            __device__ Words() {}
        } out;
        for (std::size_t k = 0; k < sizeof(T) / sizeof(ulonglong2); ++k)
            asm volatile(
                "{ .reg .b128 v; ld.relaxed.gpu.b128 v, [%2]; mov.b128 {%0, %1}, v; }"
                : "=l"(out.word[k].x), "=l"(out.word[k].y)
                : "l"(reinterpret_cast<const ulonglong2*>(&at) + k)
                : "memory");
        return out.value;
    }
    template <class Word>
    __device__ void send(Word& to, const Word& word, unsigned epoch) const {
        if constexpr (sizeof(Word) == sizeof(ulonglong2)) {
            if (epoch != 0) {
                const unsigned long long low = pair(word.x, word.y),
                                         high = pair(word.z, __uint_as_float(epoch));
                asm volatile("{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed.gpu.b128 [%0], v; }"
                             :
                             : "l"(&to), "l"(low), "l"(high)
                             : "memory");
                return;
            }
        }
        to = word;
    }
    template <class Word>
    __device__ Word receive(const Word& at, unsigned epoch, const Word& at_first) const {
        Word word = at_first;
        if constexpr (sizeof(Word) == sizeof(ulonglong2))
            for (unsigned polls = 0; __float_as_uint(word.w) != epoch; word = fresh(at))
                if (++polls == patience) __trap();
        return word;
    }

  private:
    __device__ static unsigned long long pair(float low, float high) {
        return __float_as_uint(low) |
               static_cast<unsigned long long>(__float_as_uint(high)) << 32;
    }
};
/// Bodies that keep a tile have a processor's registers to themselves; of others two blocks share
/// them.
template <bool resident>
inline constexpr int grid_threads = resident ? 512 : 384;
template <bool resident, class Body>
__global__ void __launch_bounds__(grid_threads<resident>, resident ? 1 : 2)
    grid(const __grid_constant__ Body body, unsigned* barrier) {
    extern __shared__ int4 shared[];
    Grid own{static_cast<int>(blockIdx.x),  static_cast<int>(gridDim.x),
             static_cast<int>(threadIdx.x), grid_threads<resident>,
             reinterpret_cast<char*>(shared), barrier};
    body(own);
}

static __global__ void decide(cudaGraphConditionalHandle handle, const bool* go) {
    cudaGraphSetConditional(handle, *go ? 1u : 0u);
}

}  // namespace cuda_kernels

class CudaQueue {
  public:
    static constexpr int most_grid_threads = cuda_kernels::grid_threads<true>;
    template <class T>
    class Array {
      public:
        Array() = default;
        Array(Array&& other) noexcept
            : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
        Array& operator=(Array&& other) noexcept {
            std::swap(data_, other.data_);
            std::swap(size_, other.size_);
            return *this;
        }
        ~Array() { cudaFree(data_); }
        std::size_t size() const { return size_; }
        T* data() const { return data_; }

      private:
        friend CudaQueue;
        T* data_ = nullptr;
        std::size_t size_ = 0;
    };

    CudaQueue() {
        check(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking), "a stream of the device");
        stream_ = own_;
        for (cudaEvent_t* event : {&began_, &ended_})
            check(cudaEventCreate(event), "an event of the device");
        resize(chunks_, most_chunks * room);
        resize(done_, 1);
        resize(barrier_, 1);
        int device = 0;
        check(cudaGetDevice(&device), "the device");
        check(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device),
              "the device");
        check(
            cudaDeviceGetAttribute(&most_shared_, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
            "the device");
    }
    ~CudaQueue() {
        for (cudaStream_t stream : inner_) cudaStreamDestroy(stream);
        for (void* host : pinned_) cudaHostUnregister(host);
        for (cudaEvent_t event : {began_, ended_})
            if (event) cudaEventDestroy(event);
        if (own_) cudaStreamDestroy(own_);
    }
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;

    template <class T>
    void resize(Array<T>& array, std::size_t n) {
        cudaFree(std::exchange(array.data_, nullptr));
        bytes_ -= static_cast<std::int64_t>(std::exchange(array.size_, 0) * sizeof(T));
        if (n == 0) return;
        check(cudaMalloc(reinterpret_cast<void**>(&array.data_), n * sizeof(T)),
              "memory of the device");
        array.size_ = n;
        bytes_ += static_cast<std::int64_t>(n * sizeof(T));
        check(cudaMemsetAsync(array.data_, 0, n * sizeof(T), own_), "memory of the device");
    }
    template <class T>
    void put(std::span<const T> from, Array<T>& to) {
        if (from.empty()) return;
        use_.up += static_cast<std::int64_t>(from.size_bytes());
        check(
            cudaMemcpyAsync(to.data_, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, own_),
            "a copy to the device");
    }
    template <class T>
    void get(const Array<T>& from, std::span<T> to) {
        if (to.empty()) return;
        use_.down += static_cast<std::int64_t>(to.size_bytes());
        check(cudaMemcpyAsync(to.data(), from.data_, to.size_bytes(), cudaMemcpyDeviceToHost, own_),
              "a copy from the device");
        wait();
    }
    /// The host's memory stays where it is while the queue lives: the card then copies by itself.
    template <class T>
    void pin(std::span<T> host) {
        if (host.empty()) return;
        if (cudaHostRegister(host.data(), host.size_bytes(), cudaHostRegisterDefault) ==
            cudaSuccess)
            pinned_.push_back(host.data());
        else
            cudaGetLastError();  // slower, and right all the same
    }
    template <class Body>
    void each(Index n, const Body& body) {
        if (n <= 0) return;
        const int blocks = (n + cuda_kernels::each_threads - 1) / cuda_kernels::each_threads;
        cuda_kernels::each<<<blocks, cuda_kernels::each_threads, 0, stream_>>>(n, body);
    }
    template <class Body>
    void once(const Body& body) {
        cuda_kernels::once<<<1, 1, 0, stream_>>>(body);
    }
    template <class Body>
    void team(const Body& body) {
        cuda_kernels::team<<<1, cuda_kernels::team_threads, 0, stream_>>>(body);
    }
    template <class Sum, class Body, class End>
    void sum(Index n, const Body& body, const End& end) {
        static_assert(sizeof(Sum) <= room * sizeof(double) && alignof(Sum) <= alignof(double));
        const Index chunk = sum_chunk(n);
        const Index blocks = n > 0 ? (n + chunk - 1) / chunk : 1;
        cuda_kernels::sum<Sum><<<static_cast<unsigned>(blocks), sum_threads, 0, stream_>>>(
            n, chunk, body, end, reinterpret_cast<Sum*>(chunks_.data_), done_.data_);
    }
    bool keeps(Index blocks, std::size_t shared_bytes) const {
        return blocks <= processors_ && shared_bytes <= static_cast<std::size_t>(most_shared_);
    }
    template <bool resident, class Body>
    void grid(Index blocks, std::size_t shared_bytes, Body body) {
        const auto kernel = cuda_kernels::grid<resident, Body>;
        const char* const what = "a grid of the device";
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes)),
              what);
        int together = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                  &together, kernel, cuda_kernels::grid_threads<resident>, shared_bytes),
              what);
        const Index most = static_cast<Index>(together) * processors_;
        cudaLaunchAttribute cooperative{};
        cooperative.id = cudaLaunchAttributeCooperative;
        cooperative.val.cooperative = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(static_cast<unsigned>(std::min(blocks, most)));
        config.blockDim = dim3(cuda_kernels::grid_threads<resident>);
        config.dynamicSmemBytes = shared_bytes;
        config.stream = stream_;
        config.attrs = &cooperative;
        config.numAttrs = 1;
        check(cudaLaunchKernelEx(&config, kernel, body, barrier_.data_), what);
    }
    template <class Steps>
    void repeat(const bool* go, const Steps& steps);

    /// A graph of what `steps` puts into the queue. Borrows it.
    template <class Steps>
    class Program;

    void wait() { check(cudaStreamSynchronize(own_), "a step on the device"); }
    /// Of the device's memory in arrays.
    std::int64_t bytes() const { return bytes_; }
    /// Since it was asked for the last time. The host has waited for what it tells.
    DeviceUse take_use() {
        float ms = 0;
        if (ran_) check(cudaEventElapsedTime(&ms, began_, ended_), "a step on the device");
        use_.ms = static_cast<double>(ms);
        ran_ = false;
        return std::exchange(use_, {});
    }
    cudaStream_t stream() const { return stream_; }

  private:
    static constexpr std::size_t room = 8;  // doubles of a sum
    cudaStream_t inner(std::size_t depth) {
        while (inner_.size() <= depth) {
            cudaStream_t stream = nullptr;
            check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                  "a stream of the device");
            inner_.push_back(stream);
        }
        return inner_[depth];
    }

    cudaStream_t own_ = nullptr, stream_ = nullptr;  // stream_: what is captured at the moment
    std::vector<cudaStream_t> inner_;                // of loops within loops
    std::size_t depth_ = 0;
    Array<double> chunks_;
    Array<unsigned> done_, barrier_;
    int processors_ = 0, most_shared_ = 0;
    std::int64_t bytes_ = 0;
    DeviceUse use_;
    std::vector<void*> pinned_;
    cudaEvent_t began_ = nullptr, ended_ = nullptr;  // the last program
    bool ran_ = false;
};

template <class Steps>
void CudaQueue::repeat(const bool* go, const Steps& steps) {
    // What the loop hangs on: the graph that is being captured, and its last node.
    cudaStreamCaptureStatus status{};
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* before = nullptr;
    std::size_t n_before = 0;
    const auto look = [&] {
        check(cudaStreamGetCaptureInfo(stream_, &status, nullptr, &graph, &before, nullptr,
                                       &n_before),
              "a loop on the device");
    };
    look();
    cudaGraphConditionalHandle handle{};
    check(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), "a loop on the device");
    cuda_kernels::decide<<<1, 1, 0, stream_>>>(handle, go);
    look();
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddNode(&node, graph, before, nullptr, n_before, &params),
          "a loop on the device");
    check(cudaStreamUpdateCaptureDependencies(stream_, &node, nullptr, 1,
                                              cudaStreamSetCaptureDependencies),
          "a loop on the device");
    const cudaStream_t outer = std::exchange(stream_, inner(depth_++));
    check(cudaStreamBeginCaptureToGraph(stream_, params.conditional.phGraph_out[0], nullptr,
                                        nullptr, 0, cudaStreamCaptureModeThreadLocal),
          "a loop on the device");
    steps();
    cuda_kernels::decide<<<1, 1, 0, stream_>>>(handle, go);
    cudaGraph_t body = nullptr;
    check(cudaStreamEndCapture(stream_, &body), "a loop on the device");
    stream_ = outer;
    --depth_;
}

template <class Steps>
class CudaQueue::Program {
  public:
    Program(CudaQueue& queue, Steps steps) : queue_(queue) {
        check(cudaStreamBeginCapture(queue.own_, cudaStreamCaptureModeThreadLocal),
              "a graph of the device");
        steps();
        cudaGraph_t graph = nullptr;
        check(cudaStreamEndCapture(queue.own_, &graph), "a graph of the device");
        const cudaError_t error = cudaGraphInstantiate(&graph_, graph, 0);
        cudaGraphDestroy(graph);
        check(error, "a graph of the device");
    }
    ~Program() {
        if (graph_) cudaGraphExecDestroy(graph_);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    void run() {
        check(cudaEventRecord(queue_.began_, queue_.own_), "a step on the device");
        check(cudaGraphLaunch(graph_, queue_.own_), "a step on the device");
        check(cudaEventRecord(queue_.ended_, queue_.own_), "a step on the device");
        queue_.ran_ = true;
    }

  private:
    CudaQueue& queue_;
    cudaGraphExec_t graph_ = nullptr;
};

struct OwnQueue {  // first: what is in it goes last
    CudaQueue queue;
};
/// A run of steps with a queue of its own. Made in one source for each method and precision: the
/// kernels of all laws take a while to compile.
template <template <class, class> class Method, class Real>
class OnCuda final : OwnQueue, public Method<CudaQueue, Real> {
  public:
    template <class Setup, class... Data>
    explicit OnCuda(const Setup& setup, Data... data)
        : Method<CudaQueue, Real>(OwnQueue::queue, std::move(data)..., setup) {}
};

}  // namespace limber::gpu
