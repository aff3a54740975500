#!/usr/bin/env bash
# Runs scenes, draws a strip of four frames of each and writes docs/gallery.md again; scenes that are not named keep
# their picture and figures. Usage: tools/gallery.sh [scene...]; LIMBER names another program than build/release/limber.
set -euo pipefail
cd "$(dirname "$0")/.."
limber=${LIMBER:-build/release/limber}
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
mkdir -p docs/images/gallery

# scene, the four steps to show, options of limber render where everything in view is not the best view
strips="
bowling                  0,25,40,75 --eye -0.3 0.9 1.9 --target 0.35 0.15 0
snowman                  0,50,70,100
cars_spin                0,80,110,200
cars_sideways            0,40,60,120
dragon_drop              0,30,38,60
bear_squash              0,45,84,180
sheet_on_sphere          0,12,24,120
trampoline               0,10,42,56
hanging_sheet            0,10,22,30 --eye 0.0 1.6 3.2 --target 0.8 0.6 0
spider                   0,15,30,60
sculpture_small          0,24,30,60
sculpture_medium         0,20,30,60
sculpture_large          0,15,30,45
three_torus_stiff        0,24,36,90
three_torus_soft         0,24,36,90
bowl_of_bears            0,24,48,72 --eye 2.4 4.4 3.5 --target 0 1.0 0 --bits 5
dragon_twist             0,40,64,120 --bits 5
armadillo_pull           0,20,45,75
box_stretch              0,20,40,75
box_compress             0,20,40,75
box_twist                0,20,40,75
dragon_rubber            0,40,80,120 --bits 5
armadillo_rubber         0,46,76,120
box_rubber               0,40,74,120
helix_rubber             0,16,60,120
hanging_cloth            0,16,30,90 --eye 1.2 1.3 2.6 --target 0 0.75 0.1
dress                    0,200,300,440 --eye 2.6 1.3 1.6 --target 0 0.85 0
double_helix_41k         0,6,12,24
double_helix_82k         0,6,12,24
double_helix_158k        0,8,12,24
double_helix_316k        0,8,16,24
raptor_plane_36k         0,18,24,90
raptor_plane_59k         0,18,24,90
armadillo_torus          0,60,90,120
ten_tori                 0,20,40,100 --eye 1.0 1.3 1.8 --target 0.13 0.5 0.08
rolling_cylinder         0,50,100,150
heterogeneous_armadillo  0,20,50,100
pad_on_sphere            0,8,14,60
stack                    0,4,20,60
heterogeneous_stack      0,8,24,120
gripper                  0,40,70,110
pick_and_place           0,81,120,240
needle                   0,70,140,240
soft_finger              0,20,50,90
pneunet                  0,40,100,180
"

strip() {  # scene, steps, options
  local scene=$1 steps=$2
  "$limber" run "scenes/$scene.toml" -o "$runs/$scene" --steps "${steps##*,}" --log text >"$runs/$scene.log" 2>&1 ||
    { tail -3 "$runs/$scene.log" >&2; echo "gallery.sh: $scene did not run" >&2; return 1; }
  local small=(--bits 6)  # about 100 kB a strip
  if [[ "$*" == *--bits* ]]; then small=(); fi
  "$limber" render "$runs/$scene" --frame "$steps" --width 320 --height 240 "${small[@]}" "${@:3}" \
    -o "docs/images/gallery/$scene.png"
  rm -rf "$runs/$scene/vtu" "$runs/$scene/checkpoint"
}

failed=0
while read -r scene steps options; do
  [ -n "$scene" ] || continue
  if [ $# -gt 0 ] && [[ " $* " != *" $scene "* ]]; then continue; fi
  strip "$scene" "$steps" $options </dev/null || failed=1
done <<<"$strips"
/usr/bin/python3 tools/gallery_page.py "$runs" $(awk '{print $1}' <<<"$strips")
exit $failed
