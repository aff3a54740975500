# SPDX-License-Identifier: Apache-2.0
"""Small scenes for the tests of the Python module."""
import pathlib

import limber

SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"


def bar(cells=(6, 2, 2), **keys):
    """A bar along x, held at x-."""
    scene = limber.Scene(time={"step": 0.01, "end": 1.0}, **keys)
    scene.material("rubber", kind="corotated", young="500 kPa", poisson=0.4, density=1000)
    scene.body("bar", shape="beam", size=[0.6, 0.1, 0.1], cells=list(cells), material="rubber")
    scene.pin("bar", select={"side": "x-"})
    return scene


def ball(**keys):
    """A ball thrown onto a floor, with friction."""
    scene = limber.Scene(time={"step": 0.01, "steps": 40}, **keys)
    scene.material("rubber", kind="corotated", young="100 kPa", poisson=0.4, density=1000)
    scene.body("ball", shape="sphere", radius=0.2, cells=[3], material="rubber", translate=[0, 0.22, 0], velocity=[1, -3, 0])
    scene.obstacle(shape="plane", normal=[0, 1, 0], name="floor")
    return scene
