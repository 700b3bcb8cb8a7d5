#!/usr/bin/env bash
# the tests with threads run under ThreadSanitizer without a report
#
# CI_TSAN_SKIP leaves out other tests: a regular expression for the output of `swift test list`.
#
# On Linux the standard library's Mutex has a slow path that ThreadSanitizer doesn't see, so it
# reports races that don't exist. The tests therefore share their state through other locks. The
# build isn't optimized, since ThreadSanitizer doesn't see the reference counts either, on which
# inlined code of arrays relies.
set -euo pipefail
source .ci/lib.sh
make_work_folder

# The log should contain every report, not only the first.
options="halt_on_error=0 allocator_may_return_null=1 suppressions='$PWD/.ci/tsan.suppressions'"
export TSAN_OPTIONS="$options ${TSAN_OPTIONS-}"
sanitized_tests tsan ThreadSanitizer thread \
    "$concurrency_targets,FlatCacheCombineTests,FlatCacheDispatchTests" \
    "${CI_TSAN_SKIP:-$unsanitized}"
