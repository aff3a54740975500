#!/usr/bin/env bash
# Is the new program slower than the old one? Runs both in turn on one thread, nine times a scene, and compares the least
# times of a step. Fails where a scene takes more than 5 % longer.
#   tools/ab.sh OLD NEW [SCENE...]    two limber programs; scenes by file, or a set of each solver family
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
old=$1 new=$2; shift 2
top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- "$top"/scenes/{bar_gravity,sphere_drop,sculpture_small,rubber_twist,box_twist,hanging_cloth,snowman}.toml
room=$(mktemp -d); trap 'rm -rf "$room"' EXIT
one() {  # program, scene: milliseconds of the steps together
  "$1" run "$2" -o "$room/out" --overwrite --threads 1 --steps "${STEPS:-40}" --set 'output.formats=[]' >"$room/log" 2>&1 ||
    { cat "$room/log" >&2; return 1; }
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "wall_ms") c = i; next } { s += $c } END { printf "%.3f\n", s }' "$room/out/steps.csv"
}
worse=0
printf '%-24s %10s %10s %8s\n' scene "old [ms]" "new [ms]" "new/old"
for scene; do
  : >"$room/a"; : >"$room/b"
  for _ in $(seq "${TIMES:-9}"); do one "$old" "$scene" >>"$room/a"; one "$new" "$scene" >>"$room/b"; done
  a=$(sort -g "$room/a" | head -1) b=$(sort -g "$room/b" | head -1)
  awk -v s="$(basename "$scene" .toml)" -v a="$a" -v b="$b" 'BEGIN { printf "%-24s %10.1f %10.1f %8.3f\n", s, a, b, b / a; exit b > 1.05 * a }' || worse=1
done
exit $worse
