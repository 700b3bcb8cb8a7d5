#!/usr/bin/env bash
# the tour prints what its expected output says, and names a broken response instead of crashing
set -euo pipefail
source .ci/lib.sh
make_work_folder

expected=Tests/BookshopTests/ExpectedOutput.txt
responses=Sources/Bookshop/Responses
work=$CI_WORK/bookshop
mkdir -p "$work/responses"

# show file title: a captured stream, for the log.
show() { sed "s/^/    $2: /" "$1"; }

check_expected_output() {
    # The tour needs no trait; these are those of the build that the tests have left.
    echo "\$ swift run --enable-all-traits Bookshop"
    # The package manager's progress goes to the error stream, the tour's own output does not.
    if ! swift run --enable-all-traits Bookshop >"$work/output" 2>"$work/errors"; then
        show "$work/output" stdout
        show "$work/errors" stderr
        fail "Bookshop ended with an error."
    fi
    if ! diff -u "$expected" "$work/output"; then
        show "$work/errors" stderr
        fail "Bookshop prints something else than $expected (-: expected, +: printed). Where the" \
            "change is meant: swift run Bookshop >$expected"
    fi
    echo "$(wc -l <"$work/output" | tr -d ' ') lines, as in $expected"
}

# One response as it is, and one that a dropped connection cut in half.
check_broken_response() {
    local files=("$responses"/*.json) status=0
    [ -e "${files[1]-}" ] || fail "$responses has to hold at least two responses."
    local valid=${files[0]} broken=${files[1]}
    cp "$valid" "$work/responses/"
    head -c $(($(wc -c <"$broken") / 2)) "$broken" >"$work/responses/$(basename "$broken")"

    echo "\$ Bookshop FOLDER, with a whole $(basename "$valid") and half a $(basename "$broken")"
    "$(swift build --show-bin-path)/Bookshop" "$work/responses" \
        >"$work/output" 2>"$work/errors" || status=$?
    show "$work/output" stdout
    show "$work/errors" stderr
    [ "$status" -ne 0 ] || fail "A broken response must make Bookshop end with an error."
    [ "$status" -lt 128 ] || fail "Bookshop crashed (status $status) on a broken response."
    grep -q "$(basename "$broken")" "$work/errors" ||
        fail "The error message has to name the file: $(basename "$broken")"
    echo "Exit status $status, and the message names the file"
}

check_expected_output
check_broken_response
