#!/usr/bin/env bash
# the tests run under AddressSanitizer without a report
#
# All but those of scale, which would take many times as long, and those that expect a process to
# end, which start processes of their own, or that start and kill hundreds. Leaks are not looked for: what the tests' libraries keep
# until the end, and cycles that tests make on purpose, would be listed too. CI_ASAN_SKIP names other
# tests to leave out: a regular expression over what `swift test list` prints.
set -euo pipefail
source .ci/lib.sh
make_work_folder

skip=${CI_ASAN_SKIP:-CacheScale|Traps|killedInTheMiddle}
log=$CI_WORK/asan.log

export ASAN_OPTIONS="detect_leaks=0 allocator_may_return_null=1 ${ASAN_OPTIONS-}"
# One after another: code that is watched runs many times as long, and of hundreds of tests at once, each
# with threads of its own, some would have to wait for a processor for minutes.
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
