#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts the output of real runs into docs/mesh_doctor.md: a block that begins with "$ " commands is run again.
set -euo pipefail
cd "$(dirname "$0")/.."
limber=$PWD/build/release/limber
[ -x "$limber" ] || { echo "tools/doctor_sample.sh: build first: cmake --preset release && ninja -C build/release" >&2; exit 2; }
LIMBER="$limber" /usr/bin/python3 - docs/mesh_doctor.md <<'PYTHON'
import os, pathlib, re, subprocess, sys, tempfile

page = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    def rerun(match):
        commands = [line for line in match.group(1).splitlines() if line.startswith("$ ")]
        script = "\n".join(re.sub("^limber ", os.environ["LIMBER"] + " ", c[2:]) for c in commands)
        done = subprocess.run(["bash", "-c", script], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return "```console\n" + "\n".join(commands) + "\n" + done.stdout + "```"
    page.write_text(re.sub(r"```console\n(.*?)```", rerun, page.read_text(), flags=re.S))
PYTHON
