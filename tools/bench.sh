#!/usr/bin/env bash
# Builds and runs every benchmark and writes the figures to bench/results/<cpu>/. `--quick` only shows that they run.
set -euo pipefail
cd "$(dirname "$0")/.."
quick=no
[ "${1:-}" = --quick ] && quick=yes
cmake --preset release >/dev/null
cmake --build --preset release >/dev/null
benches=(build/release/bench/bench_*)
limber=build/release/limber
tables=$($limber list benches | awk '{ print $1 }')
if [ "$quick" = yes ]; then
  for bench in "${benches[@]}"; do "$bench" --benchmark_min_time=0.01 2>/dev/null || exit 1; done
  for name in $tables; do $limber bench "$name" --quick -o "build/release/bench/$name" || exit 1; done
  exit 0
fi
out=bench/results/$($limber doctor --json | /usr/bin/python3 -c '
import json, re, sys
print(re.sub(r"[^a-z0-9]+", "-", json.load(sys.stdin)["cpu"].lower()).strip("-"))')
mkdir -p "$out"
for bench in "${benches[@]}"; do
  name=$(basename "$bench" | sed 's/^bench_//')
  echo "== $name"
  "$bench" --benchmark_min_time=0.5 --benchmark_repetitions=3 --benchmark_report_aggregates_only=true \
    --benchmark_out="$out/$name.json" --benchmark_out_format=json 2>/dev/null | tee "$out/$name.txt"
done
for name in $tables; do
  $limber bench "$name" -o "build/release/bench/$name"
  mkdir -p "$out/tables"
  find "build/release/bench/$name" -maxdepth 1 -name "$name.*" -exec cp {} "$out/tables/" \;
done
$limber doctor --json >"$out/machine.json"
/usr/bin/python3 tools/bench_table.py "$out"
