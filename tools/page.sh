#!/usr/bin/env bash
# Puts the live page into a program that was built without it, as npm's packages could not be had then. Takes seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
tools/packages.sh build
tools/npm.sh
cmake --preset "$preset" -DLIMBER_VIEW=ON -DLIMBER_PAGE=ON >build/page.log 2>&1 || { cat build/page.log >&2; exit 1; }
cmake --build --preset "$preset" -- limber_app
echo "the live page: build/$preset/limber view scenes/sphere_drop.toml"
