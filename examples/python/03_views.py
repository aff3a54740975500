# SPDX-License-Identifier: Apache-2.0
"""03: arrays of a world are its own memory: taken once, they show every later state. copy() what is to be kept."""
import limber
import numpy as np

scene = limber.Scene(time={"step": 0.01, "end": 1})
scene.material("rubber", kind="corotated", young="500 kPa", poisson=0.4)
scene.body("bar", shape="beam", size=[1, 0.2, 0.2], cells=[10, 2, 2], material="rubber")
scene.pin("bar", select={"side": "x-"})
world = scene.world()

x, stress = world.x, world.stress  # taken once; stress is measured every step from now on
tip = world.select("bar", side="x+")
path = []
for report in world.steps(60):
    path.append(x[tip].mean(axis=0))  # a mean is a copy
path = np.array(path)

print(f"the tip sinks by {path[0, 1] - path[:, 1].min():.3f} m")
worst = stress.argmax()
print(f"largest stress {stress[worst]:.0f} Pa, in tet {worst} at x = {x[world.tets[worst], 0].mean():.2f} m")
assert x is not world.x and np.shares_memory(x, world.x) and not x.flags.writeable
assert path[0, 1] - path[:, 1].min() > 0.05
