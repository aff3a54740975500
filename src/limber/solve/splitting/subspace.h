// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/core/math.h"

namespace limber {

/// a·b in double, in an order that depends neither on threads nor on registers. `partial`: scratch
/// of an entry for 2048 nodes.
template <class Real>
double inner_product(std::span<const Vec3<Real>> a, std::span<const Vec3<Real>> b,
                     std::span<double> partial);

/// Earlier steps s_i of an iteration x ← x + r(x), r = −P⁻¹g, with what they did to r and g: the
/// next step is r plus Σ γ_i (z_i − s_i), z_i = r before − r after s_i, with γ such that the
/// gradient that is foretold has no part along any s_i,
///   Σ_j (s_i·y_j) γ_j = s_i·g,   y_i = g after − g before.
/// Anderson's acceleration of type I (Fang & Saad 2009, "Two classes of multisecant methods for
/// nonlinear acceleration"); on a quadratic objective the iterates are those of conjugate gradients
/// preconditioned by P, one step late. The s_i·y_j are taken as symmetric, as they are there: the
/// older step's products with later gradients give them.
template <class Real>
class Subspace {
  public:
    Subspace(Index n_nodes, int most);

    int size() const { return n_; }
    void clear();
    /// Products with the gradient where the next step begins; without a new step.
    void look(std::span<const Vec3<Real>> g);
    /// The step s = x_now − x_before has changed r_before into r; g is the gradient now.
    /// `s_g_before`: s · the gradient before. The oldest step makes room. Without an r it is for
    /// project() alone, and to be dropped after it.
    void add(std::span<const Vec3<Real>> s, std::span<const Vec3<Real>> r_before,
             std::span<const Vec3<Real>> r, std::span<const Vec3<Real>> g, double s_g_before);
    /// d = r + Σ γ_i (z_i − s_i).
    void correct(std::span<const Vec3<Real>> r, std::span<Vec3<Real>> d);
    /// x −= Σ γ_i s_i: the gradient at x, of the last add() or look(), without its parts along the
    /// steps, as far as they tell.
    void project(std::span<Vec3<Real>> x);
    void drop_newest() { --n_; }
    /// s·y of the newest step.
    double curvature() const;

    /// What is kept from step to step (core/history.h).
    template <class List, class Self>
    static void list_history(List& list, Self& self) {
        list.whole("subspace.size", self.n_, 0, self.most_);
        list.numbers("subspace.products", self.product_);
        list.numbers("subspace.with_gradient", self.with_gradient_);
        std::vector<double> numbers = self.vectors();
        list.numbers("subspace.vectors", numbers);
        if constexpr (!std::is_const_v<Self>) self.set_vectors(numbers);
    }

  private:
    struct Pair {
        std::vector<Vec3<Real>> s, t;  // t = z − s
    };
    double& product(int i, int j) { return product_[static_cast<std::size_t>(i * most_ + j)]; }
    Pair& pair(int i) { return pairs_[static_cast<std::size_t>(place_[i])]; }
    const Pair& pair(int i) const { return pairs_[static_cast<std::size_t>(place_[i])]; }
    void drop_oldest();
    void find_weights();
    std::vector<double> vectors() const;
    void set_vectors(std::span<const double> numbers);

    int most_, n_ = 0;
    std::vector<Pair> pairs_;
    std::vector<int> place_;  // of each pair from the oldest on, and of those that are free
    std::vector<double> product_, with_gradient_, weight_, reduced_;
    std::vector<double> partial_;
};

}  // namespace limber
