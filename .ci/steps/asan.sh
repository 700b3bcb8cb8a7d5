#!/usr/bin/env bash
# at night: debug builds of the tests run under AddressSanitizer without a report
#
# Leaks aren't reported: libraries of the tests keep memory until the end, and some tests create
# cycles on purpose. CI_ASAN_SKIP leaves out other tests: a regular expression for the output of
# `swift test list`.
set -euo pipefail
source .ci/lib.sh
make_work_folder

export ASAN_OPTIONS="detect_leaks=0 allocator_may_return_null=1 ${ASAN_OPTIONS-}"
sanitized_tests asan AddressSanitizer address "$concurrency_targets,FlatCacheModelTests" \
    "${CI_ASAN_SKIP:-$unsanitized}"
