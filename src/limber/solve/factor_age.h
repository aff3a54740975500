// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace limber {

/// How old a stale factor may get when it only preconditions: learnt from the iterations that steps
/// need, for free motion and for every pass of contact by constraints. A step of age a that needs
/// too many, compared with those of a fresh factor, forbids that age; a few updates that nothing
/// forced allow one step more. Every age that fails again is tried half as often as before, so a
/// body that needs a fresh factor each step soon gets just that.
class FactorAge {
  public:
    explicit FactorAge(int target_iterations) : asked_(target_iterations) {}
    void reset() { *this = FactorAge(asked_); }
    /// Before each step: what an update costs, in factorisations. More than one where it discards
    /// what was solved with the old factor, as the columns of W of contact by constraints.
    void set_price(double factors) {
        target_ = static_cast<int>(std::lround(std::max(1.0, factors) * asked_));
    }

    /// Before a step: after one that needed too many iterations, and before the factor gets older
    /// than it was then.
    bool update_is_due() const { return last_iterations_ > limit() || age_ > max_age_; }
    /// Iterations with a stale factor after which the rest is cheaper with a fresh one: a new
    /// factor costs about as much as 8 to 12 of them (7 000 to 329 000 tets).
    int give_up() const { return limit() + target_; }

    /// After a step. `planned`: the whole factor was updated before the solve; `rescued`: in the
    /// midst of it, because it took too long; `iterations` are those with the factor at its end.
    void learn(int iterations, bool planned, bool rescued) {
        if (rescued) {
            if (!as_many(iterations, give_up())) forbid();
        } else if (!planned) {
            if (iterations > limit())
                suspect(iterations);
            else if (trying_ && age_ == max_age_)
                settle(first_patience);
        } else if (suspect_iterations_ > 0 && as_many(iterations, suspect_iterations_)) {
            max_age_ = max_age_before_;  // age was not to blame
        } else if (++calm_ >= patience_ && max_age_ < forever) {
            try_more();
        }
        if (planned || rescued) suspect_iterations_ = 0;
        // A stale factor that does better than a fresh one did: what makes it hard has gone.
        fresh_ = planned || rescued ? iterations : std::min(fresh_, iterations);
        last_iterations_ = iterations;
        age_ = planned || rescued ? 1 : std::min(age_ + 1, forever);
    }

    int age() const { return age_; }          // steps since the factor was last updated
    int max_age() const { return max_age_; }  // how old it may get

    /// All of it but the target, which is an option (core/history.h).
    template <class List, class Self>
    static void list_history(List& list, Self& self) {
        list.whole("factor_age.last_iterations", self.last_iterations_, 0, forever);
        list.whole("factor_age.fresh", self.fresh_, 0, forever);
        list.whole("factor_age.age", self.age_, 0, forever);
        list.whole("factor_age.max_age", self.max_age_, 0, forever);
        list.whole("factor_age.calm", self.calm_, 0, forever);
        list.whole("factor_age.patience", self.patience_, 0, forever);
        list.whole("factor_age.trying", self.trying_, 0, 1);
        list.whole("factor_age.suspect_iterations", self.suspect_iterations_, 0, forever);
        list.whole("factor_age.max_age_before", self.max_age_before_, 0, forever);
    }
    friend bool operator==(const FactorAge&, const FactorAge&) = default;

  private:
    static constexpr int forever = 1 << 30;
    static constexpr int first_patience = 8, longest_patience = 64;  // updates
    static constexpr int easy = 2;  // iterations of a fresh factor in single precision

    /// What a factor that is not in the way may need: contact between bodies, for one, stays
    /// outside it, and no update helps there.
    int limit() const { return target_ + std::max(0, fresh_ - easy); }
    /// Whether a fresh factor needs about as many iterations as a stale one did.
    bool as_many(int fresh, int stale) const {
        return fresh + std::max(target_ / 2, stale / 4) > stale;
    }
    void suspect(int iterations) {
        suspect_iterations_ = iterations;
        max_age_before_ = max_age_;
        forbid();
    }
    void forbid() {
        max_age_ = std::max(0, std::min(max_age_, age_ - 1));
        if (trying_) settle(std::min(2 * patience_, longest_patience));
        calm_ = 0;
    }
    void try_more() {
        ++max_age_;
        calm_ = 0;
        trying_ = true;
    }
    void settle(int patience) {
        trying_ = false;
        patience_ = patience;
    }

    int asked_;            // an option
    int target_ = asked_;  // at the price of this step
    int last_iterations_ = 0;
    int fresh_ = 0;  // iterations after the last update, or fewer seen since
    int age_ = 0;
    int max_age_ = forever;
    int calm_ = 0;  // planned updates since an age was forbidden
    int patience_ = first_patience;
    bool trying_ = false;           // max_age_ was just raised
    int suspect_iterations_ = 0;    // of the step that asked for the next update; 0: none
    int max_age_before_ = forever;  // that step
};

}  // namespace limber
