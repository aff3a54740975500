#!/usr/bin/env bash
# Makes the Debian packages of a build folder (tools/package.cmake) and tries them out unpacked.
#   tools/debian.sh BUILD OUT     what to build: limber_app limber_bench limber limber_shared limber_python
set -euo pipefail
[ $# = 2 ] || { echo "usage: tools/debian.sh BUILD OUT" >&2; exit 2; }
build=$(realpath "$1") out=$2
fail() { echo "debian.sh: failed: $1" >&2; exit 1; }
grep -q '^LIMBER_PACKAGER:STRING=.' "$build/CMakeCache.txt" || fail "configure with -DLIMBER_PACKAGER=\"Name <address>\" (tools/package.cmake)"
rm -rf "$out"
mkdir -p "$out"
out=$(realpath "$out")
(cd "$build" && cpack -B "$out") >"$out/cpack.log" 2>&1 || { tail -n 30 "$out/cpack.log" >&2; fail "cpack"; }
rm -rf "$out/_CPack_Packages"
# cpack writes scripts that call ldconfig; the trigger that is in the package too is what Debian wants.
library=$(ls "$out"/liblimber0_*.deb)
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
dpkg-deb -R "$library" "$unpacked/deb"
rm -f "$unpacked"/deb/DEBIAN/{postinst,postrm}
dpkg-deb --root-owner-group -b "$unpacked/deb" "$library" >/dev/null

for package in "$out"/*.deb; do dpkg-deb -x "$package" "$unpacked/root"; done
version=$("$unpacked/root/usr/bin/limber" --version) || fail "limber --version"
"$unpacked/root/usr/bin/limber" list scenes | grep -q sphere_drop || fail "the packaged program does not find its scenes"
PYTHONPATH="$unpacked/root/usr/lib/python3/dist-packages" /usr/bin/python3 -c 'import limber; print(limber.build())' >/dev/null ||
  fail "import limber"
if command -v lintian >/dev/null; then
  user=()
  [ "$(id -u)" -ne 0 ] || user=(--allow-root)
  said=$(lintian "${user[@]}" "$out"/*.deb 2>&1) || true
  ! grep -E '^[EW]:' <<<"$said" || fail "lintian"
else
  echo "debian.sh: lintian is not installed: the packages were not looked at"
fi
ls -l "$out"/*.deb | awk '{print $5, $NF}'
echo "$version"
