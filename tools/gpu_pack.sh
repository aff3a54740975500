#!/usr/bin/env bash
# Builds what the check of the device runs and gathers it with the libraries it needs in build/gpu/pack.tgz: a file to carry to a
# machine that has a graphics card and nothing of ours.
#   tools/gpu_pack.sh           a build of its own, for any x86-64 with AVX2
#   tools/gpu_pack.sh BUILD     one at hand, configured with -DLIMBER_CUDA=ON, for processors like this one's
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "gpu_pack.sh: failed: $1" >&2; exit 1; }
build=${1:-build/gpu}
mkdir -p build/gpu
if [ $# = 0 ]; then
  cmake --preset release -B $build -DLIMBER_LEVEL=v3 -DLIMBER_CUDA=ON -DLIMBER_TESTS=ON -DLIMBER_BENCHES=OFF -DLIMBER_EXAMPLES=OFF \
    -DLIMBER_VIEW=OFF -DLIMBER_UNITY=ON >build/gpu.log 2>&1 || { cat build/gpu.log >&2; fail "configure"; }
fi
grep -q '^LIMBER_CUDA:STRING=ON' "$build/CMakeCache.txt" || fail "$build has no kernels: cmake -B $build -DLIMBER_CUDA=ON"
cmake --build "$build" --target test_gpu limber_bench >>build/gpu.log 2>&1 || { tail -n 40 build/gpu.log >&2; fail "build"; }
pack=$(mktemp -d)
trap 'rm -rf "$pack"' EXIT
mkdir "$pack/lib"
cp -r scenes "$pack"
# The program with the benches is limber with one more command.
strip -o "$pack/test_gpu" "$build/tests/test_gpu"
strip -o "$pack/limber" "$build/limber-bench"
for program in tests/test_gpu limber-bench; do
  ldd "$build/$program" | awk '/=> \//{print $3} /ld-linux/{print $1}' | xargs -I{} cp -Lu {} "$pack/lib"
done
tar -C "$pack" -czf build/gpu/pack.tgz .
du -h build/gpu/pack.tgz
