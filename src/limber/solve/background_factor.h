// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "limber/core/stop.h"
#include "limber/linalg/schur/compliance.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "limber/solve/factor_precision.h"

namespace limber {

/// A matrix of some step with its factor, which serves as an approximate inverse in later ones:
/// P = R (L Lᵀ)⁻¹ Rᵀ with a rotation a node since then (none: R = I).
class FactoredMatrix : public InverseOperator {
  public:
    /// With the pattern of A; `free` outlives it.
    static std::unique_ptr<FactoredMatrix> make(FactorPrecision precision, const BlockCsr& A,
                                                FreeMask free);

    BlockCsr A;              // in the frames of the nodes of its step
    std::int64_t step = -1;  // whose matrix A is; -1: none

    virtual SolveStats factorize() = 0;
    /// The rotations must outlive their use.
    virtual void set_rotations(std::span<const Mat3d> rotations) = 0;
    virtual Compliance& compliance() const = 0;
    virtual const SupernodalWork& work() const = 0;
    virtual const SupernodalStructure& structure() const = 0;
    virtual std::string describe() const = 0;

    Index n_nodes() const override { return A.n_nodes(); }
    void apply_inverse(std::span<const Vec3d> r, std::span<Vec3d> z) const override {
        compliance().apply(r, z);
    }
};

/// Factorises one matrix at a time in a thread of its own, which reads and writes nothing but that
/// FactoredMatrix and uses no other thread. Results are those of factorize() here, to the bit.
class BackgroundFactor {
  public:
    explicit BackgroundFactor(std::unique_ptr<FactoredMatrix> room) : room_(std::move(room)) {}
    ~BackgroundFactor();
    BackgroundFactor(const BackgroundFactor&) = delete;
    BackgroundFactor& operator=(const BackgroundFactor&) = delete;

    /// Whether a matrix was handed over that nobody has taken back.
    bool busy() const { return busy_; }
    /// Whether take() would not wait.
    bool ready() const;
    /// To be filled before start(); until take() only A and step may be read.
    FactoredMatrix& room() { return *room_; }
    const FactoredMatrix& room() const { return *room_; }
    void start();
    /// Waits for the factor and exchanges it with `other`, unless it failed. Where its thread was
    /// stopped (StopScope of start()), it is made here.
    SolveStats take(std::unique_ptr<FactoredMatrix>& other);
    /// Waits for the factor and forgets it.
    void drop();

  private:
    void work(std::stop_token stop);
    void wait();

    std::unique_ptr<FactoredMatrix> room_;
    bool busy_ = false;  // for the thread that owns this object alone
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    bool wanted_ = false, done_ = false;  // under the mutex
    const StopFlag* stop_ = nullptr;
    SolveStats stats_;
    std::exception_ptr error_;
    bool stopped_ = false;
    std::jthread thread_;  // last: it ends before the rest goes
};

}  // namespace limber
