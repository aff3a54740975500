#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stub says what the module has: every name and every argument, both ways; and python/ has no words of its own for errors.

    stubs.py SOURCE   (limber on PYTHONPATH)
"""
import ast
import inspect
import pathlib
import re
import sys

import limber
from limber import _core

SOURCE = pathlib.Path(sys.argv[1])
faults = []


def expect(condition, what):
    if not condition:
        faults.append(what)


def arguments_at_run_time(function):
    """Names in the signature that pybind11 writes into the first line of the docstring; None where a *args is in it."""
    line = (function.__doc__ or "").splitlines()[0]
    inside = line[line.index("(") + 1:line.rindex(") ->")]
    depth, part, parts = 0, "", []
    for c in inside + ",":
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    names = [re.split(r"[:=]", p)[0].strip() for p in parts if p and p != "*"]
    return ["**" if name.startswith("**") else name for name in names]


def arguments_in_stub(node):
    a = node.args
    names = [x.arg for x in a.posonlyargs + a.args + a.kwonlyargs]
    return names + (["**"] if a.kwarg else [])


stub = ast.parse((SOURCE / "python" / "limber" / "_core.pyi").read_text())
classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
functions = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
for name in [n for n in vars(_core) if not n.startswith("__")]:
    expect(name in classes or name in functions, f"{name} is not in the stub")
for name in list(classes) + list(functions):
    expect(hasattr(_core, name), f"{name} is in the stub only")

SPECIAL = {"__getitem__", "__setitem__", "__delitem__", "__enter__", "__exit__", "__init__"}
for name, node in classes.items():
    cls = getattr(_core, name)
    if issubclass(cls, Exception):
        continue
    in_stub = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            in_stub.setdefault(item.name, item)
        elif isinstance(item, ast.AnnAssign):
            in_stub[item.target.id] = item
    there = {n for n in vars(cls) if not n.startswith("_") or n in SPECIAL}
    there -= {"__init__"} if "__init__" not in in_stub else set()
    expect(there == set(in_stub), f"{name}: only in the stub {set(in_stub) - there}, only in the module {there - set(in_stub)}")
    for method, item in in_stub.items():
        if not isinstance(item, ast.FunctionDef) or any(isinstance(d, ast.Name) and d.id == "property" for d in item.decorator_list):
            continue
        value = getattr(cls, method)
        if method in SPECIAL or inspect.isfunction(value):
            continue
        want, have = arguments_in_stub(item), arguments_at_run_time(value)
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in item.decorator_list)
        want = want if static else want[1:]
        have = have if static or not have or have[0] != "self" else have[1:]
        have = [h for h in have if h != "arg0" or static]
        expect(want == have, f"{name}.{method}: stub {want}, module {have}")
for name, node in functions.items():
    want, have = arguments_in_stub(node), arguments_at_run_time(getattr(_core, name))
    expect(want == have, f"{name}: stub {want}, module {have}")

expect(set(limber.__all__) <= set(dir(limber)), "__all__ names what is there")
for name in limber.__all__:
    expect(getattr(limber, name).__doc__, f"limber.{name} has no docstring")

for file in sorted((SOURCE / "python").rglob("*")):
    if file.suffix == ".py":
        for node in ast.walk(ast.parse(file.read_text())):
            expect(not isinstance(node, ast.Raise), f"{file.name}:{getattr(node, 'lineno', 0)}: an error of python/'s own")
    if file.suffix == ".cpp":
        for n, line in enumerate(file.read_text().splitlines(), 1):
            words = re.search(r"(?:throw|raise)\b.*\"", line)
            expect(not words, f"{file.name}:{n}: words of python/'s own for an error")
print("\n".join(faults) if faults else f"stubs: {len(classes)} classes and {len(functions)} functions are as the stub says")
sys.exit(1 if faults else 0)
