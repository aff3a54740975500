#!/usr/bin/env bash
# What npm's own error text (standard input) means, in one line: no network, a proxy, a certificate, the registry, the disk.
# Argument: the proxy that npm was to use, if any; its error is the same whether that or the registry does not answer.
set -euo pipefail
proxy=${1:-}
text=$(cat)
has() { grep -qiE -- "$1" <<<"$text"; }
# npm names the cause once ("code ECONNREFUSED"); in what follows it the same letters may be part of a path.
code=$(sed -nE 's/^npm (ERR!|error) code +([A-Za-z0-9_]+).*/\2/p' <<<"$text" | head -n 1)

certificate='SELF_SIGNED_CERT|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)|CERT_(HAS_EXPIRED|NOT_YET_VALID|UNTRUSTED)|ERR_TLS_CERT|ERR_SSL|EPROTO'
network='FETCH_ERROR|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|EPIPE|ENETDOWN'
case $code in
  E407) echo "proxy: it asks for a name and a password (npm: 407)" ;;
  E401 | E403) echo "registry: it refuses this machine (npm: $code); a proxy or npm's settings may be behind it" ;;
  E404) echo "registry: a package is not there (npm: E404)" ;;
  E5[0-9][0-9]) echo "registry: it fails itself at the moment (npm: $code)" ;;
  EINTEGRITY) echo "registry: a package differs from its checksum in package-lock.json (npm: EINTEGRITY)" ;;
  ENOSPC | EDQUOT) echo "disk: no space left for node_modules (npm: $code)" ;;
  EACCES | EPERM | EROFS) echo "disk: node_modules or npm's cache may not be written (npm: $code)" ;;
  EUSAGE) echo "package-lock.json and package.json do not belong together (npm: EUSAGE)" ;;
  EBADENGINE) echo "node is too old: the page needs 18 or newer (npm: EBADENGINE)" ;;
  *)
    if [[ $code =~ ($certificate) ]] || has '(self[- ]signed|local issuer) certificate|certificate has expired'; then
      echo "certificate: npm does not trust that of the registry or of a proxy in between (npm: ${code:-certificate}); NODE_EXTRA_CA_CERTS=FILE names the proxy's own"
    elif has 'tunneling socket|statusCode=407' || { [ -n "$proxy" ] && [[ $code =~ ^($network)$ ]]; }; then
      echo "proxy: ${proxy:-the one npm is set to use} does not let npm through (npm: ${code:-no tunnel})"
    elif [[ $code =~ ^($network)$ ]]; then
      echo "no network: the registry cannot be reached (npm: $code)"
    else
      last=$(grep -E '^npm (ERR!|error) ' <<<"$text" | grep -vE 'A complete log|^npm (ERR!|error) code |^npm (ERR!|error) *$' | head -n 1 | sed -E 's/^npm (ERR!|error) +//' || true)
      echo "npm says: ${last:-nothing}${code:+ (npm: $code)}"
    fi
    ;;
esac
