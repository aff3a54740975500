// SPDX-License-Identifier: Apache-2.0
#pragma once

// Step 4 of Algorithm 1, Wang & Yang 2016. Both methods are
//   q_{k+1} = q̄_{k+1} + w (q̄_{k+1} − r)
// with r = q_{k−1} (Chebyshev) or r = q̄_k (Nesterov).

#include <memory>

#include "limber/solve/descent/options.h"

namespace limber {

class Acceleration {
  public:
    virtual ~Acceleration() = default;
    /// A new step of time.
    virtual void begin() {}
    /// The iterates before the present one no longer count.
    virtual void restart() {}
    /// The energy rose. True: momentum may be to blame; it was restarted and will be more careful.
    virtual bool take_blame() { return false; }
    /// It was not the momentum: a rise followed without any.
    virtual void acquit() {}
    /// w of the iteration that comes.
    virtual double next_weight() { return 0; }
    /// r is the last iterate before momentum, not the one with it.
    virtual bool before_momentum() const { return false; }
    /// Wants to be restarted where the momentum points uphill; costs a dot product an iteration.
    virtual bool watches_slope() const { return false; }
    /// What it remembers from step to step.
    virtual double& caution() { return none_; }

  private:
    double none_ = 1;
};

/// Chebyshev's semi-iterative method in phases, section 4.3. Weights as the text leaves them out:
/// ω = 1 in the first S iterations of a step, then 2 / (2 − ρ²), then 4 / (4 − ρ² ω), and w = ω −
/// 1; a new phase or a restart begins with one plain iteration. Where the energy rose 1 − ρ grows
/// fourfold, and every step of time takes half of that back, so that the ρ of a body near its
/// minimum may be bold.
class Chebyshev final : public Acceleration {
  public:
    explicit Chebyshev(const DescentOptions& options);
    void begin() override;
    void restart() override { stage_ = 0; }
    bool take_blame() override;
    void acquit() override;
    double next_weight() override;
    double& caution() override { return caution_; }

  private:
    std::vector<double> rho_;
    std::vector<int> end_;  // of each phase but the last
    int warm_up_;
    int k_ = 0, stage_ = 0;
    std::size_t phase_ = 0;
    double omega_ = 1;
    double caution_ = 1;  // factor of 1 − ρ, kept from step to step
};

/// Nesterov's method, restarted where the momentum points uphill (O'Donoghue & Candès 2015).
class Nesterov final : public Acceleration {
  public:
    void begin() override { restart(); }
    void restart() override { theta_ = 1; }
    bool take_blame() override;
    double next_weight() override;
    bool before_momentum() const override { return true; }
    bool watches_slope() const override { return true; }

  private:
    double theta_ = 1;
};

std::unique_ptr<Acceleration> make_acceleration(const DescentOptions& options);

}  // namespace limber
