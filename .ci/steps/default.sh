#!/usr/bin/env bash
# the tests pass without any trait, as in a client that doesn't ask for one
#
# Uses the folder and the flags of the step `build`, after which nothing is left to compile.
set -euo pipefail
source .ci/lib.sh
make_work_folder

log=$CI_WORK/default.log
command=(swift test --scratch-path .build/strict -Xswiftc -warnings-as-errors)
echo "\$ ${command[*]}"
status=0
"${command[@]}" 2>&1 | tee "$log" || status=$?
[ $status -eq 0 ] || fail "Without traits, the tests ended with status $status."
require_tests "$log" "No test was run."
