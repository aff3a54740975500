// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/bandwidth.h"

#include <algorithm>
#include <vector>

#include "limber/core/parallel.h"
#include "limber/core/timer.h"
#include "limber/linalg/huge_pages.h"

namespace limber {

double read_bandwidth(std::size_t bytes) {
    constexpr Index grain = 1 << 15;  // 256 kB a chunk
    const auto n = static_cast<Index>(std::max<std::size_t>(bytes / sizeof(double), grain));
    StreamedVector<double> data(static_cast<std::size_t>(n), 1.0);
    std::vector<double> partial(static_cast<std::size_t>(n / grain + 1));
    double best_ms = 1e300, sink = 0;
    for (int pass = 0; pass < 12; ++pass) {
        const Timer clock;
        sink += parallel_sum<double>(n, grain, partial, [&](Index begin, Index end) {
            // Independent sums: the additions must not be what is measured.
            double s[16] = {};
            for (Index i = begin; i + 16 <= end; i += 16)
                for (int k = 0; k < 16; ++k) s[k] += data[static_cast<std::size_t>(i + k)];
            double sum = 0;
            for (double part : s) sum += part;
            return sum;
        });
        if (pass > 1) best_ms = std::min(best_ms, clock.ms());
    }
    return sink > 0 ? static_cast<double>(n) * sizeof(double) / (best_ms * 1e-3) : 0;
}

}  // namespace limber
