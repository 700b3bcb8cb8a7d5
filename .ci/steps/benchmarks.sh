#!/usr/bin/env bash
# the package of the benchmarks builds, its tests pass, and each row runs
#
# The step doesn't compare the results with the targets, since results from a shared machine mean
# nothing.
set -euo pipefail
source .ci/lib.sh
make_work_folder

run_tests "$CI_WORK/benchmark-tests.log" swift test --package-path Benchmarks
require_tests "$CI_WORK/benchmark-tests.log" "No test was run."

echo "\$ swift run --package-path Benchmarks -c release Compare --quick"
swift run --package-path Benchmarks -c release Compare --quick --output "$CI_WORK/benchmarks" 2>&1 |
    tee "$CI_WORK/benchmarks.log"
[ -s "$CI_WORK/benchmarks/results.json" ] || fail "Compare has written no results.json."
[ -s "$CI_WORK/benchmarks/results.svg" ] || fail "Compare has written no results.svg."
if grep -qiE 'crashed|no result' "$CI_WORK/benchmarks.log"; then
    fail "A row has no result; see above."
fi
