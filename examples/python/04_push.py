# SPDX-License-Identifier: Apache-2.0
"""04: pushing on a world. The tip of a bar is led along a circle by forces that a controller finds anew every step."""
import limber
import numpy as np

scene = limber.Scene(gravity=[0, 0, 0], time={"step": 0.01, "end": 4})
scene.material("rubber", kind="corotated", young="200 kPa", poisson=0.4, damping={"mass": 0, "stiffness": 0.02})
scene.body("bar", shape="beam", size=[1, 0.2, 0.2], cells=[10, 2, 2], material="rubber")
scene.pin("bar", select={"side": "x-"})
world = scene.world()
tip = world.select("bar", side="x+")

# 1. The one way in: node forces [N], added to the scene's loads until they are changed.
force = world.control.force
start, pulled = world.x[tip].mean(axis=0), np.zeros(3)
errors = []
for _ in range(400):
    angle = 2 * np.pi * world.time / 2
    target = start + 0.1 * np.array([0, np.sin(angle), 1 - np.cos(angle)])
    # 2. What is missing, its sum over time, and its speed: a controller as in any book.
    missing = target - world.x[tip].mean(axis=0)
    pulled += 40 * missing
    force[tip] = (1000 * missing + pulled - 60 * world.v[tip].mean(axis=0)) / len(tip)
    world.step()
    errors.append(np.linalg.norm(missing))

# 3. Pins can be led as well: their targets are positions.
hand = world.control.pin_target(0)
for _ in range(20):
    hand += [0, 0.005, 0]
    world.step()
print(f"mean distance from the circle in its second turn {1000 * np.mean(errors[200:]):.1f} mm, its radius is 100 mm")
print(f"the held end went up to y = {world.x[world.control.pins[0].nodes, 1].mean():.3f} m")
assert np.mean(errors[200:]) < 0.02
