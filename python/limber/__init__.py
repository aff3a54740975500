# SPDX-License-Identifier: Apache-2.0
"""Soft bodies by the finite element method.

    import limber
    world = limber.World("my_bar.toml")          # or a limber.Scene made in code
    for report in world.steps(60):
        print(report.time, world.x.max(axis=0))

World.x, World.v and the other arrays are views of the world's own memory: they show the present state for as long as the world
lives; copy() what is to be kept. World.control is the way in: forces, gravity, pins, cables and cavities, written between steps.
docs/python.md has the whole of it.
"""
import webbrowser

from ._core import (Body, Control, Drive, Frame, InputError, KeyInfo, Pin, Scene, StepFailed, StepReport, View, World, build,
                    keys, set_threads, threads, version)
from ._run import Run, run

__version__ = version()
__all__ = ["Body", "Control", "Drive", "Frame", "InputError", "KeyInfo", "Pin", "Run", "Scene", "StepFailed", "StepReport",
           "View", "World", "build", "keys", "run", "set_threads", "threads", "version", "view"]


def _steps(self, n=None):
    """Takes n steps, or those up to the scene's end, and yields the report of each."""
    left = max(0, self.last_step - self.step_number) if n is None else n
    for _ in range(left):
        yield self.step()


World.steps = _steps


def view(world, port=0, host="", browser=False):
    """The live page of a world that goes on being stepped: a View, whose `url` a browser opens.

    port: 0 for any free one. host: the address to listen on, "0.0.0.0" for all; this machine only without it. browser: opens
    the page in one. Every step sends what there is to see and does what the page asks for; where none are taken update() does.
    The page is there until close(), the end of a `with`, or until nobody holds the View any longer.
    """
    page = View(world, port, host)
    if browser:
        webbrowser.open(page.url)
    return page
