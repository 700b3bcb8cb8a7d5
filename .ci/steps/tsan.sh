#!/usr/bin/env bash
# the tests run under ThreadSanitizer without a report
#
# Left out are tests that run on one thread and would take many times as long (tests of scale, of
# long lists, and of structures and caches after random operations), and tests that start other
# processes or expect one to end. CI_TSAN_SKIP leaves out others: a regular expression for the
# output of `swift test list`.
#
# On Linux the standard library's Mutex has a slow path that ThreadSanitizer doesn't see, so it
# reports races that don't exist. The tests therefore share their state through other locks. The
# build isn't optimized, since ThreadSanitizer doesn't see the reference counts either, on which
# inlined code of arrays relies.
set -euo pipefail
source .ci/lib.sh
make_work_folder

# The log should contain every report, not only the first.
export TSAN_OPTIONS="halt_on_error=0 allocator_may_return_null=1 ${TSAN_OPTIONS-}"
skip='CacheScale|Traps|ProcessTests|ProcessesTests|HashIndexTests|WriteLogLimitTests'
skip+='|QueryOracleTests|UnwrittenEntitiesTests|\.ModelTests|LimitFuzzTests|CacheIndexKeysTests'
skip+='|CachedListModelTests|CachedListPagesModelTests|ArchiveModelTests|ChunkedDictionaryTests'
skip+='|CountedTreeModelTests|TreeDifferenceModelTests|DeadlineHeapTests|EvictionStateModelTests'
sanitized_tests ThreadSanitizer thread "${CI_TSAN_SKIP:-$skip}"
