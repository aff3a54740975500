# SPDX-License-Identifier: Apache-2.0
"""08: an environment for learning, in the shape of Gymnasium's and without importing it: a soft finger is to touch a point by
its tendon. reset() is a checkpoint in memory."""
from pathlib import Path

import limber
import numpy as np

SCENE = Path(__file__).resolve().parents[2] / "scenes" / "soft_finger.toml"


class Finger:
    """Action: how far the tendon is drawn in, 0 to 1 of 14 mm. Observation: tip and target [m]. Reward: closeness [mm]."""

    def __init__(self):
        self.world = limber.World(SCENE)
        x = self.world.rest
        self.tip = np.flatnonzero(x[:, 0] > x[:, 0].max() - 0.003)
        self.world.control["tendon"] = 0
        self.start = self.world.save()
        self.random = np.random.default_rng()

    def observe(self):
        return np.concatenate([self.world.x[self.tip].mean(axis=0)[:2], self.target])

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.world.restore(self.start)
        self.target = np.array([0.095, -0.01]) - np.array([0.01, 0.025]) * self.random.uniform(0, 1)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.world.control["tendon"] = 0.014 * float(np.clip(action, 0, 1))
        report = self.world.step(2, check=False)  # a failed step ends the episode
        self.steps += 1
        observation = self.observe()
        reward = -1000 * np.linalg.norm(observation[:2] - observation[2:])
        return observation, reward, report.failed, self.steps >= 15, {}


def episode(environment, policy, seed):
    observation, _ = environment.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        observation, reward, terminated, truncated, _ = environment.step(policy(observation))
        total += reward
        over = terminated or truncated
    return total


finger = Finger()
lazy = [episode(finger, lambda o: 0.0, seed) for seed in range(2)]
again = episode(finger, lambda o: 0.0, 0)
# Draws in more while the tip is above the target.
pull = {"now": 0.0}


def chase(observation):
    pull["now"] = float(np.clip(pull["now"] + 20 * (observation[1] - observation[3]), 0, 1)) if finger.steps else 0.0
    return pull["now"]


better = [episode(finger, chase, seed) for seed in range(2)]
print("return of doing nothing:", np.round(lazy, 1), "and of chasing the target:", np.round(better, 1))
assert lazy[0] == again, "an episode repeats to the bit"
assert sum(better) > sum(lazy)
