// SPDX-License-Identifier: Apache-2.0
// Directions that remember earlier iterations: nonlinear conjugate gradients, Wang & Yang 2016 (4),
// and L-BFGS (Nocedal & Wright, Algorithm 7.4). The diagonal of the Hessian preconditions the first
// and starts the second, or the constant matrix of projective dynamics does (Liu, Bouaziz & Kavan
// 2017, "Quasi-Newton methods for real-time simulation of hyperelastic materials").

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/solve/descent/constant_matrix.h"
#include "limber/solve/descent/direction.h"

namespace limber {

namespace {

constexpr Index grain = 2048;

/// Sums of products in double, in an order that does not depend on threads.
template <class Real>
class DotProduct {
  public:
    explicit DotProduct(Index n) : partial_(n / grain + 1) {}
    double operator()(std::span<const Vec3<Real>> a, std::span<const Vec3<Real>> b) {
        return parallel_sum<double>(
            static_cast<Index>(a.size()), grain, partial_, [&](Index begin, Index end) {
                double sum = 0;
                for (Index i = begin; i < end; ++i)
                    for (int k = 0; k < 3; ++k)
                        sum += static_cast<double>(a[i][k]) * static_cast<double>(b[i][k]);
                return sum;
            });
    }

  private:
    std::vector<double> partial_;
};

template <class Real>
Vec3<Real> scaled(const Vec3<Real>& a, const Vec3<Real>& b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}

template <class Real>
class NonlinearCg final : public Direction<Real> {
  public:
    using typename Direction<Real>::Vectors;
    using typename Direction<Real>::ConstVectors;
    NonlinearCg(const Model& model, const DescentOptions& options)
        : options_(options),
          diagonal_(model, !options.preconditioned, options.refresh),
          dot_(model.n_nodes()),
          z_(model.n_nodes()),
          z_before_(model.n_nodes()) {}
    void begin(Objective<Real>&) override { restart(); }
    void restart() override { size_before_ = 0; }
    void prepare(Objective<Real>& objective, ConstVectors x, int k) override {
        // Conjugacy is that of one preconditioner.
        if (diagonal_.prepare(objective, x, k)) restart();
    }
    bool find(Objective<Real>&, ConstVectors, ConstVectors g, Vectors d) override {
        const Index n = static_cast<Index>(g.size());
        const auto inverse = diagonal_.inverse();
        parallel_for(n, grain, [&](Index i) { z_[i] = scaled(inverse[i], g[i]); });
        const double size = dot_(g, z_);
        double beta = 0;
        if (size_before_ > 0)
            beta = options_.cg == CgFormula::fletcher_reeves
                       ? size / size_before_
                       : std::max(0.0, (size - dot_(g, z_before_)) / size_before_);
        const auto form = [&](Real b) {
            parallel_for(n, grain, [&](Index i) { d[i] = b == 0 ? -z_[i] : b * d[i] - z_[i]; });
        };
        form(static_cast<Real>(beta));
        if (beta != 0 && !(dot_(g, d) < 0)) form(0);
        std::swap(z_, z_before_);
        size_before_ = size;
        return std::isfinite(size);
    }
    bool wants_secant() const override { return true; }

  private:
    DescentOptions options_;
    Diagonal<Real> diagonal_;
    DotProduct<Real> dot_;
    std::vector<Vec3<Real>> z_, z_before_;
    double size_before_ = 0;  // g·z of the iteration before; 0: none
};

template <class Real>
class Lbfgs final : public Direction<Real> {
  public:
    using typename Direction<Real>::Vectors;
    using typename Direction<Real>::ConstVectors;
    Lbfgs(const Model& model, const DescentOptions& options)
        : model_(model),
          options_(options),
          diagonal_(model, !options.preconditioned, options.refresh),
          matrix_(model, false),
          dot_(model.n_nodes()),
          pairs_(options.history),
          x_before_(model.n_nodes()),
          g_before_(model.n_nodes()) {
        for (Pair& pair : pairs_) {
            pair.s.resize(model.n_nodes());
            pair.y.resize(model.n_nodes());
        }
    }
    void begin(Objective<Real>& objective) override {
        restart();
        usable_ = !from_constant() || matrix_.begin(objective);
    }
    void restart() override {
        n_pairs_ = 0;
        has_before_ = false;
    }
    void prepare(Objective<Real>& objective, ConstVectors x, int k) override {
        if (k == 0) least_ = 1e300, largest_ = 0;
        if (!from_constant()) diagonal_.prepare(objective, x, k);
    }
    bool find(Objective<Real>&, ConstVectors x, ConstVectors g, Vectors d) override {
        if (!usable_) return false;
        const Index n = static_cast<Index>(g.size());
        if (has_before_) remember(x, g);
        parallel_for(n, grain, [&](Index i) {
            d[i] = free_part(i, -g[i]);
            x_before_[i] = x[i];
            g_before_[i] = -d[i];
        });
        has_before_ = true;
        for (int k = n_pairs_ - 1; k >= 0; --k) {
            Pair& pair = at(k);
            pair.a = dot_(pair.s, d) / pair.sy;
            add(d, -pair.a, pair.y);
        }
        start(d);
        for (int k = 0; k < n_pairs_; ++k) {
            Pair& pair = at(k);
            add(d, pair.a - dot_(pair.y, d) / pair.sy, pair.s);
        }
        const double slope = dot_(g, d);
        if (slope < 0) return true;
        n_pairs_ = 0;
        parallel_for(n, grain, [&](Index i) { d[i] = free_part(i, -g[i]); });
        start(d);
        return std::isfinite(slope);
    }
    /// |P⁻¹g| over the least Rayleigh quotient of P⁻¹H that this step's pairs have met: what is
    /// left are the motions that P makes too stiff, as rotations of stiff parts in soft ones.
    bool tells_distance() const override { return from_constant(); }
    double distance_left(ConstVectors g) override {
        const Index n = static_cast<Index>(g.size());
        parallel_for(n, grain, [&](Index i) { g_before_[i] = free_part(i, g[i]); });
        matrix_.solve(g_before_, g_before_);
        const double d = std::sqrt(dot_(g_before_, g_before_));
        has_before_ = false;  // its gradient is gone
        return least_ < 1e300 ? d / std::max(least_, 1e-300) : d;
    }
    /// Without curvature yet, as for the Jacobi direction; the constant matrix has its own.
    bool wants_secant() const override { return n_pairs_ == 0 && !from_constant(); }

  private:
    struct Pair {
        std::vector<Vec3<Real>> s, y;
        double sy = 0, a = 0;
    };
    bool from_constant() const { return options_.initial_matrix == InitialMatrix::constant; }
    /// The gradient at prescribed degrees of freedom is a reaction, no part of the descent.
    Vec3<Real> free_part(Index i, Vec3<Real> v) const {
        for (int k = 0; k < 3; ++k)
            if (model_.free[i][k] == 0) v[k] = 0;
        return v;
    }
    /// d = H₀ d.
    void start(Vectors d) {
        if (from_constant()) return matrix_.solve(d, d);
        const auto inverse = diagonal_.inverse();
        parallel_for(static_cast<Index>(d.size()), grain,
                     [&](Index i) { d[i] = scaled(inverse[i], d[i]); });
    }
    Pair& at(int k) { return pairs_[static_cast<std::size_t>((first_ + k) % options_.history)]; }
    void add(Vectors d, double f, ConstVectors v) {
        const Real factor = static_cast<Real>(f);
        parallel_for(static_cast<Index>(d.size()), grain, [&](Index i) { d[i] += factor * v[i]; });
    }
    void remember(ConstVectors x, ConstVectors g) {
        if (n_pairs_ == options_.history) {  // the oldest goes
            first_ = (first_ + 1) % options_.history;
            --n_pairs_;
        }
        Pair& pair = at(n_pairs_);
        parallel_for(static_cast<Index>(x.size()), grain, [&](Index i) {
            pair.s[i] = free_part(i, x[i] - x_before_[i]);
            pair.y[i] = free_part(i, g[i] - g_before_[i]);
        });
        pair.sy = dot_(pair.s, pair.y);
        const double yy = dot_(pair.y, pair.y);
        // Without positive curvature a pair would turn the direction uphill.
        if (pair.sy > 1e-12 * std::sqrt(yy * dot_(pair.s, pair.s))) ++n_pairs_;
        if (!from_constant()) return;
        const double size = matrix_.form(pair.s);
        largest_ = std::max(largest_, size);
        // Motions of a ten-thousandth of the largest have gradients that rounding makes.
        if (size > 1e-8 * largest_) least_ = std::min(least_, pair.sy / size);
    }

    const Model& model_;
    DescentOptions options_;
    Diagonal<Real> diagonal_;
    ConstantMatrix<Real> matrix_;
    bool usable_ = true;
    double least_ = 1e300, largest_ = 0;  // this step's least s·y / s·P s, and largest s·P s
    DotProduct<Real> dot_;
    std::vector<Pair> pairs_;  // a ring, oldest at first_
    int first_ = 0, n_pairs_ = 0;
    std::vector<Vec3<Real>> x_before_, g_before_;
    bool has_before_ = false;
};

}  // namespace

template <class Real>
std::unique_ptr<Direction<Real>> make_nonlinear_cg(const Model& model, const DescentOptions& o) {
    return std::make_unique<NonlinearCg<Real>>(model, o);
}
template <class Real>
std::unique_ptr<Direction<Real>> make_lbfgs(const Model& model, const DescentOptions& options) {
    return std::make_unique<Lbfgs<Real>>(model, options);
}

template std::unique_ptr<Direction<float>> make_nonlinear_cg(const Model&, const DescentOptions&);
template std::unique_ptr<Direction<double>> make_nonlinear_cg(const Model&, const DescentOptions&);
template std::unique_ptr<Direction<float>> make_lbfgs(const Model&, const DescentOptions&);
template std::unique_ptr<Direction<double>> make_lbfgs(const Model&, const DescentOptions&);

}  // namespace limber
