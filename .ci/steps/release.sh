#!/usr/bin/env bash
# the optimized tests pass, which can reveal errors that debug builds don't show
set -euo pipefail
source .ci/lib.sh
make_work_folder

log=$CI_WORK/release.log
status=0
run_tests "$log" swift test "${release_flags[@]}" || status=$?
[ $status -eq 0 ] || fail "The optimized tests ended with status $status."
require_tests "$log" "No test was run."
