// SPDX-License-Identifier: Apache-2.0
// Directions by a linear system: Newton's, and the constant prefactored matrix of projective
// dynamics (Bouaziz et al. 2014), which Wang & Yang 2016, section 4.1, read as a preconditioner.

#include <algorithm>

#include "limber/core/parallel.h"
#include "limber/solve/descent/constant_matrix.h"
#include "limber/solve/descent/direction.h"

namespace limber {

namespace {

constexpr Index grain = 2048;

template <class Real>
void negated(std::span<const Vec3<Real>> g, std::span<Vec3d> out) {
    parallel_for(static_cast<Index>(g.size()), grain, [&](Index i) {
        out[i] = {-static_cast<double>(g[i].x), -static_cast<double>(g[i].y),
                  -static_cast<double>(g[i].z)};
    });
}
template <class Real>
void rounded(std::span<const Vec3d> a, std::span<Vec3<Real>> out) {
    parallel_for(static_cast<Index>(a.size()), grain, [&](Index i) {
        out[i] = {static_cast<Real>(a[i].x), static_cast<Real>(a[i].y), static_cast<Real>(a[i].z)};
    });
}

template <class Real>
class ProjectiveDirection final : public Direction<Real> {
  public:
    using typename Direction<Real>::Vectors;
    using typename Direction<Real>::ConstVectors;
    explicit ProjectiveDirection(const Model& model) : matrix_(model, true) {}
    void begin(Objective<Real>& objective) override { usable_ = matrix_.begin(objective); }
    bool find(Objective<Real>&, ConstVectors, ConstVectors g, Vectors d) override {
        if (!usable_) return false;
        parallel_for(static_cast<Index>(g.size()), grain, [&](Index i) { d[i] = -g[i]; });
        matrix_.solve(d, d);
        return true;
    }

  private:
    ConstantMatrix<Real> matrix_;
    bool usable_ = false;
};

template <class Real>
class NewtonDirection final : public Direction<Real> {
  public:
    using typename Direction<Real>::Vectors;
    using typename Direction<Real>::ConstVectors;
    NewtonDirection(const Model& model, const DescentOptions& options)
        : model_(model),
          solver_(make_linear_solver(options.linear, model.mesh.nodes)),
          b_(model.n_nodes()),
          x_(model.n_nodes()) {}
    bool find(Objective<Real>& objective, ConstVectors x, ConstVectors g, Vectors d) override {
        negated(g, std::span(b_));
        for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
            const BlockCsr& H = objective.hessian(x, kind);
            if (solver_->prepare(H, model_.free).failed()) continue;
            std::fill(x_.begin(), x_.end(), Vec3d{});
            if (solver_->solve(H, b_, model_.free, x_).failed()) continue;
            rounded(std::span<const Vec3d>(x_), d);
            return true;
        }
        return false;
    }

  private:
    const Model& model_;
    std::unique_ptr<LinearSolver> solver_;
    std::vector<Vec3d> b_, x_;
};

}  // namespace

template <class Real>
std::unique_ptr<Direction<Real>> make_projective(const Model& model) {
    return std::make_unique<ProjectiveDirection<Real>>(model);
}
template <class Real>
std::unique_ptr<Direction<Real>> make_newton(const Model& model, const DescentOptions& options) {
    return std::make_unique<NewtonDirection<Real>>(model, options);
}

template std::unique_ptr<Direction<float>> make_projective(const Model&);
template std::unique_ptr<Direction<double>> make_projective(const Model&);
template std::unique_ptr<Direction<float>> make_newton(const Model&, const DescentOptions&);
template std::unique_ptr<Direction<double>> make_newton(const Model&, const DescentOptions&);

}  // namespace limber
