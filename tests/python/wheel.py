#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wheel is made without a network and works where it is installed.

    wheel.py SOURCE BUILD   (with BUILD nothing is compiled again)
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


with tempfile.TemporaryDirectory() as place:
    place = pathlib.Path(place)
    # setuptools writes beside the sources: into a copy of what it reads, then.
    copy = place / "source"
    copy.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "CMakeLists.txt"):
        shutil.copy(SOURCE / name, copy)
    shutil.copytree(SOURCE / "python", copy / "python")
    run("/usr/bin/python3", "-m", "build", "--wheel", "--no-isolation", "--outdir", place, copy, env={**os.environ, "LIMBER_BUILD": str(BUILD)})
    wheel = next(place.glob("limber-*-linux_x86_64.whl"))
    run("/usr/bin/python3", "-m", "venv", "--system-site-packages", place / "venv")
    python = place / "venv" / "bin" / "python3"
    run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    where = run(python, "-c", "import limber; print(limber.__file__, limber.__version__)", cwd=place)
    if "venv" not in where:
        sys.exit(f"another limber was imported: {where}")
    run(python, SOURCE / "examples" / "python" / "02_scene_in_code.py", cwd=place)
    print(f"wheel: {wheel.name}, {wheel.stat().st_size // 1000} kB, installed and run")
