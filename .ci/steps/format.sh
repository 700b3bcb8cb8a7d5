#!/usr/bin/env bash
# swift format lint finds nothing
set -euo pipefail
source .ci/lib.sh

paths=(Package.swift)
for folder in Sources Tests Benchmarks .ci/client .ci/preludes .ci/stubs; do
    [ -d "$folder" ] && paths+=("$folder")
done

swift format lint --strict --parallel --recursive "${paths[@]}" ||
    fail "Repair most of it with: swift format --in-place --recursive ${paths[*]}"
echo "Nothing found in: ${paths[*]}"
