#!/usr/bin/env bash
# the package and its tests build without a warning, for debugging and optimized
#
# In scratch folders of their own: other flags than those of `swift test` in one folder would have
# each step compile everything anew.
set -euo pipefail
source .ci/lib.sh
make_work_folder

build() {
    echo "\$ swift build $*"
    swift build -Xswiftc -warnings-as-errors "$@" 2>&1 | tee "$CI_WORK/build.log"
    # The compiler's warnings are errors by the flag above; these are the package manager's own,
    # such as a file in a target's folder that the manifest does not mention.
    if grep -q '^warning: ' "$CI_WORK/build.log"; then
        fail "The package manager warns; see above."
    fi
}

# Without traits the package depends on nothing, so nothing may be fetched.
build --scratch-path .build/strict --build-tests
build --scratch-path .build/strict -c release
if [ -n "$(ls .build/strict/checkouts 2>/dev/null)" ]; then
    fail "Building without traits fetched packages: $(ls .build/strict/checkouts)"
fi

# What only a trait brings; the rest is the same. The step `release` compiles it optimized.
build --scratch-path .build/strict-traits --enable-all-traits --target FlatCacheCombineTests
echo "No warnings, and no package fetched without a trait"
