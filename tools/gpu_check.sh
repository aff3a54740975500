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
carried() { local program=$1; shift; LIMBER_SCENES=$pack/scenes "$pack"/lib/ld-linux-x86-64.so.2 --library-path "$libraries" "$pack/$program" "$@"; }
carried limber doctor >"$out/doctor.txt" 2>&1
cat "$out/doctor.txt"
grep -q '^cuda  *yes' "$out/doctor.txt" || { echo "gpu_check.sh: skipped: no card that this program can use"; exit 77; }

table="| what | result | seconds |\n|---|---|---|\n" failed=0
check() {  # name, then a command
  local name=$1 begin=$SECONDS code=0; shift
  "$@" >"$out/$name.txt" 2>&1 || code=$?
  [ $code = 0 ] || failed=1
  table+="| $name | $([ $code = 0 ] && echo passed || echo "FAILED ($code)") | $((SECONDS - begin)) |\n"
  [ $code = 0 ] || tail -n 20 "$out/$name.txt"
}
tests() { check "$1" carried test_gpu --gtest_brief=1 --gtest_filter="$2"; }
bench() { check "$1" carried limber bench "$1" -o "$out/$1"; grep -E '^(\||- )' "$out/$1.txt"; }
tests factor 'TileFactorOnDevice.*'
bench gpu-factor
sanitized='TileFactorOnDevice.sanitized*'
if [ "${1:-}" != factor ]; then
  bench gpu-descent
  tests steps 'OnDevice.takes*'
  tests runs 'OnDevice.runs*'
  tests ten_times 'OnDevice.gives*'
  tests resume 'OnDevice.goes*'
  sanitized='*OnDevice.sanitized*'
fi
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [ -x "$sanitizer" ]; then
  for tool in memcheck racecheck; do
    check $tool timeout 150 "$sanitizer" --tool $tool --error-exitcode 9 --target-processes all \
      "$pack"/lib/ld-linux-x86-64.so.2 --library-path "$libraries" "$pack/test_gpu" --gtest_brief=1 \
      --gtest_filter="$sanitized"
  done
else
  table+="| compute-sanitizer | not there | 0 |\n"
fi
[ "${1:-}" = factor ] || grep -h 'double: median' "$out/steps.txt" || true
printf "$table" | tee "$out/gpu_check.md"
exit $failed
