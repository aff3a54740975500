#!/usr/bin/env bash
# Installs the Debian packages that are missing, and says which. Arguments: build | test (adds the test tools) | compile (build
# without node and npm) | page (those) | browser (a Chromium, for tests and pictures of the live page) | reference (programs that ./test.sh --long compares with) |
# blender (what --long opens exported runs with) | packaging (what looks at Debian packages).
# Idempotent and silent when nothing is missing; uses sudo where it is not root.
set -euo pipefail

compile=(build-essential cmake ninja-build pkg-config git ca-certificates
  libeigen3-dev libtbb-dev libmetis-dev libxxhash-dev nlohmann-json3-dev libtomlplusplus-dev libpugixml-dev
  libpng-dev zlib1g-dev libfmt-dev libcli11-dev libspectra-dev libboost-dev)
# A node that is there already will do, whoever packaged it: Debian's npm cannot be installed beside another's.
page=()
command -v npm >/dev/null || page=(nodejs npm)
browser=(chromium)
test=(libgtest-dev librapidcheck-dev libbenchmark-dev libopenblas-dev clang-format-14 clang-tidy-14
  python3 python3-meshio python3-jsonschema python3-vtk9 python3-numpy
  pybind11-dev python3-dev python3-scipy python3-matplotlib python3-hypothesis
  python3-build python3-wheel python3-setuptools python3-venv)

case "${1:-build}" in
  build) wanted=("${compile[@]}" "${page[@]}") ;;
  test) wanted=("${compile[@]}" "${page[@]}" "${test[@]}") ;;
  compile) wanted=("${compile[@]}") ;;
  page) wanted=("${page[@]}") ;;
  browser) wanted=("${browser[@]}") ;;
  reference) wanted=(calculix-ccx python3-meshio python3-numpy) ;;
  blender) wanted=(blender) ;;
  packaging) wanted=(lintian dpkg-dev) ;;
  *) echo "usage: tools/packages.sh [build|test|compile|page|browser|reference|blender|packaging]" >&2; exit 2 ;;
esac

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing Debian packages: ${missing[*]}"
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "error: not root and no sudo; install by hand: ${missing[*]}" >&2; exit 4; }
  sudo=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A new machine often updates itself in the background: wait for that, rather than fail.
install() { "${sudo[@]}" apt-get install -o DPkg::Lock::Timeout=600 -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; }
# The package lists may be missing or old: refresh them and try again before giving up.
install || { "${sudo[@]}" apt-get update >"$log" 2>&1 && install; } || {
  tail -n 20 "$log" >&2
  echo "error: apt-get could not install: ${missing[*]}" >&2
  exit 4
}
