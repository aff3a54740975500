// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/background_factor.h"

#include <utility>

#include "limber/core/check.h"
#include "limber/core/run_alone.h"

namespace limber {

namespace {

/// Every factorisation is a full one, so update blocks are dropped as far as that leaves subtrees
/// for many threads.
SupernodalOptions never_updated() {
    SupernodalOptions options;
    options.lean = true;
    options.largest_dropped = 1.0 / 64;
    return options;
}

template <class T>
class FactoredIn final : public FactoredMatrix {
  public:
    FactoredIn(const BlockCsr& pattern, FreeMask free)
        : free_(free), factor_(never_updated()), compliance_(factor_) {
        A = pattern;
        factor_.analyze(A);  // here: the ordering library shares its random numbers among threads
    }
    SolveStats factorize() override { return factor_.factorize(A, free_); }
    void set_rotations(std::span<const Mat3d> rotations) override {
        compliance_.set_rotations(rotations);
    }
    Compliance& compliance() const override { return compliance_; }
    const SupernodalWork& work() const override { return factor_.last_work(); }
    const SupernodalStructure& structure() const override { return factor_.structure(); }
    std::string describe() const override {
        return describe_factor(factor_.memory(), factor_.structure());
    }

  private:
    FreeMask free_;
    SupernodalCholesky<T> factor_;
    mutable FactorCompliance<T> compliance_;  // has scratch
};

}  // namespace

std::unique_ptr<FactoredMatrix> FactoredMatrix::make(FactorPrecision precision, const BlockCsr& A,
                                                     FreeMask free) {
    if (precision == FactorPrecision::double_precision)
        return std::make_unique<FactoredIn<double>>(A, free);
    return std::make_unique<FactoredIn<float>>(A, free);
}

BackgroundFactor::~BackgroundFactor() = default;

bool BackgroundFactor::ready() const {
    const std::lock_guard lock(mutex_);
    return busy_ && done_;
}

void BackgroundFactor::start() {
    LIMBER_CHECK(!busy_, "one matrix at a time");
    busy_ = true;
    {
        const std::lock_guard lock(mutex_);
        wanted_ = true;
        done_ = false;
        stop_ = StopScope::current();
    }
    if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { work(stop); });
    changed_.notify_all();
}

void BackgroundFactor::work(std::stop_token stop) {
    const RunAlone alone;
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return wanted_; })) {
        wanted_ = false;
        const StopScope scope(stop_);
        lock.unlock();
        SolveStats stats;
        std::exception_ptr error;
        bool stopped = false;
        try {
            stats = room_->factorize();
        } catch (const Stopped&) {
            stopped = true;
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        stats_ = stats;
        error_ = error;
        stopped_ = stopped;
        done_ = true;
        changed_.notify_all();
    }
}

void BackgroundFactor::wait() {
    LIMBER_CHECK(busy_, "a matrix was handed over");
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_; });
    busy_ = false;
}

SolveStats BackgroundFactor::take(std::unique_ptr<FactoredMatrix>& other) {
    wait();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    const SolveStats stats = stopped_ ? room_->factorize() : stats_;
    if (!stats.failed()) std::swap(room_, other);
    return stats;
}

void BackgroundFactor::drop() {
    if (busy_) wait();
    error_ = nullptr;
}

}  // namespace limber
