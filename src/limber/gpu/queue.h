// SPDX-License-Identifier: Apache-2.0
#pragma once

// A method for the device is written once, against a queue: arrays, and bodies (functions of an
// index) that run over them in order. On the device a body is a kernel and a whole step one graph
// (gpu/cuda_queue.cuh); on the host it is a loop, so that every machine tests the same method; and
// a queue that only counts says how much memory the device will need.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/core/types.h"

namespace limber::gpu {

/// Sums are taken over chunks of so many indices, then over the chunks in order, whatever runs
/// them: at most `most_chunks`, each a multiple of the threads of a block.
inline constexpr Index sum_threads = 256, most_chunks = 512;
inline constexpr Index sum_chunk(Index n) {
    const Index blocks = (n + sum_threads - 1) / sum_threads;
    return sum_threads * std::max<Index>(1, (blocks + most_chunks - 1) / most_chunks);
}

/// Runs bodies at once, one index after the other.
class HostQueue {
  public:
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
};

/// Runs nothing: adds up what arrays would take.
class CountingQueue {
  public:
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

  private:
    std::int64_t bytes_ = 0;
};

}  // namespace limber::gpu
