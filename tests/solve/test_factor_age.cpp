// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/factor_age.h"

#include <gtest/gtest.h>

#include <utility>

#include "limber/core/history.h"

namespace limber {
namespace {

constexpr int target = 8;

/// Steps of a body whose factor serves up to `good` steps of age and then needs too many
/// iterations; returns how many of them updated, in the plan or by a rescue.
struct AgingFactor {
    FactorAge age{target};
    int planned = 0, too_old = 0;

    void step(int good) {
        if (age.update_is_due()) {
            ++planned;
            age.learn(2, true, false);
        } else {
            const bool late = age.age() > good;
            too_old += late;
            age.learn(late ? 2 : 4, false, late);
        }
    }
};

TEST(FactorAge, asks_for_nothing_while_iterations_are_few) {
    AgingFactor factor;
    for (int k = 0; k < 1000; ++k) factor.step(1 << 20);
    EXPECT_EQ(factor.planned, 0);
    EXPECT_EQ(factor.age.age(), 1000);
}

TEST(FactorAge, asks_for_an_update_after_a_step_that_needed_too_many_iterations) {
    FactorAge age(target);
    age.learn(target, false, false);
    EXPECT_FALSE(age.update_is_due());
    age.learn(target + 1, false, false);
    EXPECT_TRUE(age.update_is_due());
    age.learn(1, true, false);
    EXPECT_EQ(age.age(), 1);
}

TEST(FactorAge, an_update_that_discards_more_than_the_factor_waits_for_more_iterations) {
    FactorAge age(target);
    age.set_price(2.5);  // columns of W that cost one and a half factors
    age.learn(20, false, false);
    EXPECT_FALSE(age.update_is_due());
    EXPECT_EQ(age.give_up(), 40);
    age.learn(21, false, false);
    EXPECT_TRUE(age.update_is_due());
    // What is asked for stays, whatever an update once cost.
    age.reset();
    EXPECT_EQ(age.give_up(), 2 * target);
}

TEST(FactorAge, a_rescued_step_leaves_a_fresh_factor_and_a_shorter_life) {
    FactorAge age(target);
    for (int k = 0; k < 5; ++k) age.learn(3, false, false);
    age.learn(2, false, true);
    EXPECT_FALSE(age.update_is_due());  // the factor is new
    EXPECT_EQ(age.max_age(), 4);
}

TEST(FactorAge, learns_how_long_a_factor_serves_and_tries_more_ever_more_rarely) {
    for (const int good : {0, 3}) {
        AgingFactor factor;
        for (int k = 0; k < 200; ++k) factor.step(good);
        const int early = factor.too_old;
        EXPECT_EQ(factor.age.max_age(), good);
        for (int k = 0; k < 2000; ++k) factor.step(good);
        EXPECT_GT(early, 1);
        // Patience doubles from 8 updates to 64; without it every ninth update would fail.
        EXPECT_LT(factor.too_old, 5 + factor.planned / 50);
    }
}

TEST(FactorAge, iterations_that_a_fresh_factor_needs_as_well_ask_for_no_update) {
    FactorAge age(target);
    age.learn(60, false, false);  // bodies meet
    EXPECT_TRUE(age.update_is_due());
    age.learn(50, true, false);  // and a new factor does not help
    for (int k = 0; k < 5; ++k) {
        EXPECT_FALSE(age.update_is_due());
        EXPECT_GT(age.give_up(), 50 + target);
        age.learn(52, false, false);
    }
    age.learn(3, false, false);  // they part
    EXPECT_FALSE(age.update_is_due());
    age.learn(target + 2, false, false);  // from now on few iterations are many again
    EXPECT_TRUE(age.update_is_due());
}

TEST(FactorAge, grows_again_when_the_body_comes_to_rest) {
    AgingFactor factor;
    for (int k = 0; k < 100; ++k) factor.step(0);
    for (int k = 0; k < 3000; ++k) factor.step(1 << 20);
    EXPECT_GT(factor.age.max_age(), 8);
}

/// Each number is compared, those as well that the next steps do not look at.
TEST(FactorAge, is_restored_from_its_history_after_every_step) {
    // Good, bad, hard even for a fresh factor, and good again: every branch of learn().
    const auto iterations = [](int k, bool fresh) {
        if (k % 37 < 9) return 3 + k % 3;
        if (k % 37 < 17) return fresh ? 2 : 7 + k % 4;
        return fresh ? 30 + k % 5 : 31 + k % 9;
    };
    FactorAge age(target);
    bool planned_once = false, rescued_once = false, stale_once = false;
    for (int k = 0; k < 2000; ++k) {
        const bool planned = age.update_is_due();
        const bool rescued = !planned && iterations(k, false) > age.give_up();
        age.learn(iterations(k, planned || rescued), planned, rescued);
        planned_once |= planned;
        rescued_once |= rescued;
        stale_once |= !planned && !rescued;
        ByteWriter bytes;
        HistoryWriter out(bytes);
        FactorAge::list_history(out, std::as_const(age));
        ByteReader reader(bytes.bytes(), "history");
        HistoryReader in(reader);
        FactorAge again(target);
        FactorAge::list_history(in, again);
        ASSERT_EQ(again, age) << k;
    }
    EXPECT_TRUE(planned_once && rescued_once && stale_once);
}

}  // namespace
}  // namespace limber
