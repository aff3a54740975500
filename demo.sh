#!/usr/bin/env bash
# Installs what is missing, builds, drops a soft ball on a floor, twists a beam, compares early-terminated conjugate
# gradients with the direct reference on the same scene, and ends with the live page: opened where there is a desktop,
# as a picture where there is none. Results: demo_out/.
set -euo pipefail
cd "$(dirname "$0")"
fail() { echo "demo.sh: failed: $1" >&2; exit 1; }
step() { printf '\n%s\n' "$1 ($((SECONDS / 60)) min $((SECONDS % 60)) s)"; }
limber=build/release/limber
out=demo_out
mkdir -p build "$out"

echo "limber's demo: packages, build (most of the time), a ball, a beam, a comparison, the live page. Results: $out/"
step "Packages"
tools/packages.sh compile || fail "packages"
# What only the page needs is fetched while the program is compiled.
desktop=no
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then desktop=yes; fi
fetch_page() {
  tools/packages.sh page && tools/npm.sh || return
  [ $desktop = yes ] || tools/packages.sh browser || true  # asked for again, and told, where it is used
}
fetch_page >build/npm.log 2>&1 &
fetching=$!
trap 'kill $fetching 2>/dev/null || true' EXIT

step "Build, and what the live page is made of; next comes the ball"
# A folder that was configured before keeps its choices; a new one builds the program and nothing else, in the quickest way.
fresh=()
[ -f build/release/CMakeCache.txt ] ||
  fresh=(-DLIMBER_TESTS=OFF -DLIMBER_BENCHES=OFF -DLIMBER_EXAMPLES=OFF -DLIMBER_PYTHON=OFF -DLIMBER_UNITY=ON)
build() {
  cmake --preset release -DLIMBER_VIEW=ON "$@" >build/demo.log 2>&1 || { cat build/demo.log >&2; fail "configure"; }
  tools/build.sh release limber_app || fail "build"
}
page=OFF
[ -f node_modules/.installed-lock.json ] && page=ON
build "${fresh[@]}" -DLIMBER_PAGE=$page
no_page=
wait $fetching || no_page=$(tail -n 1 build/npm.log)
trap - EXIT
cat build/npm.log
[ -n "$no_page" ] || build -DLIMBER_PAGE=ON

step "1. A soft ball, thrown onto a floor with friction; next a beam"
$limber run scenes/sphere_drop.toml -o "$out/ball" --overwrite || fail "ball"
$limber render "$out/ball" --frame last -o "$out/ball.png" || fail "picture"

step "2. A beam twisted by a full turn; next a comparison"
$limber run scenes/twisted_beam.toml -o "$out/twist" --overwrite || fail "twist"
$limber render "$out/twist" --frame last --color von_mises -o "$out/twist.png" || fail "picture"

step "3. The ball again under several solver settings: error against time; next the live page"
$limber compare scenes/sphere_drop.toml --steps 240 -o "$out/compare" --solvers \
  "corotational:iterations=3,corotational:iterations=10,corotational,corotational:iterations=3,guess=zero" || fail "comparison"

echo
echo "Results are in $out:"
echo "  pictures     $out/ball.png  $out/twist.png"
echo "  comparison   $out/compare/compare.html"
echo "  reports      $out/ball/report.html  $out/twist/report.html"
echo "  for ParaView $out/ball/vtu/series.pvd"

step "4. The live page: pull the ball with the mouse, change the solver while it runs"
if [ -n "$no_page" ]; then
  echo "  MISSING: the live page could not be built, as npm could not fetch its JavaScript libraries."
  echo "  why:     $no_page"
  echo "  mend it: tools/page.sh    (takes seconds; nothing else is built again)"
elif [ $desktop = yes ]; then
  $limber view scenes/sphere_drop.toml || fail "live page"
else
  tools/packages.sh browser || fail "packages"
  if timeout 300 node tools/page_picture.mjs $limber "$out/page.png" scenes/sphere_drop.toml; then
    echo "  no desktop here; a picture of the page: $out/page.png"
  else
    echo "  no desktop here, and the browser made no picture of the page"
  fi
  echo "  to use it: $limber view scenes/sphere_drop.toml"
fi
