# Shared by .ci/run and the steps. They source it with the checkout's root as the working directory.

# The traits of builds with flags of their own. All traits would build SwiftSyntax once for each
# scratch folder, so only .build has them.
traits=(--traits OpenCombine)

# The flags of the optimized tests.
release_flags=(
    "${traits[@]}" -c release -Xswiftc -enable-testing --scratch-path .build/release-tests
)

heading() { printf '\n=== %s\n' "$*"; }

fail() {
    echo "error: $*" >&2
    exit 1
}

# require_tools tool:package …: installs the Debian package of each tool that is missing.
require_tools() {
    local pair tool packages=()
    for pair in "$@"; do
        command -v "${pair%%:*}" >/dev/null || packages+=("${pair#*:}")
    done
    [ ${#packages[@]} -eq 0 ] && return
    command -v apt-get >/dev/null || fail "Missing, and no apt-get to install it: ${packages[*]}"
    echo "Installing ${packages[*]}"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${packages[@]}" ||
        fail "apt-get could not install: ${packages[*]}"
}

# Installs the header of SQLite if it is missing. The manifest looks for it at this place.
require_sqlite() {
    [ "$(uname)" != Linux ] || [ -e /usr/include/sqlite3.h ] ||
        require_tools sqlite3.h:libsqlite3-dev
}

# Creates a work folder for a step that is run by hand, such as `bash .ci/steps/docs.sh`.
make_work_folder() {
    if [ -z "${CI_WORK-}" ]; then
        CI_WORK=$(mktemp -d)
        trap 'rm -rf "$CI_WORK"' EXIT
    fi
}

# Finds a tool of the toolchain that `swift` belongs to: beside it, or in the toolchain that
# swiftly, a symbolic link or Xcode selects.
toolchain_tool() {
    local folder
    folder=$(dirname "$(readlink -f "$(command -v swift)")")
    if [ -x "$folder/$1" ]; then
        echo "$folder/$1"
    elif command -v xcrun >/dev/null && xcrun --find "$1" 2>/dev/null; then
        :
    else
        command -v "$1"
    fi
}

# Builds the package with the same traits as the README's `swift test` and without flags, so that
# .build can be reused. Sets bin_path, module_flags to the flags that the import of a module needs,
# and macro_flags to those that the use of a macro needs.
build_debug() {
    local map
    echo "\$ swift build --enable-all-traits"
    swift build --enable-all-traits 2>&1 | tail -n 40 || fail "The package does not build."
    bin_path=$(swift build --show-bin-path)
    module_flags=(-I "$bin_path/Modules")
    macro_flags=(-load-plugin-executable "$bin_path/FlatCacheMacros-tool#FlatCacheMacros")
    # The compiler finds C modules by their module maps.
    for map in "$bin_path"/*.build/module.modulemap "$PWD"/Sources/*/module.modulemap; do
        [ -e "$map" ] && module_flags+=(-Xcc "-fmodule-map-file=$map")
    done
    return 0
}

# in_parallel function argument …: calls a function once for each argument, in two subshells at a
# time, and fails if a call fails.
in_parallel() {
    local calls worker workers=() status=0
    calls=$(mktemp -d "$CI_WORK/calls.XXXXXX")
    for worker in 1 2; do
        take_calls "$@" &
        workers+=($!)
    done
    for worker in "${workers[@]}"; do wait "$worker" || status=$?; done
    return "$status"
}

# Makes the calls of in_parallel that the other subshell hasn't taken.
take_calls() {
    local function=$1 argument call=0
    shift
    for argument in "$@"; do
        call=$((call + 1))
        if mkdir "$calls/$call" 2>/dev/null; then "$function" "$argument"; fi
    done
}

# The last line that Swift Testing writes to the log of a `swift test`.
test_summary() { grep -a 'Test run with' "$1" | tail -n 1; }

# run_tests log command …: runs a test command, copies its output to a log, and returns its status.
# If it fails, repeats the failures, which are hard to find in a long log. `.ci/run` prints them once
# more after its summary.
run_tests() {
    local log=$1 status=0
    shift
    echo "\$ $*"
    "$@" 2>&1 | tee "$log" || status=$?
    if [ "$status" -ne 0 ]; then
        echo
        echo "The failures of '$*':"
        grep -aE '^✘|(^|: )(error|Fatal error|fatal error): ' "$log" | head -n 100 |
            tee -a "$CI_WORK/failures"
    fi
    return "$status"
}

# The tests that have started but not ended according to the newest log.
unfinished_tests() {
    local log
    log=$(ls -t "$CI_WORK"/*.log 2>/dev/null | head -n 1)
    [ -n "$log" ] && awk '
        !/ Test / || / Test (case|run) / { next }
        { sub(/^[^ ]* Test /, "") }
        sub(/ started\.$/, "") { started[$0] }
        sub(/( with [0-9]+ test cases?)? (passed|failed) after .*/, "") { delete started[$0] }
        END { for (test in started) print "not ended: " test }' "$log"
}

# Fails if the compiler or the package manager has written a warning to a log.
require_no_warnings() {
    if grep -aE '^([^ ]*: )?warning: ' "$1"; then fail "There are warnings; see above."; fi
}

# sanitized_tests name sanitizer skip: runs the tests with a sanitizer, except those whose names
# match a regular expression, and fails if the sanitizer reports something. Random tests use a
# quarter of their seeds.
sanitized_tests() {
    local name=$1 skip=$3 log=$CI_WORK/$2.log status=0 reports
    # One test after another: instrumented code runs many times as long. If hundreds of tests ran at
    # once, each with several threads, some would have to wait for a processor for minutes.
    local command=(
        swift test "${traits[@]}" --no-parallel "--sanitize=$2" --scratch-path ".build/$2"
        --skip "$skip"
    )
    export FLATCACHE_RANDOM_SCALE=${FLATCACHE_RANDOM_SCALE-0.25}
    run_tests "$log" "${command[@]}" || status=$?
    if grep -q "FATAL: $name" "$log"; then
        fail "$name cannot start here. Where the kernel randomizes addresses too widely, a" \
            "container needs --security-opt seccomp=unconfined to switch that off."
    fi
    # A test asks for more memory than there is, of which the sanitizers warn.
    reports=$(grep -aE "(WARNING|ERROR): $name" "$log" | grep -vc 'failed to allocate' || true)
    [ "$reports" -eq 0 ] || fail "$name reports $reports times; see above."
    [ $status -eq 0 ] || fail "The tests ended with status $status."
    require_tests "$log" "Leaving out '$skip' leaves no test."
    echo "No report from $name"
}

# Fails unless the log of a test run contains at least one test.
require_tests() {
    local line
    line=$(test_summary "$1")
    case $line in
    *"Test run with 0 tests"* | "") fail "$2" ;;
    esac
}
