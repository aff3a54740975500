// SPDX-License-Identifier: Apache-2.0
#pragma once

// A method for the device is written once, against a queue: arrays, and bodies (functions of an
// index) that run over them in order. On the device a body is a kernel and a whole step one graph
// (gpu/cuda_queue.cuh); on the host it is a loop, so that every machine tests the same method; and
// a queue that only counts says how much memory the device will need.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/core/types.h"
#include "limber/solve/step_report.h"

namespace limber::gpu {

/// Sums are taken over chunks of so many indices, then over the chunks in order, whatever runs
/// them: at most `most_chunks`, each a multiple of the threads of a block.
inline constexpr Index sum_threads = 256, most_chunks = 512;
inline constexpr Index sum_chunk(Index n) {
    const Index blocks = (n + sum_threads - 1) / sum_threads;
    return sum_threads * std::max<Index>(1, (blocks + most_chunks - 1) / most_chunks);
}

/// Blocks of threads that run one body together, as the host plays them: one block of one thread.
struct HostGrid {
    static constexpr int block = 0, blocks = 1, rank = 0, size = 1;
    char* shared;
    void sync() const {}      // of the threads of a block
    void sync_all() const {}  // of all blocks: arrive() and wait()
    void arrive() const {}
    void wait() const {}
    /// Σ of a block's threads, always in the same order; every thread gets it.
    template <class Sum>
    Sum sum(const Sum& own, Sum* /*scratch*/) const {
        return own;
    }
    /// What another block may have written since the last sync_all().
    template <class T>
    const T& fresh(const T& at) const {
        return at;
    }
    /// A word of four numbers, the last one the number of the sweep that it belongs to: who finds
    /// that in it, or waits until it does, has the others as well. 0: a barrier tells instead.
    template <class Word>
    void send(Word& to, const Word& word, unsigned /*epoch*/) const {
        to = word;
    }
    /// `at_first`: what was found there before.
    template <class Word>
    Word receive(const Word&, unsigned /*epoch*/, const Word& at_first) const {
        return at_first;
    }
};

/// Runs bodies at once, one index after the other.
class HostQueue {
  public:
    static constexpr int most_grid_threads = HostGrid::size;
    template <class T>
    class Array {
      public:
        std::size_t size() const { return values_.size(); }
        T* data() { return values_.data(); }
        const T* data() const { return values_.data(); }

      private:
        friend HostQueue;
        std::vector<T> values_;
    };

    /// Zeros.
    template <class T>
    void resize(Array<T>& array, std::size_t n) {
        array.values_.assign(n, T{});
    }

    template <class T>
    void put(std::span<const T> from, Array<T>& to) {
        std::copy(from.begin(), from.end(), to.data());
    }
    template <class T>
    void get(const Array<T>& from, std::span<T> to) {
        std::copy(from.data(), from.data() + to.size(), to.begin());
    }
    /// body(i) for i = 0 .. n - 1, in any order.
    template <class Body>
    void each(Index n, const Body& body) {
        for (Index i = 0; i < n; ++i) body(i);
    }
    /// body() by one thread.
    template <class Body>
    void once(const Body& body) {
        body();
    }
    /// end(Σ body(i)) by one thread, Σ by += in a fixed order.
    template <class Sum, class Body, class End>
    void sum(Index n, const Body& body, const End& end) {
        Sum total{};
        const Index chunk = sum_chunk(n);
        for (Index begin = 0; begin < n; begin += chunk) {
            Sum part{};
            for (Index i = begin; i < std::min(n, begin + chunk); ++i) part += body(i);
            total += part;
        }
        end(total);
    }
    /// Whether each of so many blocks can have a part of the work to itself, with so much memory
    /// of its own for as long as a body runs.
    bool keeps(Index /*blocks*/, std::size_t /*shared_bytes*/) const { return false; }
    /// body(grid) by up to `blocks` blocks at a time with `shared_bytes` each. Resident bodies:
    /// what keeps() was asked for.
    template <bool resident, class Body>
    void grid(Index /*blocks*/, std::size_t shared_bytes, const Body& body) {
        std::vector<std::max_align_t> shared(shared_bytes / sizeof(std::max_align_t) + 1);
        HostGrid own{reinterpret_cast<char*>(shared.data())};
        body(own);
    }
    /// What `steps` puts into the queue, again and again while *go, which bodies write; not at all
    /// where it is false before the first round. May be nested.
    template <class Steps>
    void repeat(const bool* go, const Steps& steps) {
        while (*go) steps();
    }
    /// What is put into the queue by `steps`, to be run again and again.
    template <class Steps>
    class Program {
      public:
        Program(HostQueue&, Steps steps) : steps_(steps) {}
        void run() { steps_(); }

      private:
        Steps steps_;
    };
    void wait() {}
    std::int64_t bytes() const { return 0; }
    DeviceUse take_use() { return {}; }
    template <class T>
    void pin(std::span<T>) {}
};

/// Runs nothing: adds up what arrays would take.
class CountingQueue {
  public:
    static constexpr int most_grid_threads = 512;
    template <class T>
    class Array {
      public:
        std::size_t size() const { return size_; }
        T* data() const { return nullptr; }

      private:
        friend CountingQueue;
        std::size_t size_ = 0;
    };
    template <class T>
    void resize(Array<T>& array, std::size_t n) {
        array.size_ = n;
        bytes_ += static_cast<std::int64_t>((n * sizeof(T) + 255) / 256 * 256);
    }
    template <class T>
    void put(std::span<const T>, Array<T>&) {}
    template <class T>
    void get(const Array<T>&, std::span<T>) {}
    template <class Body>
    void each(Index, const Body&) {}
    template <class Body>
    void once(const Body&) {}
    template <class Sum, class Body, class End>
    void sum(Index, const Body&, const End&) {}
    bool keeps(Index, std::size_t) const { return false; }
    template <bool resident, class Body>
    void grid(Index, std::size_t, const Body&) {}
    template <class Steps>
    void repeat(const bool*, const Steps&) {}
    template <class Steps>
    class Program {
      public:
        Program(CountingQueue&, const Steps&) {}
        void run() {}
    };
    void wait() {}
    std::int64_t bytes() const { return bytes_; }
    DeviceUse take_use() { return {}; }
    template <class T>
    void pin(std::span<T>) {}

  private:
    std::int64_t bytes_ = 0;
};

}  // namespace limber::gpu
