#!/usr/bin/env bash
# each module imports only the modules that the table in this file allows
#
# Reads the text rather than asking the compiler, which on one platform never sees the imports in
# the other branches of an `#if`.
set -euo pipefail
source .ci/lib.sh

libc="Glibc Musl Bionic Android Darwin WASILibc"

# The modules that each module can import.
allowed_imports() {
    case $1 in
    FlatCache) echo "Swift Synchronization Observation $libc" ;;
    FlatCacheFoundation) echo "FlatCache Foundation FoundationEssentials" ;;
    FlatCacheDispatch) echo "FlatCache Dispatch $libc" ;;
    FlatCacheCombine) echo "FlatCache Combine OpenCombine" ;;
    FlatCacheMacros) echo "SwiftCompilerPlugin SwiftDiagnostics SwiftSyntax SwiftSyntaxBuilder SwiftSyntaxMacros" ;;
    FlatCacheTesting) echo "FlatCache FlatCachePersistence Dispatch" ;;
    FlatCachePersistenceCombine) echo "FlatCache FlatCacheCombine FlatCachePersistence" ;;
    FlatCachePersistence) echo "FlatCache Foundation Dispatch Observation Synchronization AppKit UIKit WatchKit $libc" ;;
    Bookshop) echo "FlatCache FlatCachePersistence Foundation" ;;
    *) return 1 ;;
    esac
}

status=0
for folder in Sources/*/; do
    module=$(basename "$folder")
    if ! allowed=$(allowed_imports "$module"); then
        echo "Sources/$module: not in the table. Add it, with what it may import, to" \
            "allowed_imports in .ci/steps/imports.sh."
        status=1
        continue
    fi
    files=()
    while IFS= read -r file; do files+=("$file"); done < <(find "$folder" -name '*.swift' | sort)
    if [ ${#files[@]} -eq 0 ]; then
        echo "Sources/$module: no source file"
        status=1
        continue
    fi
    awk -v module="$module" -v allowed="$allowed" -v libc="$libc" \
        -f .ci/tools/imports.awk "${files[@]}" || status=1
done
exit $status
