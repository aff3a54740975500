#!/usr/bin/env bash
# Formats every source file in place.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -co --exclude-standard '*.h' '*.cpp' | xargs clang-format-14 -i
