# SPDX-License-Identifier: Apache-2.0
"""07: a design loop with SciPy: how stiff must a bar be to sink by 5 cm? Without gradients: the same input gives the same
bits, so that differences between runs are of the design and not of noise."""
import limber
from scipy.optimize import brentq

scene = limber.Scene(time={"step": 0.02, "end": 1, "analysis": "static"}, solver={"kind": "newton"})
scene.material("rubber", kind="corotated", young="1 MPa", poisson=0.4, density=1000)
scene.body("bar", shape="beam", size=[1, 0.1, 0.1], cells=[20, 4, 4], material="rubber")
scene.pin("bar", select={"side": "x-"})
scene.set("time.step=0.5")


def sinks(young):
    world = scene.world(set={"material.rubber.young": young})
    for _ in world.steps():
        pass
    tip = world.select("bar", side="x+")
    return float((world.rest - world.x)[tip, 1].mean())


young = brentq(lambda young: sinks(young) - 0.05, 1e6, 5e7, rtol=1e-4)
# Euler and Bernoulli: w = ρ g A L⁴ / (8 E I). Linear tets this coarse are stiffer than the bar they stand for.
theory = 1000 * 9.81 * 0.1 ** 2 * 1 / (8 * 0.05 * 0.1 ** 4 / 12)
print(f"E = {young / 1e6:.2f} MPa; a thin bar of theory takes {theory / 1e6:.2f} MPa")
assert abs(sinks(young) - 0.05) < 1e-4 and young < theory
