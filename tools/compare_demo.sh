#!/usr/bin/env bash
# The same scene under several solver settings: cost against the path of the ball, measured from the direct reference.
# Usage: tools/compare_demo.sh LIMBER OUT
set -euo pipefail
limber=$1
out=$2
scene=scenes/sphere_drop.toml

run() {  # name, then arguments
  local name=$1; shift
  "$limber" run "$scene" -o "$out/compare/$name" --overwrite --log json --set 'output.formats=[]' "$@" >/dev/null
}
number() {  # file, path of keys: the first number after them
  tr -d ' \n' <"$1" | sed -E "s/.*\"$2\":\\{[^}]*\"$3\":([-0-9.e+]+).*/\\1/"
}

mkdir -p "$out/compare"
run reference --solver cholesky
run converged
run early_10 --set solver.max_iterations=10
run early_3 --set solver.max_iterations=3
run early_3_from_zero --set solver.max_iterations=3 --set 'solver.guess="zero"'

printf '%-34s %10s %12s %22s\n' "setting" "ms/step" "iterations" "ball off its path [mm]"
row() {  # folder, words
  local dir=$out/compare/$1
  local off
  # Largest distance between the mean positions of the ball, step by step.
  off=$(awk -F, '
    FNR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    NR == FNR { x[$1] = $at["position_x"]; y[$1] = $at["position_y"]; z[$1] = $at["position_z"]; next }
    { d = sqrt(($at["position_x"]-x[$1])^2 + ($at["position_y"]-y[$1])^2 + ($at["position_z"]-z[$1])^2); if (d > m) m = d }
    END { printf "%.2f", 1000 * m }' "$out/compare/reference/probes/ball.csv" "$dir/probes/ball.csv")
  printf '%-34s %10.2f %12.1f %22s\n' "$2" "$(number "$dir/summary.json" wall_ms mean)" \
    "$(number "$dir/summary.json" iterations mean)" "$off"
}
row reference "direct (cholesky)"
row converged "PCG to 1e-5"
row early_10 "PCG, at most 10 iterations"
row early_3 "PCG, at most 3"
row early_3_from_zero "PCG, at most 3, from zero"
