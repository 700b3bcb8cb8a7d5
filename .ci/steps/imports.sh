#!/usr/bin/env bash
# each module imports only what the table in this file allows it
#
# Read from the text rather than asked of the compiler, which on one platform never sees what the
# other branches of an `#if` import.
set -euo pipefail
source .ci/lib.sh

libc="Glibc Musl Bionic Android Darwin WASILibc"

# module: what it may import
allowed_imports() {
    case $1 in
    FlatCache) echo "Swift Synchronization Observation $libc" ;;
    FlatCacheDispatch) echo "FlatCache Dispatch $libc" ;;
    FlatCacheCombine) echo "FlatCache Combine OpenCombine" ;;
    FlatCachePersistenceCombine) echo "FlatCache FlatCacheCombine FlatCachePersistence" ;;
    FlatCachePersistence) echo "FlatCache Foundation Dispatch Observation Synchronization UIKit WatchKit $libc" ;;
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
