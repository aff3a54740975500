#!/usr/bin/env bash
# What vector instructions are worth: builds the kernels for every level this machine can run (native, v4, v3, baseline),
# runs them in turn on one thread and prints a Markdown table with the shares that are asked for.
#   tools/vector_levels.sh [LEVEL...]
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- native v4 v3 baseline
for level in "$@"; do
  folder=build/level-$level
  mkdir -p "$folder"
  cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLIMBER_LEVEL="$level" -DLIMBER_UNITY=ON -DLIMBER_BENCHES=ON \
    -DLIMBER_TESTS=OFF -DLIMBER_EXAMPLES=OFF -DLIMBER_VIEW=OFF >"$folder.log" 2>&1 &&
    cmake --build "$folder" --target bench_vector_level >>"$folder.log" 2>&1 || { tail -n 30 "$folder.log" >&2; exit 1; }
done
for level in "$@"; do "build/level-$level/bench/bench_vector_level"; done |
  /usr/bin/python3 tools/vector_levels.py "$(git rev-parse --short HEAD)"
