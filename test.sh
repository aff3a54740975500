#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test, the live page in a browser too. `--long` adds the thread sanitizer, the
# portable build, every header alone, CalculiX, Blender, clang-tidy, the long kill-and-resume runs, every scene to its end and the
# benches. Fails with one clear line.
set -euo pipefail
cd "$(dirname "$0")"

long=no
case "${1:-}" in
  "") ;;
  --long) long=yes ;;
  *) echo "usage: ./test.sh [--long]" >&2; exit 2 ;;
esac

started=$SECONDS
stage() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - started)); }
fail() { echo "test.sh: failed: $1" >&2; exit 1; }
build() {  # preset, whether with the live page, then targets
  local preset=$1 with_view=$2; shift 2
  mkdir -p build
  cmake --preset "$preset" -DLIMBER_TESTS=ON -DLIMBER_BENCHES=ON -DLIMBER_VIEW="$with_view" ${more:-} >"build/$preset.log" 2>&1 ||
    { cat "build/$preset.log" >&2; fail "configure $preset"; }
  cmake --build --preset "$preset" -- ${1:+"$@"} || fail "build $preset"
}

stage "packages"
tools/packages.sh test || fail "packages"
view=ON
tools/npm.sh || { view=OFF; echo "test.sh: without npm's packages the live page is neither built nor tested" >&2; }

stage "release build"
build release $view

stage "layout and format"
/usr/bin/python3 tools/check_sources.py || fail "layout"
mapfile -t sources < <(git ls-files '*.h' '*.cpp')
clang-format-14 --dry-run -Werror "${sources[@]}" || fail "format: run tools/format.sh"

stage "tests"
ctest --preset release -j2 -LE '^(view_page|headers)$' --no-tests=error || fail "tests"

if [ $view = ON ]; then
  stage "the live page in a browser"
  tools/packages.sh browser || fail "packages"
  ctest --preset release -L '^view_page$' || fail "the live page"
fi

stage "sanitizers (address, undefined behaviour)"
build asan OFF asan_tests  # the live page takes long to compile, and none of these use it
ctest --preset asan -j2 -L '^(core|io|scene|contact|sim)$' --no-tests=error || fail "sanitizers"

if [ "$long" = yes ]; then
  stage "every header alone"
  ctest --preset release -L '^headers$' || fail "headers"
  stage "sanitizers, everything"  # with the checks that take longest to compile
  more=-DLIMBER_SANITIZE_NOT= build asan $view
  ctest --preset asan -j2 -L . --no-tests=error || fail "sanitizers"
  stage "thread sanitizer"
  build tsan OFF tsan_tests
  TSAN_OPTIONS="suppressions=$PWD/tools/tsan.supp" ctest --preset tsan -L '^(core|linalg|fem|contact|solve|sim|render)$' --no-tests=error || fail "thread sanitizer"
  stage "portable build"
  build portable $view
  ctest --preset portable -j2 --no-tests=error || fail "portable"
  stage "clang-tidy"
  git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs -P2 -n4 clang-tidy-14 -p build/release --quiet || fail "clang-tidy"
  stage "stop after every step, go on to the end"
  LIMBER_LONG=1 build/release/tests/test_sim --gtest_filter='*Resume*' --gtest_brief=1 || fail "resume"
  stage "kill and resume, 500 times"
  /usr/bin/python3 tests/program/kill_resume.py build/release/limber --times 500 || fail "kill and resume"
  stage "beside CalculiX"
  tools/packages.sh reference || fail "packages"
  /usr/bin/python3 tests/reference/calculix.py build/release/limber || fail "CalculiX"
  stage "exported runs in Blender"
  if tools/packages.sh blender; then
    /usr/bin/python3 tests/reference/blender.py build/release/limber || fail "Blender"
  else
    echo "test.sh: skipped: Blender cannot be installed here" >&2
  fi
  stage "every scene to its end"
  tools/run_scenes.sh || fail "scenes"
  stage "benches"
  tools/bench.sh --quick || fail "benches"
fi

stage "done"
echo "test.sh: all passed in $((SECONDS - started)) s"
