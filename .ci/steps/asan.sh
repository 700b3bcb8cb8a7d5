#!/usr/bin/env bash
# the tests run under AddressSanitizer without a report
#
# Left out are the scale tests, which would take many times as long, and tests that expect a process
# to end or that start and kill hundreds of processes. Leaks aren't reported: libraries of the tests
# keep memory until the end, and some tests create cycles on purpose. CI_ASAN_SKIP leaves out other
# tests: a regular expression for the output of `swift test list`.
set -euo pipefail
source .ci/lib.sh
make_work_folder

skip=${CI_ASAN_SKIP:-CacheScale|Traps|killedInTheMiddle}
log=$CI_WORK/asan.log

export ASAN_OPTIONS="detect_leaks=0 allocator_may_return_null=1 ${ASAN_OPTIONS-}"
# One test after another: instrumented code runs many times as long. If hundreds of tests ran at
# once, each with several threads, some would have to wait for a processor for minutes.
command=(
    swift test --enable-all-traits --no-parallel --sanitize=address --scratch-path .build/asan --skip "$skip"
)
echo "\$ ${command[*]}"
status=0
"${command[@]}" 2>&1 | tee "$log" || status=$?

reports=$(grep -c 'ERROR: AddressSanitizer' "$log" || true)
[ "$reports" -eq 0 ] || fail "AddressSanitizer reports $reports times; see above."
[ $status -eq 0 ] || fail "The tests ended with status $status."
require_tests "$log" "Leaving out '$skip' leaves no test: set CI_ASAN_SKIP right."
echo "No report from AddressSanitizer"
