// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/direction.h"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index grain = 2048;

/// The diagonal of the Hessian is typically positive (section 4.1), but laws that soften under
/// compression can bring it down to zero and below: it is held above this share of its value at
/// rest.
constexpr double least_share = 0.05;

template <class Real>
class LocalDirection : public Direction<Real> {
  public:
    bool local() const override { return true; }
};

/// Δq = −g, up to one factor for the whole model, which makes step lengths comparable.
/// Δq = −diag⁻¹(H) g, the diagonal computed every M iterations.
template <class Real>
class DiagonalDirection final : public LocalDirection<Real> {
  public:
    using typename Direction<Real>::Vectors;
    using typename Direction<Real>::ConstVectors;
    DiagonalDirection(const Model& model, bool uniform, int refresh)
        : diagonal_(model, uniform, refresh) {}
    void prepare(Objective<Real>& objective, ConstVectors x, int k) override {
        diagonal_.prepare(objective, x, k);
    }
    void apply(Index begin, Index end, ConstVectors g, Vectors d) const override {
        const Real *P = &diagonal_.inverse()[begin].x, *from = &g[begin].x;
        Real* to = &d[begin].x;
        for (std::size_t k = 0, n = 3 * static_cast<std::size_t>(end - begin); k < n; ++k)
            to[k] = -P[k] * from[k];
    }

  private:
    Diagonal<Real> diagonal_;
};

/// The same with the 3x3 blocks, each tet's part of them projected.
template <class Real>
class BlockDirection final : public LocalDirection<Real> {
  public:
    using typename Direction<Real>::Vectors;
    using typename Direction<Real>::ConstVectors;
    BlockDirection(const Model& model, int refresh)
        : model_(model), refresh_(refresh), inverse_(model.n_nodes()) {}

    void prepare(Objective<Real>& objective, ConstVectors x, int k) override {
        if (k % refresh_ != 0) return;
        objective.diagonal_blocks(x, HessianKind::projected, inverse_);
        parallel_for(model_.n_nodes(), grain, [&](Index i) {
            Mat3d D;
            for (int e = 0; e < 9; ++e) D.a[e] = static_cast<double>(inverse_[i].a[e]);
            const double least = least_share * model_.stiffness[i];
            D += Mat3d::diagonal(least, least, least);
            const Vec3d& free = model_.free[i];
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    if (free[r] == 0 || free[c] == 0) D(r, c) = r == c ? 1 : 0;
            Mat3d B = inverse(D);
            for (int r = 0; r < 3; ++r)
                if (free[r] == 0) B(r, r) = 0;
            for (int e = 0; e < 9; ++e) inverse_[i].a[e] = static_cast<Real>(B.a[e]);
        });
    }
    void apply(Index begin, Index end, ConstVectors g, Vectors d) const override {
        for (Index i = begin; i < end; ++i) d[i] = -(inverse_[i] * g[i]);
    }

  private:
    const Model& model_;
    int refresh_;
    std::vector<Mat3<Real>> inverse_;
};

}  // namespace

template <class Real>
bool Direction<Real>::find(Objective<Real>&, ConstVectors, ConstVectors g, Vectors d) {
    parallel_ranges(static_cast<Index>(g.size()), grain,
                    [&](Index begin, Index end) { apply(begin, end, g, d); });
    return true;
}

template <class Real>
Diagonal<Real>::Diagonal(const Model& model, bool uniform, int refresh)
    : model_(model),
      uniform_(uniform),
      refresh_(refresh),
      inverse_(model.n_nodes()),
      partial_(model.n_nodes() / grain + 1) {}

template <class Real>
bool Diagonal<Real>::prepare(Objective<Real>& objective, std::span<const Vec3<Real>> x, int k) {
    const bool due = uniform_ ? k == 0 : k % refresh_ == 0;
    if (due) compute(objective, x);
    return due;
}

template <class Real>
void Diagonal<Real>::compute(Objective<Real>& objective, std::span<const Vec3<Real>> x) {
    objective.diagonal(x, inverse_);
    const Index n = model_.n_nodes();
    double mean = 0;
    if (uniform_) {
        mean = parallel_sum<double>(n, grain, partial_, [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i)
                for (int k = 0; k < 3; ++k) sum += std::abs(static_cast<double>(inverse_[i][k]));
            return sum;
        });
        mean = std::max(mean / (3.0 * std::max<Index>(n, 1)), 1e-30);
    }
    parallel_for(n, grain, [&](Index i) {
        for (int k = 0; k < 3; ++k) {
            const double least = std::max(least_share * model_.stiffness[i], 1e-30);
            const double own = static_cast<double>(inverse_[i][k]);
            const double d = uniform_ ? mean : own > least ? own : least;  // NaN: least
            inverse_[i][k] = static_cast<Real>(model_.free[i][k] / d);
        }
    });
}

template <class Real>
std::unique_ptr<Direction<Real>> make_direction(const Model& model, const DescentOptions& options) {
    switch (options.direction) {
        case DirectionKind::gradient:
            return std::make_unique<DiagonalDirection<Real>>(model, true, options.refresh);
        case DirectionKind::jacobi:
            return std::make_unique<DiagonalDirection<Real>>(model, false, options.refresh);
        case DirectionKind::block_jacobi:
            return std::make_unique<BlockDirection<Real>>(model, options.refresh);
        case DirectionKind::nonlinear_cg:
            return make_nonlinear_cg<Real>(model, options);
        case DirectionKind::lbfgs:
            return make_lbfgs<Real>(model, options);
        case DirectionKind::projective:
            return make_projective<Real>(model);
        case DirectionKind::projective_diagonal:
            return make_projective_diagonal<Real>(model);
        case DirectionKind::newton:
            return make_newton<Real>(model, options);
        case DirectionKind::newton_cg:
            break;  // a loop of its own, loop.h
    }
    return nullptr;
}

template class Direction<float>;
template class Direction<double>;
template class Diagonal<float>;
template class Diagonal<double>;
template std::unique_ptr<Direction<float>> make_direction(const Model&, const DescentOptions&);
template std::unique_ptr<Direction<double>> make_direction(const Model&, const DescentOptions&);

}  // namespace limber
