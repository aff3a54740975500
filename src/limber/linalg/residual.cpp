// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/residual.h"

#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index residual_nodes = 1024;

void grow(std::vector<double>& partial, Index n) {
    const auto chunks = static_cast<std::size_t>((n + residual_nodes - 1) / residual_nodes);
    if (partial.size() < chunks) partial.resize(chunks);
}

}  // namespace

double FreeResidual::right_norm(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                                std::span<const Vec3d> x) {
    const Index n = A.n_nodes();
    LIMBER_CHECK(std::ssize(x) == n && (free.empty() || std::ssize(free) == n),
                 "x and the mask have one entry a node");
    prescribed_.resize(n);
    r_.resize(n);
    for (Index i = 0; i < n; ++i)
        prescribed_[i] = free.empty() ? Vec3d{} : masked(x[i], Vec3d{1, 1, 1} - free[i]);
    return find(A, b, free, prescribed_, r_);
}

double FreeResidual::find(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                          std::span<const Vec3d> x, std::span<Vec3d> r) {
    const Index n = A.n_nodes();
    LIMBER_CHECK(std::ssize(b) == n && std::ssize(x) == n && std::ssize(r) == n,
                 "b, x and r have one entry a node");
    LIMBER_CHECK(free.empty() || std::ssize(free) == n, "the mask has one entry a node");
    A.apply(x, r);
    grow(partial_, n);
    return std::sqrt(
        parallel_sum(n, residual_nodes, std::span(partial_), [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i) {
                r[i] = b[i] - r[i];
                if (!free.empty()) r[i] = masked(r[i], free[i]);
                sum += squared_norm(r[i]);
            }
            return sum;
        }));
}

double FreeResidual::dot(std::span<const Vec3d> a, std::span<const Vec3d> b) {
    const auto n = static_cast<Index>(a.size());
    grow(partial_, n);
    return parallel_sum(n, residual_nodes, std::span(partial_), [&](Index begin, Index end) {
        double sum = 0;
        for (Index i = begin; i < end; ++i) sum += limber::dot(a[i], b[i]);
        return sum;
    });
}

}  // namespace limber
