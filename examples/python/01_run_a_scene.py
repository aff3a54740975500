# SPDX-License-Identifier: Apache-2.0
"""01: what `limber run` does, from Python: a scene file into a run folder, and what it wrote read back.

    python3 examples/python/01_run_a_scene.py [SCENE [FOLDER]]
"""
import sys
import tempfile
from pathlib import Path

import limber

scenes = Path(__file__).resolve().parents[2] / "scenes"
scene = sys.argv[1] if len(sys.argv) > 1 else scenes / "sphere_drop.toml"
out = sys.argv[2] if len(sys.argv) > 2 else Path(tempfile.mkdtemp()) / "drop"

# 1. The run. Values as of --set; Ctrl-C saves it first.
run = limber.run(scene, out, set={"output.every": 60}, steps=120)
print(f"{run.folder}: {run.result.outcome} after step {run.result.last.step}, state {run.result.state_hash}")

# 2. steps.csv as a structured array, summary.json as a dict.
steps = run.steps
print(f"mean step {steps['wall_ms'].mean():.2f} ms, {steps['iterations'].sum()} iterations, version {run.summary['version']}")

# 3. Frames are read when they are asked for.
for step in run.frame_steps:
    for name, body in run.frame(step).items():
        print(f"step {step}: lowest point of {name} at y = {body.x[:, 1].min():.3f} m, largest stress {body.stress.max():.0f} Pa")
assert run.result.outcome == "done" and len(steps) == 120
