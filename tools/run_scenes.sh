#!/usr/bin/env bash
# Runs every scene for half a minute, or to its end where that comes first, and fails where one fails, gets nowhere or leaves
# anything that is not finite. With --full to their ends, the largest for as long as two hours on two cores allow.
# Usage: tools/run_scenes.sh [--full | --seconds N] [LIMBER]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=30
case ${1:-} in
  --full) seconds=; shift ;;
  --seconds) seconds=$2; shift 2 ;;
esac
limber=${1:-build/release/limber}
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT

options() {
  case $1 in
    sculpture_large*) echo --steps 40 ;;
    sculpture_medium*) echo --steps 90 ;;
    double_helix_158k | double_helix_316k) echo --steps 45 ;;
    bowl_of_bears) echo --steps 120 ;;
  esac
}

failed=0
for file in scenes/*.toml; do
  scene=$(basename "$file" .toml)
  started=$SECONDS
  rm -rf "$run/out"
  # An interrupt ends a run as the user's Ctrl-C does, with exit code 130 and a summary of the steps until then.
  code=0
  timeout ${seconds:+--preserve-status} --signal INT --kill-after 60 "${seconds:-0}" \
    "$limber" run "$file" -o "$run/out" --set 'output.formats=[]' $(options "$scene") >"$run/log" 2>&1 || code=$?
  if [ $code != 0 ] && ! { [ -n "$seconds" ] && [ $code = 130 ]; }; then
    failed=1
    echo "run_scenes.sh: $scene failed with exit code $code: $(tail -1 "$run/log")" >&2
    continue
  fi
  /usr/bin/python3 - "$run/out/summary.json" "$scene" $((SECONDS - started)) <<'PYTHON' || failed=1
import json, os, sys
summary, scene, seconds = sys.argv[1:]
run = json.load(open(summary)) if os.path.exists(summary) else {"steps": 0}
if run["steps"] < 1:
    sys.exit(f"run_scenes.sh: {scene} made no step in {seconds} s")
print(f"{scene:28} {run['steps']:5} steps ({run['status']}) {run['wall_ms']['p50'] or 0:9.2f} ms a step (median), "
      f"penetration at most {1000 * (run['max_penetration'] or 0):.1f} mm, flags {run.get('flags', {})}, {seconds} s", flush=True)
sys.exit(run["finite"] is not True)
PYTHON
done
exit $failed
