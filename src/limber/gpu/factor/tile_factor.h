// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "limber/gpu/factor/plan.h"
#include "limber/gpu/factor/view.h"
#include "limber/linalg/linear_operator.h"
#include "limber/linalg/solve_stats.h"

namespace limber::gpu {

/// Cholesky factor A = L Lᵀ by the tasks of a plan, on the device or on the host. T is the scalar
/// of the factor; matrices and vectors are double. Prescribed degrees of freedom are rows and
/// columns of the identity in the factor, as in SupernodalCholesky.
template <class T>
class TileFactor {
  public:
    virtual ~TileFactor() = default;
    /// A of the pattern that was planned for. Status direct; indefinite or not_finite with the node
    /// of the pivot eliminated first in `bad_node`. Throws DeviceLost where a task waited in vain.
    virtual SolveStats factorize(const BlockCsr& A, FreeMask free, Index* bad_node = nullptr) = 0;
    /// x = A⁻¹ b, 0 on the prescribed degrees of freedom, then `refinements` rounds of
    /// x += A⁻¹ (b - A x) with the residual in double.
    virtual void solve(std::span<const Vec3d> b, std::span<Vec3d> x, int refinements = 0) = 0;
    /// All tiles, for those who compare bits.
    virtual std::vector<T> tiles() = 0;
    /// Of their bits.
    virtual std::uint64_t checksum() = 0;
    /// Wall times of further runs with what is there [ms], on the device between events of it.
    struct Times {
        std::vector<double> factor, solve;
    };
    virtual Times time(int runs) = 0;
    /// One more run with the times of its tasks, in their order; on the host none.
    virtual std::vector<TileTime> profile() = 0;
    /// Of the device's memory.
    virtual std::int64_t bytes() const = 0;
    /// How long a task may wait before the run is given up [s].
    virtual void set_patience(double seconds) = 0;
};

/// The tasks one after the other on the host. The plan and the pattern outlive it.
template <class T>
std::unique_ptr<TileFactor<T>> make_host_factor(const TilePlan& plan, const BlockCsr& pattern);
/// InputError where there is no device, SystemError where its memory does not suffice.
template <class T>
std::unique_ptr<TileFactor<T>> make_cuda_factor(const TilePlan& plan, const BlockCsr& pattern);
/// What that will take of the device's memory [bytes].
template <class T>
std::int64_t tile_factor_bytes(const TilePlan& plan, const BlockCsr& pattern);

/// The same without a look at the memory; defined by nvcc.
std::unique_ptr<TileFactor<double>> start_double_factor(const TilePlan& plan,
                                                        const BlockCsr& pattern);
std::unique_ptr<TileFactor<float>> start_float_factor(const TilePlan& plan,
                                                      const BlockCsr& pattern);

}  // namespace limber::gpu
