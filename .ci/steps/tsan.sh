#!/usr/bin/env bash
# the tests run under ThreadSanitizer without a report
#
# Left out are the scale tests, which run on one thread and would take many times as long, and the
# tests that start and kill hundreds of processes, which aren't instrumented. CI_TSAN_SKIP leaves
# out others: a regular expression for the output of `swift test list`.
#
# On Linux the standard library's Mutex has a slow path that ThreadSanitizer doesn't see, so it
# reports races that don't exist. The tests therefore share their state through other locks.
set -euo pipefail
source .ci/lib.sh
make_work_folder

skip=${CI_TSAN_SKIP:-CacheScale|killedInTheMiddle}
log=$CI_WORK/tsan.log

# The log should contain every report, not only the first.
export TSAN_OPTIONS="halt_on_error=0 allocator_may_return_null=1 ${TSAN_OPTIONS-}"
# One test after another: instrumented code runs many times as long. If hundreds of tests ran at
# once, each with several threads, some would have to wait for a processor for minutes.
command=(
    swift test --enable-all-traits --no-parallel --sanitize=thread --scratch-path .build/tsan --skip "$skip"
)
echo "\$ ${command[*]}"
status=0
"${command[@]}" 2>&1 | tee "$log" || status=$?

if grep -q 'FATAL: ThreadSanitizer' "$log"; then
    fail "ThreadSanitizer cannot start here. Where the kernel randomizes addresses too widely, a" \
        "container needs --security-opt seccomp=unconfined to switch that off."
fi
reports=$(grep -c 'WARNING: ThreadSanitizer' "$log" || true)
[ "$reports" -eq 0 ] || fail "ThreadSanitizer reports $reports times; see above."
[ $status -eq 0 ] || fail "The tests ended with status $status."
require_tests "$log" "Leaving out '$skip' leaves no test: set CI_TSAN_SKIP right."
echo "No report from ThreadSanitizer"
