#!/usr/bin/env bash
# Installs what the live page is made of (package-lock.json: exact versions and checksums) into node_modules/.
# Idempotent and silent when nothing is missing. Where npm fails the last line says why, in words.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=node_modules/.installed-lock.json
cmp -s package-lock.json "$stamp" && exit 0
command -v npm >/dev/null || { echo "npm is missing; tools/packages.sh installs it" >&2; exit 4; }
echo "installing npm packages into node_modules"
# Node brings certificates of its own and does not look at the system's, where a company adds that of its proxy.
system=/etc/ssl/certs/ca-certificates.crt
if [ -z "${NODE_EXTRA_CA_CERTS:-}" ] && [ -r "$system" ]; then
  export NODE_EXTRA_CA_CERTS=$system
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Without scripts: nothing here needs one, and none should run. Three tries in seconds: npm's own pauses take minutes.
npm ci --ignore-scripts --no-audit --no-fund --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  proxy=${HTTPS_PROXY:-${https_proxy:-$(npm config get https-proxy 2>/dev/null || true)}}
  [ "$proxy" != null ] || proxy=${HTTP_PROXY:-${http_proxy:-}}
  tools/npm_reason.sh "$proxy" <"$log" >&2
  exit 4
}
cp package-lock.json "$stamp"
