#!/usr/bin/env bash
# the tour runs as a process: its output, its exit status, and the end of a watch
#
# The tests check the rest, with the same code in their own process.
set -euo pipefail
source .ci/lib.sh
make_work_folder

work=$CI_WORK/bookshop
data=$work/data
mkdir -p "$work/responses"

# show_and_fail message: prints what the process has printed, and fails.
show_and_fail() {
    sed 's/^/    stdout: /' "$work/output"
    sed 's/^/    stderr: /' "$work/errors"
    fail "$1"
}

check_expected_output() {
    local expected=Tests/BookshopTests/ExpectedOutput.txt
    # The tour needs no trait; these are the traits of the tests' build.
    echo "\$ swift run --enable-all-traits Bookshop --data FOLDER, which is new"
    # SwiftPM writes its progress to standard error, the tour to standard output.
    swift run --enable-all-traits Bookshop --data "$data" >"$work/output" 2>"$work/errors" ||
        show_and_fail "Bookshop ended with an error."
    # The word FOLDER replaces the data folder.
    sed "s|$data|FOLDER|" "$work/output" | diff -u "$expected" - ||
        show_and_fail "Bookshop prints something else than $expected (-: expected, +: printed).
If the change is meant: swift run Bookshop --data /NEW | sed 's|/NEW|FOLDER|' >$expected"
}

check_broken_response() {
    local status=0
    echo '{"id": 1, "title": ' >"$work/responses/books-1.json"
    echo "\$ Bookshop FOLDER, with a broken response"
    "$bookshop" --data "$data" "$work/responses" >"$work/output" 2>"$work/errors" || status=$?
    [ "$status" -eq 1 ] || show_and_fail "The exit status has to be 1, and is $status."
    grep -q books-1.json "$work/errors" || show_and_fail "The error message has to name the file."
}

check_watch() {
    local watching deadline=$((SECONDS + 180)) status=0
    echo "\$ Bookshop --data FOLDER --watch, until Ctrl-C"
    mkfifo "$work/input"
    # The input stays open, because the watch would end with it.
    exec 9<>"$work/input"
    "$bookshop" --data "$data" --watch <"$work/input" 9>&- >"$work/output" 2>"$work/errors" &
    watching=$!
    until grep -qF "/order.json" "$work/output"; do
        [ "$SECONDS" -lt "$deadline" ] || show_and_fail "Bookshop does not say what it watches."
        sleep 0.1
    done
    kill -INT "$watching"
    wait "$watching" || status=$?
    [ "$status" -eq 0 ] || show_and_fail "After Ctrl-C the exit status is $status."
    grep -qx "No longer watching." "$work/output" || show_and_fail "Bookshop does not say its end."
}

check_expected_output
bookshop=$(swift build --show-bin-path)/Bookshop
check_broken_response
check_watch
