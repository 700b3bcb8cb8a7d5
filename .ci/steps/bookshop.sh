#!/usr/bin/env bash
# the tour prints its expected output, remembers, reports edits, and names broken files
set -euo pipefail
source .ci/lib.sh
make_work_folder

expected=Tests/BookshopTests/ExpectedOutput.txt
responses=Sources/Bookshop/Responses
work=$CI_WORK/bookshop
data=$work/data
mkdir -p "$work/responses"

# show file title: prints a captured stream for the log.
show() { sed "s/^/    $2: /" "$1"; }

# compare expected_file message: compares a file with the standard output of a run, in which the
# word FOLDER replaces the data folder.
compare() {
    if ! sed "s|$data|FOLDER|" "$work/output" | diff -u "$1" -; then
        show "$work/errors" stderr
        fail "$2"
    fi
}

check_expected_output() {
    # The tour needs no trait; these are the traits of the tests' build.
    echo "\$ swift run --enable-all-traits Bookshop --data FOLDER, which is new"
    # SwiftPM writes its progress to standard error, the tour to standard output.
    if ! swift run --enable-all-traits Bookshop --data "$data" \
        >"$work/output" 2>"$work/errors"; then
        show "$work/output" stdout
        show "$work/errors" stderr
        fail "Bookshop ended with an error."
    fi
    compare "$expected" "Bookshop prints something else than $expected (-: expected, +: printed).
If the change is meant: swift run Bookshop --data /NEW | sed 's|/NEW|FOLDER|' >$expected"
    echo "$(wc -l <"$work/output" | tr -d ' ') lines, as in $expected"
}

# The second visit differs from the first in one line.
check_memory() {
    local new='  a new draft of 3 books'
    local remembered='  a draft of 3 books, remembered from an earlier visit'
    [ "$(grep -c "$new\$" "$expected")" -eq 1 ] ||
        fail "$expected has to have a line that ends with '$new', which the second visit replaces."
    sed "s/$new\$/$remembered/" "$expected" >"$work/expected"

    echo "\$ Bookshop --data FOLDER, once more"
    "$bookshop" --data "$data" >"$work/output" 2>"$work/errors" ||
        fail "Bookshop's second run ended with an error: $(tail -n 5 "$work/errors")"
    compare "$work/expected" \
        "Bookshop's second run does not remember the first (-: expected, +: printed)."
    echo "It remembers the first"
}

# await file text: waits until a line of the file contains the text, for up to three minutes on a
# busy machine.
await() {
    local deadline=$((SECONDS + 180))
    until grep -qF -- "$2" "$1"; do
        if [ "$SECONDS" -ge "$deadline" ] || ! kill -0 "$watching" 2>/dev/null; then
            show "$work/output" stdout
            show "$work/errors" stderr
            fail "Bookshop --watch has not said: $2"
        fi
        sleep 0.1
    done
    grep -F -- "$2" "$1" | tail -n 1 | sed 's/^/    /'
}

# stop command: ends the watch with a command, and checks that it ends without an error.
stop() {
    local status=0
    "$@"
    wait "$watching" || status=$?
    [ "$status" -eq 0 ] || fail "After '$*' Bookshop --watch ended with status $status."
    grep -qx "No longer watching." "$work/output" ||
        fail "After '$*' Bookshop --watch did not say that it ends."
}

# start_watching: starts a watch whose input stays open until close_input, or until this script
# ends.
start_watching() {
    exec 9<>"$work/input"
    # Emptied here, because `await` could otherwise find the output of the watch before.
    : >"$work/output"
    # The reader must not hold the writing end, because the input would then never end.
    "$bookshop" --data "$data" --watch <"$work/input" 9>&- >"$work/output" 2>"$work/errors" &
    watching=$!
    await "$work/output" "/order.json"
}
close_input() { exec 9>&-; }

check_watch() {
    mkfifo "$work/input"
    echo "\$ Bookshop --data FOLDER --watch, and edits by hand"
    start_watching
    sed 's/The Left Hand of Darkness/Emma/' "$data/order.json" >"$work/edited"
    cat "$work/edited" >"$data/order.json"
    await "$work/output" "order.json: 3 books; A Wizard of Earthsea (1968); Emma (1969); "
    # Replaces the file, as most editors do.
    printf '{"sorting": "year"}' >"$data/settings.json.new"
    mv "$data/settings.json.new" "$data/settings.json"
    await "$work/output" "settings.json: orders are sorted by year"
    printf '{\n  "items": [,]\n}\n' >"$data/order.json"
    await "$work/errors" "order.json: The given data was not valid JSON"
    [ "$(sed -n 2p "$data/order.json")" = '  "items": [,]' ] ||
        fail "Bookshop --watch has changed the file that it does not understand."
    rm "$data/order.json"
    await "$work/output" "order.json: deleted; now there is no draft"
    cp "$work/edited" "$data/order.json"
    await "$work/output" "order.json: 3 books; The Fellowship of the Ring (1954); "
    echo "Ctrl-C"
    stop kill -INT "$watching"
    close_input
    echo "The end of the input"
    start_watching
    stop close_input
}

# A complete response, and one that a dropped connection cut in half.
check_broken_response() {
    local files=("$responses"/*.json) status=0
    [ -e "${files[1]-}" ] || fail "$responses has to hold at least two responses."
    local valid=${files[0]} broken=${files[1]}
    cp "$valid" "$work/responses/"
    head -c $(($(wc -c <"$broken") / 2)) "$broken" >"$work/responses/$(basename "$broken")"

    echo "\$ Bookshop FOLDER, with a whole $(basename "$valid") and half a $(basename "$broken")"
    "$bookshop" --data "$data" "$work/responses" \
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
bookshop=$(swift build --show-bin-path)/Bookshop
check_memory
check_watch
check_broken_response
