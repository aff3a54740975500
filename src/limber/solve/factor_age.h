// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>

namespace limber {

/// How old a stale factor may get when it only preconditions: learnt from the iterations that steps
/// need. A step of age a that needs more than the target forbids that age; a few updates that
/// nothing forced allow one step more. Every age that fails again is tried half as often as before,
/// so a body that needs a fresh factor each step soon gets just that.
class FactorAge {
  public:
    explicit FactorAge(int target_iterations) : target_(target_iterations) {}
    void reset() { *this = FactorAge(target_); }

    /// Before a step: after one that needed too many iterations, and before the factor gets older
    /// than it was then.
    bool update_is_due() const { return last_iterations_ > target_ || age_ > max_age_; }

    /// After a step of so many iterations. `planned`: the whole factor was updated before the
    /// solve; `rescued`: in the midst of it, because it took too long.
    void learn(int iterations, bool planned, bool rescued) {
        last_iterations_ = rescued ? 0 : iterations;  // a rescue's were of the factor before
        if (!planned) {
            if (rescued || iterations > target_)
                forbid();
            else if (trying_ && age_ == max_age_)
                settle(first_patience);
        } else if (++calm_ >= patience_ && max_age_ < forever) {
            ++max_age_;
            calm_ = 0;
            trying_ = true;
        }
        age_ = planned || rescued ? 1 : age_ + 1;
    }

    int age() const { return age_; }          // steps since the factor was last updated
    int max_age() const { return max_age_; }  // how old it may get

    // History, as numbers for a checkpoint.
    std::array<double, 6> saved() const {
        return {double(last_iterations_), double(age_),   double(max_age_), double(calm_),
                double(patience_),        double(trying_)};
    }
    void restore(std::span<const double, 6> saved) {
        const auto count = [&](int k) {
            return static_cast<int>(std::clamp(saved[k], 0.0, double(forever)));
        };
        last_iterations_ = count(0);
        age_ = count(1);
        max_age_ = count(2);
        calm_ = count(3);
        patience_ = count(4);
        trying_ = count(5) != 0;
    }

  private:
    static constexpr int forever = 1 << 30;
    static constexpr int first_patience = 8, longest_patience = 512;  // updates

    void settle(int patience) {
        trying_ = false;
        patience_ = patience;
    }
    void forbid() {
        max_age_ = std::max(0, std::min(max_age_, age_ - 1));
        if (trying_) settle(std::min(2 * patience_, longest_patience));
        calm_ = 0;
    }

    int target_;
    int last_iterations_ = 0;
    int age_ = 0;
    int max_age_ = forever;
    int calm_ = 0;  // planned updates since an age was forbidden
    int patience_ = first_patience;
    bool trying_ = false;  // max_age_ was just raised
};

}  // namespace limber
