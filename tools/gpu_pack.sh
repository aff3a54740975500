#!/usr/bin/env bash
# Builds what the check of the device runs, for any x86-64 with AVX2, and gathers it with the libraries it needs in
# build/gpu/pack: a folder to carry to a machine that has a graphics card and nothing of ours.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "gpu_pack.sh: failed: $1" >&2; exit 1; }
build=build/gpu pack=build/gpu/pack
mkdir -p build
cmake --preset release -B $build -DLIMBER_LEVEL=v3 -DLIMBER_CUDA=ON -DLIMBER_TESTS=ON -DLIMBER_BENCHES=OFF -DLIMBER_EXAMPLES=OFF \
  -DLIMBER_VIEW=OFF -DLIMBER_UNITY=ON >build/gpu.log 2>&1 || { cat build/gpu.log >&2; fail "configure"; }
cmake --build $build --target test_gpu limber_bench >>build/gpu.log 2>&1 || { tail -n 40 build/gpu.log >&2; fail "build"; }
rm -rf $pack
mkdir -p $pack/lib $pack/scenes
cp scenes/rubber_twist.toml scenes/dragon_rubber.toml $pack/scenes
# The program with the benches is limber with one more command.
strip -o $pack/test_gpu $build/tests/test_gpu
strip -o $pack/limber $build/limber-bench
for program in tests/test_gpu limber-bench; do
  ldd $build/$program | awk '/=> \//{print $3} /ld-linux/{print $1}' | xargs -I{} cp -Lu {} $pack/lib
done
du -sh $pack
