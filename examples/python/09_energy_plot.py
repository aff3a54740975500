# SPDX-License-Identifier: Apache-2.0
"""09: the energies of a run as a picture, with matplotlib.

    python3 examples/python/09_energy_plot.py [PICTURE]
"""
import sys
import tempfile
from pathlib import Path

import limber
import matplotlib

matplotlib.use("Agg")  # no window: a file
import matplotlib.pyplot as plt
import numpy as np

picture = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()) / "energy.png"
scene = limber.Scene(time={"step": 0.005, "end": 1.5})
scene.material("rubber", kind="corotated", young="500 kPa", poisson=0.4, damping={"mass": 0, "stiffness": 0.002})
scene.body("bar", shape="beam", size=[1, 0.2, 0.2], cells=[10, 2, 2], material="rubber")
scene.pin("bar", select={"side": "x-"})
world = scene.world()
rows = np.array([(r.time, r.kinetic, r.elastic, r.potential) for r in world.steps()])

t, kinetic, elastic, potential = rows.T
potential = potential - potential[0]
figure, axes = plt.subplots(figsize=(7, 4))
for energy, name in ((kinetic, "kinetic"), (elastic, "elastic"), (potential, "potential"), (kinetic + elastic + potential, "sum")):
    axes.plot(t, energy, label=name, linewidth=2.5 if name == "sum" else 1.5)
axes.set_xlabel("time [s]")
axes.set_ylabel("energy [J]")
axes.legend()
figure.savefig(picture, dpi=120, bbox_inches="tight")
print(f"{picture}: {picture.stat().st_size // 1024} kB")
total = kinetic + elastic + potential
assert total[-1] < total[0], "implicit Euler and damping take energy out"
