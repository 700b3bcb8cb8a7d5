#!/usr/bin/env bash
# the tests run under ThreadSanitizer without a report
#
# All but those of scale, which run on one thread and would take many times as long, and those that start
# and kill hundreds of processes, which are not looked into. CI_TSAN_SKIP
# names others to leave out: a regular expression over what `swift test list` prints.
#
# On Linux the standard library's Mutex has a slow path that ThreadSanitizer does not see, so it
# reports races that are none: the tests have to share their state through other locks.
set -euo pipefail
source .ci/lib.sh
make_work_folder

skip=${CI_TSAN_SKIP:-CacheScale|killedInTheMiddle}
log=$CI_WORK/tsan.log

# Every report, not only the first, belongs in the log.
export TSAN_OPTIONS="halt_on_error=0 allocator_may_return_null=1 ${TSAN_OPTIONS-}"
# One after another: code that is watched runs many times as long, and of hundreds of tests at once, each
# with threads of its own, some would have to wait for a processor for minutes.
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
