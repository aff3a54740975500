#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pictures of the built-in shapes: tools/shape_gallery.sh [LIMBER [NAME...]] -> docs/images/shapes/.
set -euo pipefail
cd "$(dirname "$0")/.."
limber=${1:-build/release/limber}
[ $# -gt 0 ] && shift
out=docs/images/shapes
mkdir -p "$out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# name, then the number of tets, then keys of the body that turn it towards the camera
picture() {
    local name=$1 tets=$2 turn=${3:-0} more=${4:-}
    cat > "$tmp/$name.toml" <<TOML
limber = 1
gravity = [0, 0, 0]
[time]
step = 0.01
steps = 0
[[body]]
name = "$name"
shape = "$name"
tets = $tets
rotate = { axis = [0, 1, 0], angle = "$turn deg" }
$more
TOML
    "$limber" run "$tmp/$name.toml" -o "$tmp/$name" > "$tmp/log" 2>&1 || { cat "$tmp/log" >&2; exit 1; }
    "$limber" render "$tmp/$name" --frame 0 --width 480 --height 360 -o "$out/$name.png" > /dev/null
    echo "$out/$name.png"
}

wanted() { [ ${#only[@]} -eq 0 ] || [[ " ${only[*]} " == *" $1 "* ]]; }
only=("$@")

while read -r name tets turn more; do
    [ -n "$name" ] && wanted "$name" && picture "$name" "$tets" "$turn" "$more"
done <<'TABLE'
box 6000 20
beam 6000 20
sheet 5000 20 size = [1, 0.005, 1]
cylinder 8000 20
sphere 20000 20
torus 40000 20
three_torus 60000 20
sculpture 329131 20
double_helix 60000 20
bear 180000 -50
dragon 300000 -35
spider 120000 -45
raptor 150000 -25
armadillo 200000 -50
snowman 150000 -55
bowling_pin 40000 0
bowling_ball 120000 -60
car 200000 -20
bowl 90000 0
finger 120000 85
liver 120000 0
TABLE
