#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the Python module costs beside the library: a view, a step, an observer, a checkpoint.

    PYTHONPATH=build/release/python python3 bench/python_binding.py [RESULT.md]

Medians of many calls on a bar of 63 nodes. The cost of a step is what passes between the call and its return, less the time
that the step itself reports. Exits with 1 where a view takes 1 us or a step 2 us.
"""
import statistics
import sys
import time

import limber

scene = limber.Scene(time={"step": 0.01, "end": 1}, gravity=[0, 0, 0])
scene.material("rubber", kind="corotated", young="500 kPa", poisson=0.4)
scene.body("bar", shape="beam", size=[0.6, 0.1, 0.1], cells=[6, 2, 2], material="rubber")
scene.pin("bar", select={"side": "x-"})
world = scene.world()
clock = time.perf_counter_ns


def per_call(call, n=2000, rounds=50):
    """[us], the median of rounds of n calls, less the loop."""
    out = []
    for _ in range(rounds):
        begin = clock()
        for _ in range(n):
            pass
        middle = clock()
        for _ in range(n):
            call()
        out.append((clock() - middle - (middle - begin)) / n / 1000)
    return statistics.median(out)


def step_overhead(n=5000):
    out = []
    for _ in range(n):
        begin = clock()
        report = world.step()
        end = clock()
        out.append((end - begin) / 1000 - 1000 * report.wall_ms)
    return statistics.median(out)


limber.set_threads(1)
world.step(10)
view = per_call(lambda: world.x)
call = per_call(lambda: None)
step = step_overhead()
world.on_step(lambda w, r: None)
observed = step_overhead()
checkpoint = per_call(world.save, 100, 20)
rows = [("a view, `world.x`", view - call), ("a step beside its own time, `world.step()`", step),
        ("the same with an observer", observed), ("a checkpoint of 63 nodes, `world.save()`", checkpoint - call)]
text = f"# What the Python module costs\n\n{limber.build()}; `bench/python_binding.py`\n\n| call | us |\n| --- | --- |\n"
text += "".join(f"| {name} | {us:.2f} |\n" for name, us in rows)
print(text)
if len(sys.argv) > 1:
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text)
sys.exit(0 if rows[0][1] < 1 and step < 2 else 1)
