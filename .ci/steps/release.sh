#!/usr/bin/env bash
# optimized and without traits, everything builds without a warning, and tests pass
#
# Optimized tests can reveal errors that debug builds don't show. The step runs those with threads
# and the model tests, under AddressSanitizer, so that one build finds both kinds of errors. With an
# empty CI_RELEASE_SANITIZER, it runs them without the sanitizer, and also the tests that a
# sanitizer can't run.
#
# Without a trait, SwiftPM builds no other package, so that warnings can be errors. The step defines
# the hooks for tests, which the manifest only defines for debugging.
set -euo pipefail
source .ci/lib.sh
make_work_folder

choose_test_targets "$concurrency_targets,FlatCacheModelTests"
resolve_packages
flags=(
    -c release -Xswiftc -enable-testing -Xswiftc -DTestHooks -Xswiftc -warnings-as-errors
    --only-use-versions-from-resolved-file
)
sanitizer=${CI_RELEASE_SANITIZER-address}
if [ -n "$sanitizer" ]; then
    # Leaks aren't reported: libraries of the tests keep memory until the end, and some tests create
    # cycles on purpose.
    export ASAN_OPTIONS="detect_leaks=0 allocator_may_return_null=1 ${ASAN_OPTIONS-}"
    flags+=(--sanitize="$sanitizer" --skip "$unsanitized")
fi
status=0
run_tests release swift test "${flags[@]}" \
    --scratch-path ".build/release-tests${sanitizer:+-$sanitizer}" || status=$?
if grep -q 'FATAL: AddressSanitizer' "$CI_WORK/release.log"; then fail "$unusable_sanitizer"; fi
# The flag above concerns the compiler. These are SwiftPM's own warnings, such as one for a file in
# a target's folder that the manifest doesn't mention.
require_no_warnings "$CI_WORK/release.log"
[ $status -eq 0 ] || fail "The optimized tests ended with status $status."
require_tests "$CI_WORK/release.log" "No test was run."
