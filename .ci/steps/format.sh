#!/usr/bin/env bash
# swift format lint finds nothing, and no comment is longer than 100 columns
set -euo pipefail
source .ci/lib.sh

paths=(Package.swift)
for folder in Sources Tests Benchmarks .ci/client .ci/preludes .ci/stubs; do
    [ -d "$folder" ] && paths+=("$folder")
done

swift format lint --strict --parallel --recursive "${paths[@]}" ||
    fail "Repair most of it with: swift format --in-place --recursive ${paths[*]}"

# The compiler's messages that .ci/client/Refused quotes stay on one line.
long=$(find "${paths[@]}" -name .build -prune -o -name '*.swift' -print0 |
    xargs -0 awk '/^ *\/\// && !/\/\/ (error|flags):/ && length($0) > 100 { print FILENAME ":" FNR }')
[ -z "$long" ] || fail "Comments are longer than 100 columns:
$long"
echo "Nothing found in: ${paths[*]}"
