#!/usr/bin/env bash
# Benches on a machine that has nothing installed: build/carry holds limber-bench and the libraries it was linked with.
#   tools/bench_elsewhere.sh pack              here: fills build/carry from build/release
#   tools/bench_elsewhere.sh run OUT SPEC...   there: each bench on two cores of its own, four cores apart from the next, all at the same
#                                              time; SPEC is NAME or NAME:OPTION,OPTION
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
  pack)
    rm -rf build/carry && mkdir -p build/carry/lib
    cp build/release/limber-bench build/carry/
    strip build/carry/limber-bench
    for library in $(ldd build/release/limber-bench | awk '/=> \//{print $3}'); do cp -L "$library" build/carry/lib/; done
    cp -L /lib64/ld-linux-x86-64.so.2 build/carry/lib/
    du -sh build/carry ;;
  run)
    out=$2; shift 2
    mkdir -p "$out"
    lscpu | sed -n 's/^Model name: *//p; s/^Thread(s) per core: */threads a core: /p' | tee "$out/cpu"
    cores=$(nproc) pair=0
    for spec in "$@"; do
      name=${spec%%:*} options=() label=${spec//[:,= ]/_}
      [ "$spec" = "$name" ] || IFS=, read -ra options <<<"${spec#*:}"
      first=$((4 * pair % cores))  # neighbours may be two threads of one core
      taskset -c "$first,$((first + 2))" build/carry/lib/ld-linux-x86-64.so.2 --library-path build/carry/lib \
        build/carry/limber-bench bench "$name" --threads 2 -o "$out/$label" "${options[@]}" >"$out/$label.log" 2>&1 &
      pair=$((pair + 1))
    done
    wait
    for log in "$out"/*.log; do echo "== $log"; tail -n 12 "$log"; done
    tar -C "$out" -czf "$out/results.tar.gz" --exclude=results.tar.gz . ;;
  *) sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
