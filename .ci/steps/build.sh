#!/usr/bin/env bash
# the package and its tests build without a warning, for debugging and optimized
#
# Uses scratch folders of its own: if one folder were used with other flags than those of
# `swift test`, each step would compile everything again.
set -euo pipefail
source .ci/lib.sh
make_work_folder

build() {
    echo "\$ swift build $*"
    swift build -Xswiftc -warnings-as-errors "$@" 2>&1 | tee "$CI_WORK/build.log"
    # The flag above makes the compiler's warnings errors. These are SwiftPM's own warnings, such as
    # one for a file in a target's folder that the manifest doesn't mention.
    if grep -q '^warning: ' "$CI_WORK/build.log"; then
        fail "The package manager warns; see above."
    fi
}

# Without traits the package has no dependencies, so SwiftPM must not fetch any.
build --scratch-path .build/strict --build-tests
build --scratch-path .build/strict -c release
if [ -n "$(ls .build/strict/checkouts 2>/dev/null)" ]; then
    fail "Building without traits fetched packages: $(ls .build/strict/checkouts)"
fi

# Only the targets that a trait changes. The step `release` compiles them optimized.
build --scratch-path .build/strict-traits --enable-all-traits --target FlatCacheCombineTests
echo "No warnings, and no package fetched without a trait"
