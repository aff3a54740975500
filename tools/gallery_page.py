#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/gallery.md from the run folders gallery.sh made: gallery_page.py RUNS scene...

A scene without a run folder keeps the lines it has on the page; one without a picture is left out."""
import json
import os
import re
import sys

PAGE = "docs/gallery.md"
HEAD = """# Gallery

The scenes of the sources, as limber runs them: four moments of each, from the start. All shapes are limber's own, made by formulas
(`shapes.md`), with the counts of the sources; `limber list scenes` prints what each shows. `tools/gallery.sh [scene...]` runs
them, draws the strips and writes this page. Times are medians of a step with everything in it (contact, energies) on the machine
named, which was doing other work as well; the tables of the sources are measured by `limber bench`.
"""
GROUPS = {
    "Dahl and Bargteil 2019": "Early termination of conjugate gradients",
    "Hecht et al. 2012": "Updated sparse Cholesky factors",
    "Wang and Yang 2016": "Descent methods",
    "Zeng et al. 2022": "Contact with friction in real time",
}


def spaced(number):
    return f"{number:,}".replace(",", " ")


def first_comment(scene):
    with open(f"scenes/{scene}.toml") as file:
        return file.readline().lstrip("# ").strip()


def counts(bodies):
    nodes, tets = sum(b["nodes"] for b in bodies), sum(b["tets"] for b in bodies)
    number = f"{len(bodies)} bodies, " if len(bodies) > 1 else ""
    triangles = sum(b.get("triangles", 0) for b in bodies)
    cells = [f"{spaced(n)} {what}" for n, what in [(tets, "tets"), (triangles, "triangles of cloth")] if n]
    return f"{number}{spaced(nodes)} nodes, {', '.join(cells)}"


def section(runs, scene):
    with open(os.path.join(runs, scene, "summary.json")) as file:
        run = json.load(file)
    ms = run["wall_ms"]["p50"]
    return (
        f"### {scene}\n![{scene}](images/gallery/{scene}.png)\n\n{first_comment(scene)}\n\n"
        f"{counts(run['bodies'])}; solver `{run['solver']}`; {ms:.3g} ms a step over {run['steps']} steps on {run['threads']} "
        f"thread{'s' if run['threads'] > 1 else ''} of {run['cpu']}. `limber run scenes/{scene}.toml -o out/{scene}`\n"
    )


def old_sections():
    if not os.path.exists(PAGE):
        return {}
    with open(PAGE) as file:
        parts = re.split(r"^### (\w+)\n", file.read(), flags=re.M)
    bodies = [re.split(r"^## ", text, flags=re.M)[0].rstrip() + "\n" for text in parts[2::2]]
    return {name: f"### {name}\n{text}" for name, text in zip(parts[1::2], bodies)}


def main():
    runs, scenes = sys.argv[1], sys.argv[2:]
    old = old_sections()
    page = HEAD
    for source, subject in GROUPS.items():
        page += f"\n## {source}: {subject}\n"
        for scene in scenes:
            if source not in first_comment(scene):
                continue
            if not os.path.exists(f"docs/images/gallery/{scene}.png"):
                continue
            if os.path.exists(os.path.join(runs, scene, "summary.json")):
                page += "\n" + section(runs, scene)
            elif scene in old:
                page += "\n" + old[scene]
    with open(PAGE, "w") as file:
        file.write(page)


main()
