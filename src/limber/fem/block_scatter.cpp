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

template <int N>
void BlockScatter<N>::add(std::span<const Blocks> blocks, double scale, BlockCsr& A) const {
    LIMBER_CHECK(static_cast<Index>(begin_.size()) == A.n_blocks() + 1, "A has the pattern");
    const Mat3d* from = blocks.empty() ? nullptr : blocks.front().data();
    parallel_for(A.n_blocks(), 512, [&](Index at) {
        Mat3d sum;
        for (Index k = begin_[at]; k < begin_[at + 1]; ++k) {
            const Mat3d& block = from[source_[k] / 2];
            sum += source_[k] % 2 ? transpose(block) : block;
        }
        A.blocks()[at] += scale * sum;
    });
}

template class BlockScatter<2>;
template class BlockScatter<3>;
template class BlockScatter<4>;

}  // namespace limber
