#!/usr/bin/env bash
# Installs what the live page is made of (package-lock.json: exact versions and checksums) into node_modules/.
# Idempotent and silent when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=node_modules/.installed-lock.json
cmp -s package-lock.json "$stamp" && exit 0
command -v npm >/dev/null || { echo "error: npm is missing; tools/packages.sh installs it" >&2; exit 4; }
echo "installing npm packages into node_modules"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Without scripts: nothing here needs one, and none should run.
npm ci --ignore-scripts --no-audit --no-fund >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  echo "error: npm could not install package-lock.json (is the network there?)" >&2
  exit 4
}
cp package-lock.json "$stamp"
