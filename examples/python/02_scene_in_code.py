# SPDX-License-Identifier: Apache-2.0
"""02: a scene put together in code. Keys, units and checks are those of scene files; save() gives the file."""
import tempfile
from pathlib import Path

import limber

# 1. Top-level tables are keyword arguments, bodies and the rest are methods.
scene = limber.Scene(gravity=[0, -9.81, 0], time={"step": "10 ms", "end": "1 s"})
scene.material("rubber", kind="corotated", young="500 kPa", poisson=0.4, density=1000)
scene.body("bar", shape="beam", size=[1, 0.2, 0.2], cells=[10, 2, 2], material="rubber")
scene.pin("bar", select={"side": "x-"})

# 2. A mistake is told as for a file.
try:
    scene.set("material.rubber.poisson=0.7")
    scene.check()
except limber.InputError as error:
    print(error)
scene.set({"material.rubber.poisson": 0.4})

# 3. The same scene as a file, for `limber run` and for others.
file = Path(tempfile.mkdtemp()) / "bar.toml"
scene.save(file)
print(file.read_text())

# 4. Both come to the same bits.
world, again = scene.world(), limber.World(file)
world.step(20)
again.step(20)
print(world, world.state_hash)
assert world.state_hash == again.state_hash
