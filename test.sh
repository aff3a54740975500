#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test, the live page in a browser too. Fails with one clear line.
#   ./test.sh                     what CI runs
#   ./test.sh --long [STAGE...]   the long stages by name (all of them, after the tests, where none is named); each appends a
#                                 line to tests/long_runs.tsv: when, stage, commit, seconds, result, cores
#   ./test.sh --long list         what they are
set -euo pipefail
cd "$(dirname "$0")"

long_stages="headers   every header compiles alone
asan      address and undefined behaviour sanitizers, every test and check (./test.sh leaves out runs that compare numbers)
tsan      thread sanitizer, the modules with threads
portable  the portable build and its tests
separate  every source compiled on its own, all warnings
tidy      clang-tidy
repeat    the tests 20 times in a row
resume    stop after every step and go on to the end, every solver with every contact
kill      kill and resume, 500 times
stacks    stacks that stand for 10 000 steps
descent   descent at its defaults: every body under every law, bodies drawn by the commit, six of 50K to 300K tets
consumers limber as a subdirectory of another project, compiled there
python    the Python module drawn at by ten thousand examples, what it costs, and its wheel
packages  Debian packages of the portable build, unpacked and tried, and lintian
kernels   every kernel for graphics cards, those in double too
adding    the patches of docs/adding_*.md, built and run
calculix  beside CalculiX
blender   exported runs in Blender
scenes    every scene for half a minute or to its end (to their ends: tools/run_scenes.sh --full)
benches   every benchmark, quickly"
record=tests/long_runs.tsv

started=$SECONDS
stage() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - started)); }
fail() { echo "test.sh: failed: $1" >&2; exit 1; }
build() {  # preset, whether with limber view, then targets
  local preset=$1 with_view=$2 fresh=(); shift 2
  mkdir -p build
  # A folder that was configured before keeps its way of compiling.
  [ -f "build/$preset/CMakeCache.txt" ] || fresh=(-DLIMBER_UNITY=ON)
  cmake --preset "$preset" -DLIMBER_TESTS=ON -DLIMBER_BENCHES=ON -DLIMBER_EXAMPLES=ON -DLIMBER_PYTHON=ON -DLIMBER_VIEW="$with_view" \
    -DLIMBER_PAGE=$page "${fresh[@]}" ${more:-} >"build/$preset.log" 2>&1 ||
    { cat "build/$preset.log" >&2; fail "configure $preset"; }
  tools/build.sh "$preset" "$@" || fail "build $preset"
}
packages() {
  stage "packages"
  tools/packages.sh test || fail "packages"
  page=ON no_page=
  mkdir -p build
  tools/npm.sh 2>build/npm.log || { cat build/npm.log >&2; page=OFF no_page=$(tail -n 1 build/npm.log); }
}
release_build() {  # targets; everything where none is named
  stage "release build"
  build release ON "$@"
}
say_page() {  # what was left out is said where it is seen
  [ -z "$no_page" ] && return
  echo "test.sh: WITHOUT THE LIVE PAGE, which was neither built nor tested: npm could not fetch its JavaScript libraries." >&2
  echo "         why: $no_page" >&2
  echo "         mend it: tools/npm.sh && ./test.sh" >&2
}

short_tests() {
  release_build all limber_cuda_floats  # kernels are minutes of one core: beside the rest, not after it

  stage "layout and format"
  /usr/bin/python3 tools/check_sources.py || fail "layout"
  mapfile -t sources < <(git ls-files '*.h' '*.cpp')
  clang-format-14 --dry-run -Werror "${sources[@]}" || fail "format: run tools/format.sh"

  stage "tests"
  ctest --preset release -j2 -LE '^(view_page|headers)$' --no-tests=error || fail "tests"

  if [ $page = ON ]; then
    stage "the live page in a browser"
    tools/packages.sh browser || fail "packages"
    ctest --preset release -L '^view_page$' || fail "the live page"
  fi

  stage "sanitizers (address, undefined behaviour)"
  build asan OFF asan_tests  # the live page takes long to compile, and none of these use it
  ctest --preset asan -j2 -L '^(core|io|scene|contact|sim|gpu|api)$' --no-tests=error || fail "sanitizers"
}

long_headers() { release_build; ctest --preset release -L '^headers$' --no-tests=error; }
long_asan() {  # with the checks that take longest to compile
  more="-DLIMBER_SANITIZE_NOT= -DLIMBER_SANITIZE_SCOPES=ON" build asan ON
  ctest --preset asan -j2 -L . --no-tests=error
}
long_tsan() {
  build tsan OFF tsan_tests
  TSAN_OPTIONS="suppressions=$PWD/tools/tsan.supp" \
    ctest --preset tsan -L '^(core|linalg|fem|contact|solve|sim|render)(_numbers)?$' --no-tests=error
}
long_portable() { more=-DLIMBER_BENCHES=OFF build portable ON; ctest --preset portable -j2 -LE '^(view_page|headers)$' --no-tests=error; }
alone() {  # a folder in which every source has its own command
  cmake --preset release -B build/separate -DLIMBER_UNITY=OFF -DLIMBER_TESTS=ON -DLIMBER_BENCHES=ON -DLIMBER_VIEW=ON \
    -DLIMBER_PAGE=$page -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >build/separate.log 2>&1 || { cat build/separate.log >&2; return 1; }
}
long_separate() { alone && cmake --build build/separate; }
long_tidy() { alone && git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs -P2 -n4 clang-tidy-14 -p build/separate --quiet \
    --extra-arg=-Wno-unknown-warning-option; }  # some are GCC's own
long_repeat() {
  release_build
  ctest --preset release -j2 -LE '^(view_page|headers)$' --no-tests=error --repeat until-fail:20
}
long_resume() {  # stop after every step, go on to the end
  release_build test_sim
  LIMBER_LONG=1 build/release/tests/test_sim --gtest_filter='*Resume*' --gtest_brief=1
}
long_stacks() { release_build test_contact; LIMBER_LONG=1 build/release/tests/test_contact --gtest_filter='*Stacks.*'; }
long_descent() {
  release_build test_sim limber_bench
  local code=0
  LIMBER_LONG=1 LIMBER_SEED=$(git rev-parse --short HEAD) build/release/tests/test_sim --gtest_filter='DescentDefaults.*' || code=1
  build/release/limber-bench bench descent-bodies | tee build/descent-bodies.log
  if grep '^- not reproduced' build/descent-bodies.log; then code=1; fi
  return $code
}
long_kernels() {
  release_build limber_cuda
  compgen -G 'build/release/cuda/*.o' >/dev/null || { echo "test.sh: nvcc was not found" >&2; return 77; }
  /usr/bin/python3 tools/cuda_registers.py build/release
}
long_kill() { release_build limber_app; /usr/bin/python3 tests/program/kill_resume.py build/release/limber --times 500; }
long_consumers() { release_build limber_app limber limber_shared; /usr/bin/python3 tests/consumers/build.py build/release --subdirectory; }
long_python() {
  release_build limber_python
  PYTHONPATH=build/release/python /usr/bin/python3 tests/python/fuzz.py 10000
  PYTHONPATH=build/release/python /usr/bin/python3 bench/python_binding.py
  /usr/bin/python3 tests/python/wheel.py . build/release
}
long_packages() {
  tools/packages.sh packaging
  more="-DCMAKE_INSTALL_PREFIX=/usr" build portable ON limber_app limber_bench limber limber_shared limber_python
  cmake build/portable -DLIMBER_PACKAGER="limber test <test@packages.debian.org>" >build/packages.log
  tools/debian.sh build/portable build/packages
}
long_adding() { release_build; /usr/bin/python3 tests/tools/doc_patches.py build/release --build; }
long_calculix() {
  release_build limber_app
  tools/packages.sh reference && /usr/bin/python3 tests/reference/calculix.py build/release/limber
}
long_blender() {
  release_build limber_app
  tools/packages.sh blender || { echo "test.sh: Blender cannot be installed here" >&2; return 77; }
  /usr/bin/python3 tests/reference/blender.py build/release/limber
}
long_scenes() { release_build limber_app; tools/run_scenes.sh; }
long_benches() { release_build; tools/bench.sh --quick; }

failed=
long_stage() {
  local name=$1 begin=$SECONDS code=0 result=passed commit
  commit=$(git rev-parse --short HEAD)$(git diff --quiet HEAD -- . ":!$record" || echo -dirty)
  stage "$(sed -n "s/^$name  *//p" <<<"$long_stages")"
  # In a shell of its own, which stops at the first command that fails; `|| code` here would switch that off.
  bash -c 'source ./test.sh --stages-only; set -e; page=$1 no_page=; long_'"$name" long "$page" || code=$?
  if [ $code = 77 ]; then result=skipped; elif [ $code != 0 ]; then result=failed failed+=" $name"; fi
  [ -f $record ] || printf 'when\tstage\tcommit\tseconds\tresult\tcores\n' >$record
  printf '%s\t%s\t%s\t%d\t%s\t%d\n' "$(date -u +%Y-%m-%dT%H:%MZ)" "$name" "$commit" \
    $((SECONDS - begin)) $result "$(nproc)" >>$record
  echo "test.sh: stage $name $result after $((SECONDS - begin)) s (noted in $record)"
}

[ "${1:-}" = --stages-only ] && return  # read by long_stage
names=$(cut -d' ' -f1 <<<"$long_stages")
long=no
case "${1:-}" in
  "") ;;
  --long)
    long=yes; shift
    [ "${1:-}" = list ] && { echo "$long_stages"; exit 0; }
    for name in "$@"; do
      grep -qx -- "$name" <<<"$names" || { echo "test.sh: no stage '$name'; there are:" >&2; echo "$long_stages" >&2; exit 2; }
    done
    ;;
  *) echo "usage: ./test.sh [--long [list | STAGE...]]" >&2; exit 2 ;;
esac

packages
if [ $# = 0 ]; then short_tests; fi
if [ $long = yes ]; then
  [ $# = 0 ] && set -- $names
  for name in "$@"; do long_stage "$name"; done
  [ -z "$failed" ] || fail "stages:$failed"
fi

stage "done"
echo "test.sh: all passed in $((SECONDS - started)) s"
say_page
