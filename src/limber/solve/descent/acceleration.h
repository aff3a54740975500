// SPDX-License-Identifier: Apache-2.0
#pragma once

// Step 4 of Algorithm 1, Wang & Yang 2016. Both methods are
//   q_{k+1} = q̄_{k+1} + w (q̄_{k+1} − r)
// with r = q_{k−1} (Chebyshev) or r = q̄_k (Nesterov).

#include <memory>
#include <vector>

#include "limber/solve/descent/options.h"
#include "limber/solve/descent/rules.h"

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

/// By ChebyshevRule.
class Chebyshev final : public Acceleration {
  public:
    explicit Chebyshev(const DescentOptions& options);
    void begin() override { rule_.begin(); }
    void restart() override { rule_.restart(); }
    bool take_blame() override { return rule_.take_blame(); }
    void acquit() override { rule_.acquit(); }
    double next_weight() override { return rule_.next_weight(); }
    double& caution() override { return rule_.caution; }

  private:
    std::vector<double> rho_;
    std::vector<int> end_;
    ChebyshevRule rule_;
};

/// By NesterovRule.
class Nesterov final : public Acceleration {
  public:
    void begin() override { rule_.restart(); }
    void restart() override { rule_.restart(); }
    bool take_blame() override { return rule_.take_blame(); }
    double next_weight() override { return rule_.next_weight(); }
    bool before_momentum() const override { return true; }
    bool watches_slope() const override { return true; }

  private:
    NesterovRule rule_;
};

/// Where the phases of chebyshev end, but the last [iterations].
std::vector<int> phase_ends(const DescentOptions& options);
/// The kind that `automatic` stands for.
AccelerationKind acceleration_kind(const DescentOptions& options);
std::unique_ptr<Acceleration> make_acceleration(const DescentOptions& options);

}  // namespace limber
