#!/usr/bin/env bash
# Builds targets of a preset (all of it where none is named) and shows the progress in one line; everything else goes to
# build/PRESET.log, whose errors are shown when it fails. Usage: tools/build.sh PRESET [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1; shift
log=build/$preset.log
terminal=0
[ -t 1 ] && terminal=1
failed=0
NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" -- "$@" 2>&1 | tee "$log" | awk -v terminal=$terminal '
  BEGIN { "date +%s" | getline start; due = 0 }
  match($0, /^\[[0-9]+\/[0-9]+\] /) {
    split(substr($0, 2, RLENGTH - 3), count, "/")
    part = count[2] > 0 ? int(100 * count[1] / count[2]) : 100
    if (count[2] < 3 || (!terminal && part < due)) next
    close("date +%s"); "date +%s" | getline now
    text = sprintf("building: %d of %d, %d s so far", count[1], count[2], now - start)
    if (terminal) printf "\r\033[K%s", text
    else print text
    fflush()
    due = 20 * (int(part / 20) + 1)
  }
  END { if (terminal) printf "\r\033[K" }' || failed=1
[ $failed = 0 ] || { sed -n '/^FAILED: /,$p' "$log" | head -n 60 >&2; exit 1; }
