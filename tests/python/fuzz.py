#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever comes through the binding, the interpreter lives and errors are exceptions.

    fuzz.py [EXAMPLES]

Draws arrays of any shape, type and stride, documents of any values and orders of calls; each is taken, or refused with an
InputError (or one of Python's own errors for its own conversions). At the end the world still steps to the bits of one that was
left in peace.
"""
import sys

import limber
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from samples import bar

EXAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 200
OURS = (limber.InputError, limber.StepFailed)
PYTHONS = (TypeError, OverflowError, UnicodeEncodeError, KeyError)  # what a conversion of arguments may say

dtypes = st.sampled_from(["f2", "f4", "f8", ">f8", "i1", "i2", "i4", "i8", "u1", "u8", ">i4", "c16", "?", "U3", "O", "M8[s]", "V4"])
shapes = st.one_of(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6), st.just((63, 3)), st.just((5, 4)), st.just((3,)))


@st.composite
def arrays(draw):
    dtype, shape = np.dtype(draw(dtypes)), draw(shapes)
    if dtype.kind in "fc":
        fill = draw(st.sampled_from([0.0, 1.0, -1e300, np.nan, np.inf, 1e-320]))
        array = np.full(shape, fill if dtype.itemsize > 2 or abs(fill) < 1e4 else 0, dtype)
    elif dtype.kind in "iu":
        array = np.full(shape, draw(st.sampled_from([0, 1, 3, 100])), dtype)
        if array.size and draw(st.booleans()):
            array.flat[0] = np.iinfo(dtype).max
    else:
        array = np.zeros(shape, dtype)
    if array.ndim and draw(st.booleans()):
        array = np.repeat(array, 2, axis=0)[:: draw(st.sampled_from([2, -2, -1]))]
    if array.ndim > 1 and draw(st.booleans()):
        array = np.asfortranarray(array)
    return array


values = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4),
                      lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=8)
tables = st.sampled_from(["material", "pin", "force", "obstacle", "probe", "attach", "cable", "cavity", "needle", "body"])
keys = st.sampled_from([info.key for name in ("pin", "force", "obstacle", "body", "probe", "material") for info in limber.keys(name)])

victim, untouched = bar(cells=(3, 2, 2)).world(), bar(cells=(3, 2, 2)).world()
start = victim.save()


def safely(call):
    try:
        return call()
    except (*OURS, *PYTHONS):
        return None


def setting(share):
    return settings(max_examples=max(20, int(EXAMPLES * share)), deadline=None, database=None, derandomize=True,
                    suppress_health_check=list(HealthCheck))


@setting(0.35)
@given(arrays(), st.sampled_from(["force", "gravity"]))
def control(array, name):
    safely(lambda: setattr(victim.control, name, array))
    safely(lambda: victim.step(check=False))
    victim.restore(start)


@setting(0.25)
@given(arrays(), arrays(), st.dictionaries(st.text(max_size=5), arrays(), max_size=2), st.text(max_size=5))
def meshes(nodes, tets, groups, name):
    scene = limber.Scene(time={"step": 0.01, "steps": 1})
    if safely(lambda: scene.body(name, mesh=(nodes, tets), groups=groups or None)) is not None:
        safely(lambda: scene.world().step(check=False))


@setting(0.25)
@given(tables, st.text(max_size=6), st.dictionaries(keys | st.text(max_size=6), values, max_size=4), values)
def documents(table, name, entries, extra):
    scene = bar(cells=(2, 1, 1))
    entries = {k: v for k, v in entries.items() if k not in ("self", "name", "body", "mesh", "groups")}
    first = () if table in ("obstacle", "attach", "cable", "needle") else (name,)
    safely(lambda: getattr(scene, table)(*first, **entries))
    safely(lambda: limber.Scene.of({"limber": 1, "time": extra}).check())
    safely(scene.check)
    text = safely(scene.toml)
    if text is not None:
        safely(lambda: limber.Scene.parse(text))
    safely(lambda: scene.set({name: extra}))
    safely(lambda: limber.Scene.parse(name + "=" + str(extra)))


@setting(0.15)
@given(st.lists(st.tuples(st.sampled_from(["step", "pin", "drive", "restore", "select", "release", "body", "clear", "views"]),
                          st.integers(-3, 2 ** 40), st.text(max_size=4), st.binary(max_size=40)), max_size=6))
def calls(orders):
    for what, number, text, data in orders:
        if what == "step":
            safely(lambda: victim.step(min(number, 2), check=False))
        elif what == "pin":
            target = safely(lambda: victim.control.pin_target(number if number < 0 else number % 3))
            if target is not None:
                target[:] = np.frombuffer(data.ljust(8, b"\xff")[:8], float)[0]
        elif what == "drive":
            safely(lambda: victim.control.__setitem__(text, float(number)))
        elif what == "restore":
            safely(lambda: victim.restore(start[:number % 200] + data))
        elif what == "select":
            safely(lambda: victim.select("bar", **{text: number}))
        elif what == "release":
            safely(lambda: victim.control.release_pin(number))
        elif what == "body":
            safely(lambda: victim.body(text))
        elif what == "clear":
            victim.control.clear()
        else:
            [getattr(victim, name).sum() for name in ("x", "v", "stress", "mass")]
    victim.restore(start)


for test in (control, meshes, documents, calls):
    test()
victim.restore(start)
victim.step(5)
untouched.step(5)
assert victim.state_hash == untouched.state_hash
print(f"fuzz: {EXAMPLES} examples")
