#!/usr/bin/env bash
# Compiles one .cu file and keeps what ptxas says of registers and spills beside the object; all of it is shown when it fails.
#   tools/nvcc.sh NVCC SOURCE OBJECT FLAG...
set -euo pipefail
nvcc=$1 source=$2 object=$3; shift 3
mkdir -p "$(dirname "$object")"
"$nvcc" "$@" -MD -MF "$object.d" -MT "$object" -c "$source" -o "$object" >"$object.log" 2>&1 || { cat "$object.log" >&2; exit 1; }
