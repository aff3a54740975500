#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cleans Google Benchmark's JSON of host names and paths, and writes README.md with one table a benchmark.

Usage: bench_table.py bench/results/<cpu>
"""
import json
import pathlib
import sys


def number(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


STANDARD = {
    "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "threads",
    "aggregate_name", "aggregate_unit", "iterations", "real_time", "cpu_time", "time_unit", "label",
}


def table(rows):
    counters = sorted({key for row in rows for key in row} - STANDARD)
    lines = ["| benchmark | time | " + " | ".join(counters) + " |", "| --- | --- |" + " --- |" * len(counters)]
    for row in rows:
        cells = [row["run_name"], f"{row['real_time']:.4g} {row['time_unit']}"]
        cells += [number(row[key]) if key in row else "" for key in counters]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    folder = pathlib.Path(sys.argv[1])
    machine = json.loads((folder / "machine.json").read_text())
    parts = [
        f"# Benchmarks on {machine['cpu']}",
        f"{machine['cores']} cores, {machine['memory_gib']:.0f} GiB, {machine['vector_instructions']}; "
        f"limber {machine['version']} ({machine['git']}), {machine['build']}. Medians of three repetitions; "
        "written by `tools/bench.sh`.",
    ]
    for path in sorted(folder.glob("*.json")):
        if path.name == "machine.json":
            continue
        data = json.loads(path.read_text())
        for key in ("host_name", "executable", "load_avg", "date"):
            data["context"].pop(key, None)
        path.write_text(json.dumps(data, indent=1) + "\n")
        medians = [row for row in data["benchmarks"] if row.get("aggregate_name") in ("median", "best")]
        parts += [f"## {path.stem}", table(medians)]
    (folder / "README.md").write_text("\n\n".join(parts) + "\n")
    for path in folder.glob("*.txt"):
        path.unlink()


if __name__ == "__main__":
    main()
