#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static displacements and natural frequencies of limber beside CalculiX's (Debian: calculix-ccx).

Both get the same mesh of linear tets, the same supports and the same nodal loads, so what is left is the
difference of two codes that share nothing: the assembly, the laws and the solvers.

  calculix.py build/release/limber
"""
import argparse
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import meshio
import numpy

LENGTH, WIDTH = 1.0, 0.2


def box_mesh(folder, n=(10, 2, 2)):
    """A bar of cells cut into six tets each, written as a mesh file for limber."""
    nx, ny, nz = n
    index = lambda i, j, k: (i * (ny + 1) + j) * (nz + 1) + k
    points = [(LENGTH * i / nx, WIDTH * j / ny, WIDTH * k / nz)
              for i in range(nx + 1) for j in range(ny + 1) for k in range(nz + 1)]
    tets = []
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                for order in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
                    at = [i, j, k]
                    corners = [index(*at)]
                    for axis in order:
                        at[axis] += 1
                        corners.append(index(*at))
                    p = numpy.array([points[c] for c in corners])
                    if numpy.linalg.det(p[1:] - p[0]) < 0:
                        corners[2], corners[3] = corners[3], corners[2]
                    tets.append(corners)
    points = numpy.array(points)
    path = folder / "bar.vtu"
    meshio.write(path, meshio.Mesh(points, [("tetra", numpy.array(tets))]), binary=True)
    return path, points, numpy.array(tets)


def limber_scene(folder, mesh, material, time, extra=""):
    scene = folder / "scene.toml"
    scene.write_text(f"""limber = 1
gravity = [0, 0, 0]
[time]
{time}
[solver]
kind = "newton"
rel_tolerance = 1e-11
[material.m]
density = 1000
{material}
[[body]]
name = "bar"
mesh = "{mesh.name}"
material = "m"
mass = "consistent"
[[pin]]
body = "bar"
select = {{ side = "x-" }}
{extra}
""")
    return scene


def run_limber(limber, scene, folder):
    out = folder / "run"
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([limber, "run", scene, "-o", out], check=True, capture_output=True)
    return out


def run_calculix(folder, points, tets, material, step, result="job.dat"):
    # ccx reads at most 20 characters a number.
    lines = ["*NODE"]
    lines += [f"{i + 1},{p[0]:.12g},{p[1]:.12g},{p[2]:.12g}" for i, p in enumerate(points)]
    lines += ["*ELEMENT,TYPE=C3D4,ELSET=ALL"]
    lines += [f"{e + 1}," + ",".join(str(c + 1) for c in tet) for e, tet in enumerate(tets)]
    fixed = [i + 1 for i, p in enumerate(points) if p[0] < 1e-9]
    lines += ["*NSET,NSET=FIXED"] + [f"{i}," for i in fixed]
    lines += ["*NSET,NSET=EVERY,GENERATE", f"1,{len(points)},1"]
    lines += ["*BOUNDARY", "FIXED,1,3", "*MATERIAL,NAME=M", material, "*DENSITY", "1000.",
              "*SOLID SECTION,ELSET=ALL,MATERIAL=M"] + step
    (folder / "job.inp").write_text("\n".join(lines) + "\n")
    done = subprocess.run(["ccx", "-i", "job"], cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0 or not (folder / result).exists():
        sys.exit(f"ccx failed:\n{done.stdout[-2000:]}")
    return (folder / result).read_text()


def displacements(dat, n):
    block = dat[dat.rindex("displacements (vx,vy,vz)"):]
    u = numpy.zeros((n, 3))
    for row in re.findall(r"^\s+(\d+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$", block, re.M):
        u[int(row[0]) - 1] = [float(v) for v in row[1:]]
    return u


def static_case(limber, name, ours, theirs, total, nonlinear, tolerance):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        mesh, points, tets = box_mesh(folder)
        end = [i for i, p in enumerate(points) if p[0] > LENGTH - 1e-9]
        share = [t / len(end) for t in total]
        loads = folder / "loads.csv"
        loads.write_text("node,fx,fy,fz\n" + "".join(f"{i},{share[0]!r},{share[1]!r},{share[2]!r}\n" for i in end))
        scene = limber_scene(folder, mesh, ours, 'analysis = "static"\nstep = 1\nsteps = 1',
                             '[[force]]\nbody = "bar"\nfile = "loads.csv"')
        out = run_limber(limber, scene, folder)
        result = meshio.read(out / "vtu" / "bar_000001.vtu")
        u = numpy.asarray(result.point_data["displacement"])
        rest = numpy.asarray(result.point_data["rest"])
        if not numpy.allclose(rest, points, atol=1e-12):
            sys.exit(f"{name}: the two codes do not have the same nodes in the same order")
        step = ["*STEP,NLGEOM" if nonlinear else "*STEP", "*STATIC", "1.,1." if not nonlinear else "0.2,1."]
        if nonlinear:
            step += ["*CONTROLS,PARAMETERS=FIELD", "1e-9,1e-9"]
        step += ["*CLOAD"] + [f"{i + 1},{axis + 1},{share[axis]:.12g}" for i in end for axis in range(3) if share[axis]]
        step += ["*NODE PRINT,NSET=EVERY", "U", "*END STEP"]
        reference = displacements(run_calculix(folder, points, tets, theirs, step), len(points))
        error = numpy.abs(u - reference).max() / numpy.abs(reference).max()
        good = error < tolerance
        print(f"{name:28s} largest displacement {numpy.abs(reference).max():.4e} m, difference {error:.1e} of it"
              f" (allowed {tolerance:.0e}): {'yes' if good else 'NO'}")
        return good


def modal_case(limber):
    """CalculiX's stiffness with the consistent mass of linear tets: its own mass of C3D4 is integrated at one point."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        mesh, points, tets = box_mesh(folder)
        scene = limber_scene(folder, mesh, 'kind = "linear"\nyoung = 1e6\npoisson = 0.3',
                             'analysis = "modal"\nmodes = 8')
        out = run_limber(limber, scene, folder)
        ours = [float(row["frequency_hz"]) for row in csv.DictReader(open(out / "modes.csv"))]
        run_calculix(folder, points, tets, "*ELASTIC\n1e6,0.3",
                     ["*STEP", "*FREQUENCY,SOLVER=MATRIXSTORAGE", "8", "*END STEP"], result="job.sti")
        dofs = [line.split(".") for line in (folder / "job.dof").read_text().split()]
        place = {3 * (int(node) - 1) + int(axis) - 1: k for k, (node, axis) in enumerate(dofs)}
        K = numpy.zeros((len(dofs), len(dofs)))
        for line in (folder / "job.sti").read_text().splitlines():
            i, j, value = line.split()
            K[int(i) - 1, int(j) - 1] = K[int(j) - 1, int(i) - 1] = float(value)
        M = numpy.zeros_like(K)
        for tet in tets:
            p = points[tet]
            mass = 1000 * numpy.linalg.det(p[1:] - p[0]) / 6
            for a in tet:
                for b in tet:
                    for axis in range(3):
                        i, j = place.get(3 * a + axis), place.get(3 * b + axis)
                        if i is not None and j is not None:
                            M[i, j] += mass / (10 if a == b else 20)
        inverse = numpy.linalg.inv(numpy.linalg.cholesky(M))
        theirs = numpy.sqrt(numpy.linalg.eigvalsh(inverse @ K @ inverse.T)[:8]) / (2 * numpy.pi)
        error = max(abs(a - b) / b for a, b in zip(ours, theirs))
        good = error < 1e-6
        print(f"{'natural frequencies':28s} {theirs[0]:.4f} to {theirs[-1]:.4f} Hz, difference {error:.1e}"
              f" (allowed 1e-06): {'yes' if good else 'NO'}")
        return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("limber", type=pathlib.Path)
    limber = str(parser.parse_args().limber.resolve())
    if not shutil.which("ccx"):
        print("skipped: no ccx; Debian's package is calculix-ccx")
        return
    young, poisson = 1e6, 0.3
    mu, bulk = young / (2 * (1 + poisson)), young / (3 * (1 - 2 * poisson))
    good = [
        static_case(limber, "linear, end load", f'kind = "linear"\nyoung = {young}\npoisson = {poisson}',
                    f"*ELASTIC\n{young},{poisson}", (0, -20, 5), False, 2e-5),
        # U = C10 (I1 - 3) + (J - 1)^2 / D1 with isochoric invariants: s0 = C10, s1 = 1 / D1.
        static_case(limber, "neo-Hookean, bent", f'kind = "neo_hookean"\ns0 = {mu / 2!r}\ns1 = {bulk / 2!r}',
                    f"*HYPERELASTIC,NEO HOOKE\n{mu / 2:.12g},{2 / bulk:.12g}", (0, -250, 0), True, 2e-5),
        static_case(limber, "Mooney-Rivlin, pulled",
                    f'kind = "mooney_rivlin"\ns0 = {mu / 4!r}\ns1 = {bulk / 2!r}\ns2 = {mu / 4!r}',
                    f"*HYPERELASTIC,MOONEY-RIVLIN\n{mu / 4:.12g},{mu / 4:.12g},{2 / bulk:.12g}", (8000, 0, 0), True, 2e-5),
        modal_case(limber),
    ]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
