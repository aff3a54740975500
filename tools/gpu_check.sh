#!/usr/bin/env bash
# Everything that needs a graphics card, in one call of less than ten minutes: what the card is, the steps of the CPU on it in
# float and in double, the same bits ten times, exact resume, a fresh factor, their times, and compute-sanitizer. Runs what
# tools/gpu_pack.sh has gathered; a table last, everything in gpu_check.tgz in $OUT (default build/gpu/out). Exit 1 where something
# failed, 77 where there is no card.
#   tools/gpu_check.sh [factor]     factor: that of gpu/factor alone, with its times; less than two minutes
set -uo pipefail
cd "$(dirname "$0")/.."
pack=$PWD/build/gpu/unpacked results=${OUT:-$PWD/build/gpu/out}
[ -f build/gpu/pack.tgz ] || { echo "gpu_check.sh: no build/gpu/pack.tgz: tools/gpu_pack.sh makes it" >&2; exit 2; }
rm -rf "$pack"
out=$(mktemp -d)
trap 'mkdir -p "$results"; tar -C "$out" -czf "$results/gpu_check.tgz" .' EXIT
mkdir -p "$pack"
tar -C "$pack" -xzf build/gpu/pack.tgz
# The driver's own libraries lie where the machine has them.
libraries=$pack/lib:$(dirname "$(ldconfig -p 2>/dev/null | awk '/libcuda\.so\.1/{print $NF; exit}')" 2>/dev/null):${LD_LIBRARY_PATH:-}
"$pack"/lib/ld-linux-x86-64.so.2 --library-path "$libraries" "$pack/limber" doctor >"$out/doctor.txt" 2>&1
cat "$out/doctor.txt"
grep -q '^cuda  *yes' "$out/doctor.txt" || { echo "gpu_check.sh: skipped: no card that this program can use"; exit 77; }

table="| what | result | seconds |\n|---|---|---|\n" failed=0
limit=${LIMIT:-520}  # seconds for all of it: what would begin later is left out, and said
note() {  # name, exit code, seconds
  [ "$2" = 0 ] || failed=1
  table+="| $1 | $(case $2 in 0) echo passed ;; 124) echo "FAILED: no time left" ;; *) echo "FAILED ($2)" ;; esac) | $3 |\n"
  [ "$2" = 0 ] || tail -n 20 "$out/$1.txt"
}
timed() {  # name, at most so many seconds, then a command: its output and its time into files
  local name=$1 most=$2 begin=$SECONDS code=0 left=$((limit - SECONDS)); shift 2
  [ $most -lt $left ] || most=$left
  if [ $most -gt 0 ]; then timeout $most "$@" >"$out/$name.txt" 2>&1 || code=$?; else code=124; : >"$out/$name.txt"; fi
  echo "$code $((SECONDS - begin))" >"$out/$name.code"
}
noted() { local code seconds; read -r code seconds <"$out/$1.code"; rm "$out/$1.code"; note "$1" "$code" "$seconds"; }
loader=("$pack"/lib/ld-linux-x86-64.so.2 --library-path "$libraries")
tests() { timed "$1" 200 "${loader[@]}" "$pack/test_gpu" --gtest_brief=1 --gtest_filter="$2"; }
bench() {
  timed "$1" 200 env LIMBER_SCENES="$pack/scenes" "${loader[@]}" "$pack/limber" bench "$1" -o "$out/$1"
  noted "$1"
  grep -E '^(\||- )' "$out/$1.txt"
}
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
sanitized() {
  [ -x "$sanitizer" ] || { echo "compute-sanitizer is not there" >"$out/$1.txt"; echo "1 0" >"$out/$1.code"; return; }
  timed "$1" 120 "$sanitizer" --tool "$1" --error-exitcode 9 --target-processes all "${loader[@]}" "$pack/test_gpu" --gtest_brief=1 \
    --gtest_filter="$2"
}
if [ "${1:-}" = factor ]; then
  tests factor 'TileFactorOnDevice.*'; noted factor
  bench gpu-factor
  for tool in memcheck racecheck; do sanitized $tool 'TileFactorOnDevice.sanitized*'; noted $tool; done
else
  # What is compared, side by side: most of it is work of the host. Then what is timed, alone.
  tests factor 'TileFactorOnDevice.*' & tests steps 'OnDevice.takes*' & tests runs 'OnDevice.runs*' &
  tests ten_times 'OnDevice.gives*' & tests resume 'OnDevice.goes*' &
  wait
  for name in factor steps runs ten_times resume; do noted $name; done
  bench gpu-factor
  bench gpu-descent
  sanitized memcheck '*OnDevice.sanitized*'; noted memcheck
  bench wang2016-table1
  bench gpu-scaling
  sanitized racecheck 'TileFactorOnDevice.sanitized*'; noted racecheck  # of descent it takes longer than all the rest
  grep -h 'double: median' "$out/steps.txt" || true
fi
printf "$table" | tee "$out/gpu_check.md"
exit $failed
