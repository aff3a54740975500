#!/usr/bin/env bash
# Renders the pictures of the README and the docs from real runs. Usage: tools/readme_pictures.sh [LIMBER]
set -euo pipefail
cd "$(dirname "$0")/.."
limber=${1:-build/release/limber}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
picture() { "$limber" render "$out/$1" --frame "$2" -o "docs/images/$3.png" --width 960 --height 540 "${@:4}"; }
mkdir -p docs/images
"$limber" run scenes/bar_gravity.toml -o "$out/bar" >/dev/null
picture bar last bar
"$limber" run scenes/twisted_beam.toml -o "$out/twist" >/dev/null
picture twist last twist --color von_mises
"$limber" run scenes/sphere_drop.toml -o "$out/ball" --steps 240 >/dev/null
page() { node tools/page_picture.mjs "$limber" "docs/images/$1.png" "${@:2}"; }
page page scenes/soft_finger.toml --pull --colour=von_mises
page contact_forces scenes/pad_on_sphere.toml --contacts
picture ball 80 ball --edges --eye 0.3 0.38 0.95 --target -0.31 0.17 0
