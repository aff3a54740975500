# SPDX-License-Identifier: Apache-2.0
"""06: a mesh and its materials from arrays: a stiff tumour in soft tissue, tet by tet."""
import limber
import numpy as np

# 1. Any arrays do as a mesh; here those of a built-in shape.
shape = limber.Scene(time={"step": 0.01, "steps": 1})
shape.body("block", shape="box", size=[0.1, 0.05, 0.1], cells=[10, 5, 10])
world = shape.world()
nodes, tets = world.rest.copy(), world.tets.copy()


def sinks(tumour):
    """How far the top sinks in the middle when it is pressed, with the tets `tumour` of another material."""
    scene = limber.Scene(time={"step": 0.02, "end": 1}, gravity=[0, 0, 0])
    scene.material("tissue", kind="corotated", young="5 kPa", poisson=0.45)
    scene.material("tumour", kind="corotated", young="60 kPa", poisson=0.45)
    regions = [{"group": "tumour", "material": "tumour"}] if len(tumour) else None
    scene.body("tissue", mesh=(nodes, tets), groups={"tumour": tumour}, material="tissue", regions=regions)
    scene.pin("tissue", select={"side": "y-"})
    scene.force("tissue", total=[0, -1, 0], select={"side": "y+"})
    world = scene.world()
    world.step(50)
    top = world.select("tissue", side="y+")
    middle = top[np.linalg.norm(world.rest[top][:, [0, 2]] - world.rest[top][:, [0, 2]].mean(axis=0), axis=1) < 0.012]
    return float((world.rest - world.x)[middle, 1].mean())


# 2. Which tets belong to it is one line of NumPy.
centres = nodes[tets].mean(axis=1)
tumour = np.flatnonzero(np.linalg.norm(centres - nodes.mean(axis=0), axis=1) < 0.02)
healthy, ill = sinks(np.empty(0, np.int64)), sinks(tumour)
print(f"{len(tumour)} of {len(tets)} tets: the top sinks by {1000 * ill:.2f} mm in place of {1000 * healthy:.2f} mm")
assert 0 < ill < 0.9 * healthy
