# SPDX-License-Identifier: Apache-2.0
"""What ptxas said of every kernel: registers, stack, spilled bytes, as a table. Exit 1 where a hot one spills: what every
iteration runs, in float, and the factor in both precisions. The spline law indexes its knots and keeps them on the stack whatever it does.
A step as one kernel (TileSweeps) saves registers around what it calls: at most SPILLED_BY_TILES in float.

    tools/cuda_registers.py BUILD_FOLDER
"""
import pathlib
import re
import subprocess
import sys

PROPERTIES = re.compile(
    r"Function properties for (\S+)\n\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n"
    r"ptxas info\s+: Used (\d+) registers")


HOT = re.compile(r"(TetGradient|ElementGradient|TetEnergy|ElementEnergy|Sweep)<(?!SplineLaw).*float|^(TetBody|HookeBody)<(?!SplineLaw)"
                 r"|factor_tiles<\w+, false>|substitute_tiles<")


TILES = re.compile(r"TileSweeps<(?!SplineLaw).*float")
SPILLED_BY_TILES = 850  # bytes


def short(symbol):
    name = subprocess.run(["c++filt", symbol], capture_output=True, text=True).stdout.strip()
    inside = re.match(r".*?(?:run|each|once|sum|grid)<(.*?)>\(", name)
    return (inside.group(1) if inside else name).replace("limber::gpu::(anonymous namespace)::", "").replace("limber::", "")


def main():
    logs = sorted(pathlib.Path(sys.argv[1], "cuda").glob("*.log"))
    if not logs:
        print("cuda_registers.py: no kernel was compiled", file=sys.stderr)
        return 2
    spills = 0
    print("| kernel | registers | stack bytes | spilled bytes |\n|---|---|---|---|")
    for log in logs:
        for symbol, stack, stores, loads, registers in PROPERTIES.findall(log.read_text()):
            spilled, name = int(stores) + int(loads), short(symbol).replace("gpu::", "")
            spills += spilled > 0 and bool(HOT.search(name)) and "TileSweeps" not in name
            spills += spilled > SPILLED_BY_TILES and bool(TILES.search(name))
            print(f"| {name} | {registers} | {stack} | {spilled} |")
    if spills:
        print(f"cuda_registers.py: {spills} hot kernel(s) spill (more) registers", file=sys.stderr)
    return 1 if spills else 0


if __name__ == "__main__":
    sys.exit(main())
