#!/usr/bin/env bash
# the optimized tests pass, which can reveal errors that debug builds don't show
set -euo pipefail
source .ci/lib.sh
make_work_folder

log=$CI_WORK/release.log
command=(swift test "${traits[@]}" -c release -Xswiftc -enable-testing
    --scratch-path .build/release-tests)
status=0
run_tests "$log" "${command[@]}" || status=$?
[ $status -eq 0 ] || fail "The optimized tests ended with status $status."
require_tests "$log" "No test was run."
