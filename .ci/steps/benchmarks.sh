#!/usr/bin/env bash
# the package of the benchmarks builds, its tests pass, and each row runs
#
# The tests and the rows use one optimized build. The step doesn't compare the results with the
# targets, since results from a shared machine mean nothing.
set -euo pipefail
source .ci/lib.sh
make_work_folder

run_tests benchmarks swift test "${benchmark_flags[@]}"
touch "$CI_WORK/benchmark-build"
require_tests "$CI_WORK/benchmarks.log" "No test was run."

compare=$(swift build "${benchmark_flags[@]}" --show-bin-path)/Compare
echo "\$ $compare --quick"
"$compare" --quick --output "$CI_WORK/benchmarks" 2>&1 | tee "$CI_WORK/rows.log"
[ -s "$CI_WORK/benchmarks/results.json" ] || fail "Compare has written no results.json."
if grep -qiE 'crashed|no result' "$CI_WORK/rows.log"; then
    fail "A row has no result; see above."
fi
