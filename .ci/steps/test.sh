#!/usr/bin/env bash
# the tests build without a warning and pass, with the command of the README
set -euo pipefail
source .ci/lib.sh
make_work_folder

# The first line inside a fenced block that begins with `swift test`.
command=$(awk '/^[ \t]*(```|~~~)/ { fenced = !fenced; next }
    fenced && /^[ \t]*swift test/ { sub(/^[ \t]+/, ""); print; exit }' README.md)
[ -n "$command" ] || fail "README.md has no fenced line that begins with 'swift test'."

status=0
run_tests test bash -c "$command" || status=$?
# The steps that use this build need not build again.
if grep -q '^Build complete!' "$CI_WORK/test.log"; then touch "$CI_WORK/debug-build"; fi
test_summary "$CI_WORK/test.log" >"$CI_WORK/test-summary" || true
require_no_warnings "$CI_WORK/test.log"
[ $status -eq 0 ] || fail "'$command' ended with status $status."
require_tests "$CI_WORK/test.log" "No test was run."
