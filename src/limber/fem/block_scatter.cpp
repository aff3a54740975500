// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/block_scatter.h"

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

template <int N>
BlockScatter<N>::BlockScatter(const BlockCsr& pattern, std::span<const Element> elements) {
    const auto for_each_source = [&](auto&& call) {
        for (std::size_t e = 0; e < elements.size(); ++e)
            for (int a = 0; a < N; ++a)
                for (int b = 0; b < N; ++b) {
                    const int own = a <= b ? pair(a, b) : pair(b, a);
                    const Index at = pattern.find(elements[e][a], elements[e][b]);
                    LIMBER_CHECK(at >= 0, "the pattern has room for every element");
                    call(at, 2 * (e * n_pairs + static_cast<std::size_t>(own)) + (a > b));
                }
    };
    begin_.assign(pattern.n_blocks() + 1, 0);
    for_each_source([&](Index at, std::uint64_t) { ++begin_[at + 1]; });
    for (Index k = 0; k < pattern.n_blocks(); ++k) begin_[k + 1] += begin_[k];
    source_.resize(begin_.back());
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    for_each_source([&](Index at, std::uint64_t source) { source_[next[at]++] = source; });
}

namespace {

/// The sum of what elements give to one block.
template <class Real>
inline Mat3<Real> sum_of(const Mat3<Real>* from, const std::uint64_t* source, Index n) {
    Mat3<Real> sum;
    for (Index k = 0; k < n; ++k) {
        const Mat3<Real>& block = from[source[k] / 2];
        sum += source[k] % 2 ? transpose(block) : block;
    }
    return sum;
}

}  // namespace

template <int N>
void BlockScatter<N>::add(std::span<const Blocks> blocks, double scale, BlockCsr& A) const {
    LIMBER_CHECK(static_cast<Index>(begin_.size()) == A.n_blocks() + 1, "A has the pattern");
    const Mat3d* from = blocks.empty() ? nullptr : blocks.front().data();
    parallel_for(A.n_blocks(), 512, [&](Index at) {
        A.blocks()[at] +=
            scale * sum_of(from, source_.data() + begin_[at], begin_[at + 1] - begin_[at]);
    });
}

template <int N>
template <class Real>
void BlockScatter<N>::add(std::span<const BlocksOf<Real>> blocks, BlockRows<Real>& A) const {
    LIMBER_CHECK(static_cast<Index>(begin_.size()) == A.n_blocks() + 1, "A has the pattern");
    const Mat3<Real>* from = blocks.empty() ? nullptr : blocks.front().data();
    parallel_for(A.n_blocks(), 512, [&](Index at) {
        A.blocks()[at] += sum_of(from, source_.data() + begin_[at], begin_[at + 1] - begin_[at]);
    });
}

template class BlockScatter<2>;
template class BlockScatter<3>;
template class BlockScatter<4>;
template void BlockScatter<4>::add(std::span<const BlocksOf<float>>, BlockRows<float>&) const;
template void BlockScatter<4>::add(std::span<const BlocksOf<double>>, BlockRows<double>&) const;

}  // namespace limber
