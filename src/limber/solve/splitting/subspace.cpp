// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/splitting/subspace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/core/parallel.h"
#include "limber/core/simd.h"

namespace limber {

namespace {

constexpr Index grain = 2048;  // nodes a chunk

// A step whose part apart from newer ones is less than this share of it (squared, as s·y measures
// it) is made of rounding.
constexpr double least_pivot = 1e-3;

/// Σ a b over numbers [begin, end), in double and in an order that does not depend on registers.
template <class Real>
double product_of(const Real* a, const Real* b, std::ptrdiff_t begin, std::ptrdiff_t end) {
    constexpr int W = 8;
    using Wide = Packet<double, W>;
    Wide sum;
    std::ptrdiff_t k = begin;
    for (; k + W <= end; k += W)
        sum += convert<double>(Packet<Real, W>::load(a + k)) *
               convert<double>(Packet<Real, W>::load(b + k));
    double total = 0;
    for (int lane = 0; lane < W; ++lane) total += sum[lane];
    for (; k < end; ++k) total += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    return total;
}

template <class Real>
const Real* numbers_of(std::span<const Vec3<Real>> v) {
    return &v.data()->x;
}

}  // namespace

template <class Real>
double inner_product(std::span<const Vec3<Real>> a, std::span<const Vec3<Real>> b,
                     std::span<double> partial) {
    return parallel_sum<double>(
        static_cast<Index>(a.size()), grain, partial, [&](Index begin, Index end) {
            return product_of<Real>(numbers_of(a), numbers_of(b), 3 * begin, 3 * end);
        });
}
template double inner_product(std::span<const Vec3<float>>, std::span<const Vec3<float>>,
                              std::span<double>);
template double inner_product(std::span<const Vec3d>, std::span<const Vec3d>, std::span<double>);

template <class Real>
Subspace<Real>::Subspace(Index n_nodes, int most)
    : most_(most),
      pairs_(static_cast<std::size_t>(most)),
      place_(static_cast<std::size_t>(most)),
      product_(static_cast<std::size_t>(most * most)),
      with_gradient_(static_cast<std::size_t>(most)),
      weight_(static_cast<std::size_t>(most)),
      reduced_(static_cast<std::size_t>(most * (most + 1))),
      partial_(static_cast<std::size_t>((n_nodes / grain + 1) * (most + 1))) {
    for (Pair& one : pairs_) {
        one.s.resize(static_cast<std::size_t>(n_nodes));
        one.t.resize(static_cast<std::size_t>(n_nodes));
    }
    std::iota(place_.begin(), place_.end(), 0);
}

template <class Real>
void Subspace<Real>::clear() {
    n_ = 0;
    std::fill(product_.begin(), product_.end(), 0.0);
    std::fill(with_gradient_.begin(), with_gradient_.end(), 0.0);
}

template <class Real>
void Subspace<Real>::drop_oldest() {
    std::rotate(place_.begin(), place_.begin() + 1, place_.end());
    --n_;
    for (int i = 0; i < n_; ++i) {
        with_gradient_[static_cast<std::size_t>(i)] =
            with_gradient_[static_cast<std::size_t>(i + 1)];
        for (int j = 0; j < n_; ++j) product(i, j) = product(i + 1, j + 1);
    }
}

template <class Real>
void Subspace<Real>::look(std::span<const Vec3<Real>> g) {
    for (int i = 0; i < n_; ++i)
        with_gradient_[static_cast<std::size_t>(i)] =
            inner_product<Real>(pair(i).s, g, std::span<double>(partial_));
}

template <class Real>
void Subspace<Real>::add(std::span<const Vec3<Real>> s, std::span<const Vec3<Real>> r_before,
                         std::span<const Vec3<Real>> r, std::span<const Vec3<Real>> g,
                         double s_g_before) {
    if (most_ == 0) return;
    if (n_ == most_) drop_oldest();
    Pair& last = pair(n_);
    const Index n_nodes = static_cast<Index>(g.size());
    const int n_sums = n_ + 1;
    const Real *from = numbers_of(s), *before = numbers_of(r_before),
               *now = r.empty() ? nullptr : numbers_of(r);
    parallel_ranges(n_nodes, grain, [&](Index begin, Index end) {
        double* sum = partial_.data() + begin / grain * n_sums;
        const std::ptrdiff_t first = 3 * begin, past = 3 * end;
        Real *to = &last.s.data()->x, *t = &last.t.data()->x;
        for (std::ptrdiff_t k = first; k < past; ++k) {
            to[k] = from[k];
            t[k] = (now ? before[k] - now[k] : Real(0)) - from[k];
        }
        for (int i = 0; i <= n_; ++i)
            sum[i] = product_of<Real>(&pair(i).s.data()->x, numbers_of(g), first, past);
    });
    std::vector<double>& total = weight_;  // as scratch of the first n_ + 1
    std::fill(total.begin(), total.end(), 0.0);
    for (Index chunk = 0; chunk * grain < n_nodes; ++chunk) {
        const double* sum = partial_.data() + chunk * n_sums;
        for (int i = 0; i <= n_; ++i) total[static_cast<std::size_t>(i)] += sum[i];
    }
    for (int i = 0; i < n_; ++i)
        product(i, n_) = product(n_, i) =
            total[static_cast<std::size_t>(i)] - with_gradient_[static_cast<std::size_t>(i)];
    product(n_, n_) = total[static_cast<std::size_t>(n_)] - s_g_before;
    for (int i = 0; i <= n_; ++i)
        with_gradient_[static_cast<std::size_t>(i)] = total[static_cast<std::size_t>(i)];
    ++n_;
}

/// Gauss's elimination from the newest step to the oldest, each scaled to s·y = 1; those without
/// positive curvature of their own are left out.
template <class Real>
void Subspace<Real>::find_weights() {
    const auto at = [&](int i, int j) -> double& {
        return reduced_[static_cast<std::size_t>(i * (most_ + 1) + j)];
    };
    const auto scale = [&](int i) {
        const double size = product(n_ - 1 - i, n_ - 1 - i);
        return size > 0 ? 1 / std::sqrt(size) : 0.0;
    };
    for (int i = 0; i < n_; ++i) {
        for (int j = 0; j < n_; ++j)
            at(i, j) = scale(i) * scale(j) * product(n_ - 1 - i, n_ - 1 - j);
        at(i, n_) = scale(i) * with_gradient_[static_cast<std::size_t>(n_ - 1 - i)];
    }
    for (int k = 0; k < n_; ++k) {
        if (!(at(k, k) > least_pivot)) {  // nothing of it is used, nor asked of it
            for (int j = 0; j < n_; ++j) at(k, j) = at(j, k) = 0;
            at(k, k) = 1;
            at(k, n_) = 0;
        }
        for (int i = k + 1; i < n_; ++i) {
            const double f = at(i, k) / at(k, k);
            for (int j = k; j <= n_; ++j) at(i, j) -= f * at(k, j);
        }
    }
    for (int k = n_ - 1; k >= 0; --k) {
        double& w = at(k, n_);
        for (int j = k + 1; j < n_; ++j) w -= at(k, j) * at(j, n_);
        w /= at(k, k);
        weight_[static_cast<std::size_t>(n_ - 1 - k)] = w * scale(k);
    }
}

template <class Real>
void Subspace<Real>::correct(std::span<const Vec3<Real>> r, std::span<Vec3<Real>> d) {
    find_weights();
    parallel_ranges(static_cast<Index>(r.size()), grain, [&](Index begin, Index end) {
        const Real* from = numbers_of(r);
        Real* to = &d.data()->x;
        const std::ptrdiff_t first = 3 * begin, past = 3 * end;
        for (std::ptrdiff_t k = first; k < past; ++k) to[k] = from[k];
        for (int i = 0; i < n_; ++i) {
            const Real w = static_cast<Real>(weight_[static_cast<std::size_t>(i)]);
            if (w == 0) continue;
            const Real* t = &pair(i).t.data()->x;
            for (std::ptrdiff_t k = first; k < past; ++k) to[k] += w * t[k];
        }
    });
}

template <class Real>
void Subspace<Real>::project(std::span<Vec3<Real>> x) {
    find_weights();
    parallel_ranges(static_cast<Index>(x.size()), grain, [&](Index begin, Index end) {
        Real* to = &x.data()->x;
        for (int i = 0; i < n_; ++i) {
            const Real w = static_cast<Real>(weight_[static_cast<std::size_t>(i)]);
            const Real* s = &pair(i).s.data()->x;
            for (std::ptrdiff_t k = 3 * begin; k < 3 * end; ++k) to[k] -= w * s[k];
        }
    });
}

template <class Real>
double Subspace<Real>::curvature() const {
    return product_[static_cast<std::size_t>((n_ - 1) * most_ + n_ - 1)];
}

template <class Real>
std::vector<double> Subspace<Real>::vectors() const {
    std::vector<double> out;
    for (int i = 0; i < most_; ++i)
        for (const auto* vectors : {&pair(i).s, &pair(i).t})
            for (const Vec3<Real>& v : *vectors)
                for (int k = 0; k < 3; ++k) out.push_back(i < n_ ? static_cast<double>(v[k]) : 0.0);
    return out;
}

template <class Real>
void Subspace<Real>::set_vectors(std::span<const double> numbers) {
    const double* from = numbers.data();
    for (int i = 0; i < most_; ++i)
        for (auto* vectors : {&pair(i).s, &pair(i).t})
            for (Vec3<Real>& v : *vectors)
                for (int k = 0; k < 3; ++k) v[k] = static_cast<Real>(*from++);
}

template class Subspace<double>;
template class Subspace<float>;

}  // namespace limber
