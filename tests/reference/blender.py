#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OBJ and MDD of `limber export`, opened in Blender (Debian: blender): every vertex of every frame, bit by bit.

  blender.py build/release/limber

Run by plain Python, it makes a run, exports it and starts Blender with this same file; inside Blender it imports the
OBJ, lays the MDD over it as a mesh cache and compares what Blender computes with the OBJ of each frame.
Exit code 77 where there is no Blender.
"""
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

SCENE = """limber = 1
[time]
step = 0.01
end = 0.2
[material.soft]
young = "100 kPa"
poisson = 0.3
density = 1000
[[body]]
name = "bar"
shape = "beam"
size = [1.0, 0.2, 0.2]
cells = [8, 2, 2]
material = "soft"
[[pin]]
body = "bar"
select = { side = "x-" }
[output]
every = 2
"""


def read_obj(path):
    """Vertices as the floats that the text stands for."""
    out = []
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("v "):
            out.append(tuple(struct.unpack("f", struct.pack("f", float(x)))[0] for x in line.split()[1:4]))
    return out


def in_blender(folder):
    import bpy

    objs = sorted(folder.glob("obj/bar_*.obj"))
    mdd = folder / "mdd" / "bar.mdd"
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.obj_import(filepath=str(folder / "mdd" / "bar.obj"), forward_axis="Y", up_axis="Z")
    body = bpy.context.selected_objects[0]
    cache = body.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "MDD"
    cache.filepath = str(mdd)
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
    cache.frame_start = 0
    cache.time_mode = "FRAME"
    cache.play_mode = "SCENE"
    cache.interpolation = "NONE"
    moved = 0.0
    for frame, path in enumerate(objs):
        bpy.context.scene.frame_set(frame)
        mesh = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
        got = [tuple(v.co) for v in mesh.vertices]
        want = read_obj(path)
        if got != want:
            worst = max((abs(a - b) for p, q in zip(got, want) for a, b in zip(p, q)), default=0)
            sys.exit(f"frame {frame}: {len(got)} vertices, {len(want)} wanted, {worst:.3g} m apart")
        moved = max(moved, *(abs(a - b) for p, q in zip(got, read_obj(objs[0])) for a, b in zip(p, q)))
    if len(objs) < 10 or moved < 1e-2:
        sys.exit(f"only {len(objs)} frames, moved by {moved:.3g} m: nothing was shown")
    print(f"blender {bpy.app.version_string}: {len(objs)} frames of {len(want)} vertices exact, moved by {moved:.3g} m")


def main():
    if "--" in sys.argv:  # inside Blender
        return in_blender(pathlib.Path(sys.argv[-1]))
    limber = pathlib.Path(sys.argv[1]).resolve()
    blender = shutil.which("blender")
    if not blender:
        print("skipped: no Blender here; tools/packages.sh blender installs it")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="limber_blender_") as name:
        folder = pathlib.Path(name)
        (folder / "scene.toml").write_text(SCENE)
        run = folder / "run"
        subprocess.run([limber, "run", folder / "scene.toml", "-o", run], check=True, stdout=subprocess.DEVNULL)
        for kind in ("obj", "mdd"):
            subprocess.run([limber, "export", run, "--to", kind, "-o", folder / kind], check=True, stdout=subprocess.DEVNULL)
        # Blender ends with 0 whatever a script does, but for --python-exit-code.
        done = subprocess.run([blender, "--background", "--factory-startup", "--python-exit-code", "1",
                               "--python", __file__, "--", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print("\n".join(l for l in done.stdout.splitlines() if l.startswith("blender ")) if done.returncode == 0 else done.stdout)
        sys.exit(done.returncode)


main()
