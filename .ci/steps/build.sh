#!/usr/bin/env bash
# the package and its tests build without a warning, for debugging and optimized
#
# In a scratch folder of its own: other flags than those of `swift test` in one folder would have
# each step compile everything anew.
set -euo pipefail
source .ci/lib.sh
make_work_folder

scratch=.build/strict

build() {
    echo "\$ swift build $*"
    swift build --scratch-path "$scratch" -Xswiftc -warnings-as-errors "$@" 2>&1 |
        tee "$CI_WORK/build.log"
    # The compiler's warnings are errors by the flag above; these are the package manager's own,
    # such as a file in a target's folder that the manifest does not mention.
    if grep -q '^warning: ' "$CI_WORK/build.log"; then
        fail "The package manager warns; see above."
    fi
}

build --build-tests
build -c release

# Without traits the package depends on nothing, so nothing may have been fetched.
if [ -n "$(ls "$scratch/checkouts" 2>/dev/null)" ]; then
    fail "Building fetched packages: $(ls "$scratch/checkouts")"
fi
echo "No warnings, no dependency fetched"
