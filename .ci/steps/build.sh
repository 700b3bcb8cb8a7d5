#!/usr/bin/env bash
# without traits, the package fetches nothing and builds without a warning, also optimized
#
# The step `test` builds everything with all traits, and finds the warnings of the debug build.
set -euo pipefail
source .ci/lib.sh
make_work_folder

# Uses a scratch folder of its own, since its flags aren't those of `swift test`.
build() {
    local command=(swift build --scratch-path .build/strict -Xswiftc -warnings-as-errors "$@")
    echo "\$ ${command[*]}"
    "${command[@]}" 2>&1 | tee "$CI_WORK/build.log"
    # The flag above concerns the compiler. These are SwiftPM's own warnings, such as one for a file
    # in a target's folder that the manifest doesn't mention.
    require_no_warnings "$CI_WORK/build.log"
}

build -c release
# The targets that a trait changes.
build --target FlatCacheCombineTests
if [ -n "$(ls .build/strict/checkouts 2>/dev/null)" ]; then
    fail "Building without traits fetched packages: $(ls .build/strict/checkouts)"
fi
echo "No warnings, and no package fetched without a trait"
