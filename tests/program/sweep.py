#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""limber sweep and run --sweep: however the runs of a plan are shared out, they come to the same hashes, and each is done once.

    sweep.py PROGRAM
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SCENE = """limber = 1
[time]
step = 0.01
steps = {steps}
[material.rubber]
young = "100 kPa"
[[body]]
name = "bar"
shape = "beam"
size = [0.4, 0.1, 0.1]
cells = {cells}
material = "rubber"
[[pin]]
body = "bar"
select = {{ side = "x-" }}
[output]
formats = []
"""


def limber(*arguments, expected=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if expected is not None and done.returncode != expected:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.returncode} instead of {expected}\n{done.stdout}{done.stderr}")
    return done


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def hashes(folder):
    plan = json.loads((folder / "sweep.json").read_text())
    return {tuple(run["values"]): json.loads((folder / run["folder"] / "summary.json").read_text())["state_hash"]
            for run in plan["runs"]}


with tempfile.TemporaryDirectory() as place:
    place = pathlib.Path(place)
    scene = place / "bar.toml"
    scene.write_text(SCENE.format(steps=12, cells=[8, 2, 2]))
    axes = ["material.rubber.young=1e5,2e5,4e5", "solver.kind=cholesky,newton"]

    def planned(name, *more):
        limber("sweep", "plan", scene, *axes, "-o", place / name, *more)
        return place / name

    # One after another; then again: nothing is left to do.
    serial = planned("serial")
    expect("6 of 6 runs to do" in limber("sweep", "run", serial).stdout, "six runs are done")
    expect("0 of 6 runs to do, 6 are there" in limber("sweep", "run", serial).stdout, "no run is done twice")
    expect(len(set(hashes(serial).values())) == 6, "other values, other states")

    # Two workers that know nothing of each other, jobs side by side, and xargs with a process for each share.
    apart = planned("apart")
    workers = [subprocess.Popen([PROGRAM, "sweep", "run", apart, "--only", f"{k}/2"], stdout=subprocess.DEVNULL) for k in (1, 2)]
    expect([w.wait() for w in workers] == [0, 0], "two workers")
    jobs = planned("jobs")
    limber("sweep", "run", jobs, "--jobs", 2)
    shared = planned("shared")
    subprocess.run(f"seq 3 | xargs -P2 -I{{}} '{PROGRAM}' sweep run '{shared}' --only {{}}/3 --threads 1", shell=True, check=True,
                   stdout=subprocess.DEVNULL)
    if shutil.which("parallel"):
        other = planned("parallel")
        subprocess.run(f"seq 3 | parallel -j2 '{PROGRAM}' sweep run '{other}' --only {{}}/3 --threads 1", shell=True, check=True,
                       stdout=subprocess.DEVNULL)
        expect(hashes(other) == hashes(serial), "GNU parallel: the hashes of one after another")
    for folder in (apart, jobs, shared):
        expect(hashes(folder) == hashes(serial), f"{folder.name}: the hashes of one after another")

    # A plan that grew keeps what was done: folders are named by what decides their results.
    limber("sweep", "plan", scene, axes[0] + ",8e5", axes[1], "-o", serial)
    expect("2 of 8 runs to do, 6 are there" in limber("sweep", "run", serial).stdout, "a larger plan keeps what is there")
    table = limber("sweep", "table", serial).stdout
    expect(table.count("| done") == 8 and (serial / "sweep.csv").read_text().count("\n") == 9, f"a row each: {table}")

    # Stopped, it saves; with --resume it goes on to the same bits.
    scene.write_text(SCENE.format(steps=200, cells=[12, 3, 3]))
    whole, stopped = planned("whole"), planned("stopped")
    limber("sweep", "run", whole, "--jobs", 2)
    # As by Ctrl-C at a terminal, which signals all that was started there.
    here = place / "here"
    sweeps = [word for axis in axes for word in ("--sweep", axis)]
    for folder, command, gone_on in [(stopped, ["sweep", "run", stopped, "--jobs", "2"], ["sweep", "run", stopped, "--jobs", "2", "--resume"]),
                                     (here, ["run", scene, *sweeps, "-o", here], ["run", scene, *sweeps, "--resume", here])]:
        worker = subprocess.Popen([PROGRAM, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        begun = time.monotonic()
        while not list(folder.glob("*/steps.csv")) and time.monotonic() < begun + 60:
            time.sleep(0.02)
        os.killpg(worker.pid, signal.SIGINT)
        said = worker.communicate()
        expect(worker.returncode == 128 + signal.SIGINT, f"ends with the signal's code: {worker.returncode} {said}")
        expect(list(folder.glob("*/checkpoint/*.limber")), "what was running is saved")
        limber(*gone_on)
        expect(hashes(folder) == hashes(whole), "stopped and gone on with: the same hashes")

    # Mistakes.
    for arguments, text in [(("sweep", "plan", scene, "solver.kind=magic", "-o", place / "bad"), "solver.kind = \"magic\""),
                            (("sweep", "plan", scene, "young", "-o", place / "bad"), "wanted path=value"),
                            (("sweep", "run", serial, "--only", "3/2"), "wanted K/N"),
                            (("sweep", "table", scene.parent / "serial" / "logs"), "sweep.json")]:
        done = limber(*arguments, expected=None)
        expect(done.returncode in (2, 4) and text in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")
    expect(not (place / "bad").exists(), "a plan with a mistake is not written")
    for broken in ("{", '{"sweep": 2}', '{"sweep": 1, "scene": "x", "sets": [], "axes": [], "runs": [{"folder": "../../etc"}]}'):
        os.makedirs(place / "broken", exist_ok=True)
        (place / "broken" / "sweep.json").write_text(broken)
        done = limber("sweep", "run", place / "broken", expected=2)
        expect("not a plan of a sweep" in done.stderr, done.stderr)
print("sweep: however the runs are shared out, they come to the same hashes")
