#!/usr/bin/env bash
# optimized and without traits, everything builds without a warning, and tests pass
#
# Optimized tests can reveal errors that debug builds don't show. The step runs those with threads
# and the model tests. Without a trait, SwiftPM builds no other package, so that warnings can be
# errors. It defines the hooks for tests, which the manifest only defines for debugging.
set -euo pipefail
source .ci/lib.sh
make_work_folder

choose_test_targets "$concurrency_targets,FlatCacheModelTests"
resolve_packages
status=0
run_tests release swift test --only-use-versions-from-resolved-file -c release \
    -Xswiftc -enable-testing -Xswiftc -DTestHooks -Xswiftc -warnings-as-errors \
    --scratch-path .build/release-tests || status=$?
# The flag above concerns the compiler. These are SwiftPM's own warnings, such as one for a file in
# a target's folder that the manifest doesn't mention.
require_no_warnings "$CI_WORK/release.log"
[ $status -eq 0 ] || fail "The optimized tests ended with status $status."
require_tests "$CI_WORK/release.log" "No test was run."
