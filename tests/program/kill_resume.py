#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments, resume, and compare the bits with an unbroken run.

Usage: kill_resume.py PROGRAM [--times N] [--seed S]. Every trial kills the run up to four times, resuming with another
number of threads each time; half of the trials checkpoint after every step, so that many kills fall inside a write.
"""
import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

SCENE = """
limber = 1
[time]
step = 0.01
steps = 40
[solver]
kind = "{solver}"
[material.rubber]
kind = "corotated"
young = "200 kPa"
poisson = 0.4
density = 1000
[[body]]
name = "ball"
shape = "sphere"
radius = 0.2
cell = 0.08
material = "rubber"
translate = [0, 0.25, 0]
velocity = [1, -2, 0]
[[obstacle]]
shape = "plane"
normal = [0, 1, 0]
[contact]
method = "penalty"
[output]
checkpoint_every = {every}
"""


def command(program, scene, out, threads, resume):
    where = ["--resume", str(out)] if resume else ["-o", str(out)]
    return [program, "run", str(scene), *where, "--threads", str(threads), "--log", "json"]


def finish(cmd):
    done = subprocess.run(cmd, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(cmd)}\n{done.stderr}")


def state_hash(out):
    return json.loads((out / "summary.json").read_text())["state_hash"]


def trial(program, folder, scene, wanted, duration, dice):
    out = folder / "run"
    kills = 0
    for attempt in range(dice.randint(1, 4)):
        resume = any((out / "checkpoint").glob("step_*.limber")) if out.exists() else False
        if out.exists() and not resume:  # killed before its first checkpoint: start over
            subprocess.run(["rm", "-rf", str(out)], check=True)
        process = subprocess.Popen(
            command(program, scene, out, dice.choice([1, 2, 3]), resume),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        time.sleep(dice.uniform(0, duration))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    resume = any((out / "checkpoint").glob("step_*.limber")) if out.exists() else False
    if out.exists() and not resume:
        subprocess.run(["rm", "-rf", str(out)], check=True)
    finish(command(program, scene, out, 2, resume))
    found = state_hash(out)
    rows = (out / "steps.csv").read_text().splitlines()
    subprocess.run(["rm", "-rf", str(out)], check=True)
    if found != wanted:
        sys.exit(f"state {found} after kill and resume; {wanted} without (kills: {kills})")
    if len(rows) != 41:
        sys.exit(f"steps.csv has {len(rows) - 1} rows after resume; 40 steps were run")
    return kills


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    kills = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wanted, duration = {}, {}
        for every in (1, 7):
            scene = folder / f"scene{every}.toml"
            scene.write_text(SCENE.format(solver="corotational", every=every))
            started = time.monotonic()
            finish(command(arguments.program, scene, folder / f"whole{every}", 1, False))
            duration[every] = time.monotonic() - started
            wanted[every] = state_hash(folder / f"whole{every}")
        if wanted[1] != wanted[7]:
            sys.exit("checkpoints change the result")
        for number in range(arguments.times):
            every = (1, 7)[number % 2]
            kills += trial(arguments.program, folder, folder / f"scene{every}.toml", wanted[every], duration[every], dice)
    print(f"{arguments.times} of {arguments.times} runs end with the bits of the unbroken one ({kills} kills)")


if __name__ == "__main__":
    main()
