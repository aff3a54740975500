# SPDX-License-Identifier: Apache-2.0
"""Lines of bench_vector_level on standard input -> a Markdown table and what is asked of it."""
import platform
import sys

COLUMNS = ["level", "dgemm GFLOP/s", "tile GFLOP/s", "factor ms", "float factor ms", "solve ms", "CG iteration ms",
           "rotations + forces ms", "assembly ms", "descent sweep float ms", "double ms"]
rows = [line.split("\t") for line in sys.stdin.read().splitlines()]
by_level = {row[0]: [float(v) for v in row[1:]] for row in rows}
cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
family = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("cpu family")), "?")
print(f"# Vector levels ({cpu}, family {family}, {platform.libc_ver()[0]} {platform.libc_ver()[1]}, commit {sys.argv[1]})\n")
print("`tools/vector_levels.sh`: sculpture of 58K tets, one thread, CPU time, least of nine; dgemm is OpenBLAS's in the same run.\n")
print("| " + " | ".join(COLUMNS) + " |")
print("|" + "---|" * len(COLUMNS))
for row in rows:
    print("| " + " | ".join(row) + " |")
print()


def claim(text, holds):
    print(f"- {text}: {'yes' if holds else 'NO'}")


native = by_level.get("native")
if native:
    dgemm, tile, factor = native[0], native[1], native[2]
    claim(f"the native tile reaches 90 % of dgemm ({100 * tile / dgemm:.0f} %)", tile >= 0.9 * dgemm)
    for level, times in (("v3", 2), ("baseline", 5)):
        if level in by_level:
            for index, name in ((2, "factor"), (5, "CG iteration"), (6, "rotations + forces"), (8, "descent sweep, float")):
                ratio = by_level[level][index] / native[index]
                claim(f"{level} within {times} times of native, {name} ({ratio:.2f})", ratio <= times)
