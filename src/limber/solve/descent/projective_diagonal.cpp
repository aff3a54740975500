// SPDX-License-Identifier: Apache-2.0
// Projective dynamics without a factor: Wang 2015, "A Chebyshev semi-iterative approach for
// accelerating projective and position-based dynamics", which Wang & Yang 2016, section 4.1, read
// as descent preconditioned by the diagonal of its constant matrix.

#include <algorithm>

#include "limber/core/parallel.h"
#include "limber/solve/descent/direction.h"

namespace limber {

namespace {

constexpr Index grain = 2048;

/// Δq = −diag⁻¹(A) g, A the matrix that ProjectiveDirection factorises.
template <class Real>
class ProjectiveDiagonal final : public Direction<Real> {
  public:
    using typename Direction<Real>::Vectors;
    using typename Direction<Real>::ConstVectors;
    explicit ProjectiveDiagonal(const Model& model) : model_(model), inverse_(model.n_nodes()) {}
    /// Constant while the step of time is, contact and stiffness damping aside.
    void begin(Objective<Real>& objective) override {
        const bool changes = objective.matrix_changes();
        if (h_ == objective.h() && !changes && !changed_) return;
        const BlockCsr& A = objective.projective_matrix();
        parallel_for(model_.n_nodes(), grain, [&](Index i) {
            const Mat3d& D = A.blocks()[A.diagonal_position(i)];
            for (int k = 0; k < 3; ++k)
                inverse_[i][k] = static_cast<Real>(model_.free[i][k] / std::max(D(k, k), 1e-30));
        });
        h_ = objective.h();
        changed_ = changes;
    }
    bool local() const override { return true; }
    void apply(Index begin, Index end, ConstVectors g, Vectors d) const override {
        for (Index i = begin; i < end; ++i)
            for (int k = 0; k < 3; ++k) d[i][k] = -inverse_[i][k] * g[i][k];
    }

  private:
    const Model& model_;
    std::vector<Vec3<Real>> inverse_;  // 0 where a degree of freedom is prescribed
    double h_ = 0;
    bool changed_ = false;  // it holds what only its own step had
};

}  // namespace

template <class Real>
std::unique_ptr<Direction<Real>> make_projective_diagonal(const Model& model) {
    return std::make_unique<ProjectiveDiagonal<Real>>(model);
}

template std::unique_ptr<Direction<float>> make_projective_diagonal(const Model&);
template std::unique_ptr<Direction<double>> make_projective_diagonal(const Model&);

}  // namespace limber
