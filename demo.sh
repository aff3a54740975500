#!/usr/bin/env bash
# Installs what is missing, builds, drops a soft ball on a floor, twists a beam, compares early-terminated conjugate
# gradients with the direct reference on the same scene, and ends with the live page: opened where there is a desktop,
# as a picture where there is none. Results: demo_out/.
set -euo pipefail
cd "$(dirname "$0")"
fail() { echo "demo.sh: failed: $1" >&2; exit 1; }

tools/packages.sh build || fail "packages"
view=ON
tools/npm.sh || view=OFF
mkdir -p build
cmake --preset release -DLIMBER_VIEW=$view >build/demo.log 2>&1 || { cat build/demo.log >&2; fail "configure"; }
cmake --build --preset release -- limber_app || fail "build"
limber=build/release/limber
out=demo_out
mkdir -p "$out"

echo
echo "1. A soft ball, thrown onto a floor with friction"
$limber run scenes/sphere_drop.toml -o "$out/ball" --overwrite || fail "ball"
$limber render "$out/ball" --frame last -o "$out/ball.png" || fail "picture"

echo
echo "2. A beam twisted by a full turn"
$limber run scenes/twisted_beam.toml -o "$out/twist" --overwrite || fail "twist"
$limber render "$out/twist" --frame last --color von_mises -o "$out/twist.png" || fail "picture"

echo
echo "3. The ball again under several solver settings: error against time"
$limber compare scenes/sphere_drop.toml --steps 240 -o "$out/compare" --solvers \
  "corotational:iterations=3,corotational:iterations=10,corotational,corotational:iterations=3,guess=zero" || fail "comparison"

echo
echo "Results are in $out:"
echo "  pictures     $out/ball.png  $out/twist.png"
echo "  comparison   $out/compare/compare.html"
echo "  reports      $out/ball/report.html  $out/twist/report.html"
echo "  for ParaView $out/ball/vtu/series.pvd"

echo
echo "4. The live page: pull the ball with the mouse, change the solver while it runs"
if [ $view = OFF ]; then
  echo "  left out: npm's packages could not be had"
elif [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
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
