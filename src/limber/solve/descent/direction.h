// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/solve/descent/options.h"
#include "limber/solve/objective.h"

namespace limber {

/// Step 1 of Algorithm 1, Wang & Yang 2016: d with d·g < 0, zero at prescribed degrees of freedom.
template <class Real>
class Direction {
  public:
    using Vectors = std::span<Vec3<Real>>;
    using ConstVectors = std::span<const Vec3<Real>>;
    virtual ~Direction() = default;

    /// A new step of time; the objective has begun it.
    virtual void begin(Objective<Real>&) {}
    /// The iterates before the present one no longer count.
    virtual void restart() {}
    /// What is computed again every few iterations, before the gradient of iteration k.
    virtual void prepare(Objective<Real>&, ConstVectors /*x*/, int /*k*/) {}

    /// d_i follows from g_i alone: apply() can go on with a range of nodes.
    virtual bool local() const { return false; }
    virtual void apply(Index /*begin*/, Index /*end*/, ConstVectors /*g*/, Vectors /*d*/) const {}
    /// d for the whole model. False: none was found.
    virtual bool find(Objective<Real>& objective, ConstVectors x, ConstVectors g, Vectors d);
    /// Length of the first step tried.
    virtual double natural_length() const { return 1; }
    /// Whether distance_left() knows anything.
    virtual bool tells_distance() const { return false; }
    /// How far from x, with the gradient g, the minimum may still be [m, over all nodes].
    virtual double distance_left(ConstVectors /*g*/) { return 0; }
    /// The length follows from the change of the slope along d, not from the one before.
    virtual bool wants_secant() const { return false; }
};

/// A diagonal matrix that stands for the Hessian: the true one, or one number for all.
template <class Real>
class Diagonal {
  public:
    Diagonal(const Model& model, bool uniform, int refresh);
    /// Computed again in every `refresh`-th iteration of a step, one number for all in the first
    /// alone. True: it was.
    bool prepare(Objective<Real>& objective, std::span<const Vec3<Real>> x, int k);
    /// 1 / diagonal; 0 where a degree of freedom is prescribed.
    std::span<const Vec3<Real>> inverse() const { return inverse_; }

  private:
    void compute(Objective<Real>& objective, std::span<const Vec3<Real>> x);

    const Model& model_;
    bool uniform_;
    int refresh_;
    std::vector<Vec3<Real>> inverse_;
    std::vector<double> partial_;
};

template <class Real>
std::unique_ptr<Direction<Real>> make_direction(const Model& model, const DescentOptions& options);

// One for each file of directions.
template <class Real>
std::unique_ptr<Direction<Real>> make_nonlinear_cg(const Model& model, const DescentOptions& o);
template <class Real>
std::unique_ptr<Direction<Real>> make_lbfgs(const Model& model, const DescentOptions& options);
template <class Real>
std::unique_ptr<Direction<Real>> make_projective(const Model& model);
template <class Real>
std::unique_ptr<Direction<Real>> make_projective_diagonal(const Model& model);
template <class Real>
std::unique_ptr<Direction<Real>> make_newton(const Model& model, const DescentOptions& options);

}  // namespace limber
