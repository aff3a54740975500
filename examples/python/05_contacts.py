# SPDX-License-Identifier: Apache-2.0
"""05: an observer of one's own that reads contacts: a ball lands, and where and how hard it touches is written down."""
import limber
import numpy as np

scene = limber.Scene(time={"step": 0.005, "end": 0.6})
scene.material("rubber", kind="corotated", young="200 kPa", poisson=0.4, density=1000)
scene.body("ball", shape="sphere", radius=0.2, cells=[4], material="rubber", translate=[0, 0.3, 0])
scene.obstacle(name="floor", shape="plane", normal=[0, 1, 0], friction=0.5)
world = scene.world()

landings, touching = [], False


@world.on_step
def watch(world, report):
    global touching
    contacts = world.contacts  # a record array: body, other, obstacle, nodes, position, normal, gap, force, ...
    pressing = contacts[contacts["force"][:, 1] > 0]
    if len(pressing) and not touching:
        landings.append(report.time)
    touching = len(pressing) > 0
    if touching:
        watch.hardest = max(watch.hardest, pressing["force"][:, 1].sum())


watch.hardest = 0.0
for report in world.steps():
    pass
weight = 9.81 * world.body("ball").mass
print(f"landings at {', '.join(f'{t:.3f} s' for t in landings)}; hardest push {watch.hardest:.0f} N, {watch.hardest / weight:.1f} times its weight")
print("what went wrong:", world.verdict or "nothing")
assert landings and abs(landings[0] - np.sqrt(2 * 0.1 / 9.81)) < 0.02 and watch.hardest > weight
