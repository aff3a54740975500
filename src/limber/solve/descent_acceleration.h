// SPDX-License-Identifier: Apache-2.0
#pragma once

// Step 4 of Algorithm 1, Wang & Yang 2016. Both methods are
//   q_{k+1} = q̄_{k+1} + w (q̄_{k+1} − r)
// with r = q_{k−1} (Chebyshev) or r = q̄_k (Nesterov).

#include <memory>

#include "limber/solve/descent_options.h"

namespace limber {

class Acceleration {
  public:
    virtual ~Acceleration() = default;
    /// A new step of time.
    virtual void begin() {}
    /// The iterates before the present one no longer count.
    virtual void restart() {}
    /// w of the iteration that comes.
    virtual double next_weight() { return 0; }
    /// r is the last iterate before momentum, not the one with it.
    virtual bool before_momentum() const { return false; }
    /// Wants to be restarted where the momentum points uphill; costs a dot product an iteration.
    virtual bool watches_slope() const { return false; }
};

/// Chebyshev's semi-iterative method in phases, section 4.3. Weights as the text leaves them out:
/// ω = 1 in the first S iterations of a step, then 2 / (2 − ρ²), then 4 / (4 − ρ² ω), and w = ω −
/// 1; a new phase or a restart begins with one plain iteration.
class Chebyshev final : public Acceleration {
  public:
    explicit Chebyshev(const DescentOptions& options);
    void begin() override;
    void restart() override { stage_ = 0; }
    double next_weight() override;

  private:
    std::vector<double> rho_;
    std::vector<int> end_;  // of each phase but the last
    int warm_up_;
    int k_ = 0, stage_ = 0;
    std::size_t phase_ = 0;
    double omega_ = 1;
};

/// Nesterov's method, restarted where the momentum points uphill (O'Donoghue & Candès 2015).
class Nesterov final : public Acceleration {
  public:
    void begin() override { restart(); }
    void restart() override { theta_ = 1; }
    double next_weight() override;
    bool before_momentum() const override { return true; }
    bool watches_slope() const override { return true; }

  private:
    double theta_ = 1;
};

std::unique_ptr<Acceleration> make_acceleration(const DescentOptions& options);

}  // namespace limber
