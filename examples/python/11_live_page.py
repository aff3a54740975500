# SPDX-License-Identifier: Apache-2.0
"""11: a world on the live page while Python steps it. A bar is swung by its held end; whoever opens the address can look, colour
and pull it with the mouse.

    python3 examples/python/11_live_page.py [SECONDS]
"""
import sys
import time

import limber
import numpy as np

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
scene = limber.Scene(time={"step": 0.01, "end": 1})
scene.material("rubber", kind="corotated", young="200 kPa", poisson=0.4)
scene.body("bar", shape="beam", size=[1, 0.2, 0.2], cells=[10, 2, 2], material="rubber")
scene.pin("bar", select={"side": "x-"})
world = scene.world()
hand = world.control.pin_target(0)
start = hand.copy()

# 1. From here on every step sends what there is to see, without waiting for whoever looks.
with limber.view(world) as view:
    print(f"open {view.url}\n(python3 11_live_page.py 600 for ten minutes)", flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        # 2. The program goes on as it would without the page.
        hand[:] = start + [0, 0.1 * np.sin(2 * np.pi * world.time), 0]
        report = world.step()
        time.sleep(max(0, world.h - report.wall_ms / 1000))  # no faster than real time
    # 3. Where no steps are taken, this shows the state of now.
    view.update()
    print(f"{world.step_number} steps, {view.clients} looked on to the end")
assert view.closed
