# Shared by .ci/run and its steps, .ci/perturb and .ci/nightly. They source it with the checkout's
# root as the working directory.

# The test targets that start threads, tasks or other work beside the test.
concurrency_targets=FlatCacheConcurrencyTests,FlatCacheSQLiteConcurrencyTests
concurrency_targets+=,FlatCachePersistenceConcurrencyTests,FlatCachePostgresTests

# The tests that a sanitizer can't run, since they expect a process to end or start another program,
# and one that checks a checker of the tests and would take minutes.
unsanitized='Traps|ProcessTests|ProcessesTests|LinearizabilityPlantedBugsTests'

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

# Installs PostgreSQL and the header of its client library if they are missing. Without them, the
# module FlatCachePostgres is empty, and its tests are left out.
require_postgres() {
    [ "$(uname)" = Linux ] || return 0
    has_postgres && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && return
    (require_tools libpq-fe.h:libpq-dev initdb:postgresql) ||
        echo "warning: PostgreSQL can't be installed, so FlatCachePostgres isn't tested." >&2
}

# Returns whether the header of PostgreSQL's client library is where the manifest looks for it.
has_postgres() {
    [ -e /usr/include/postgresql/libpq-fe.h ] || [ -e /usr/include/libpq-fe.h ]
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

# Resolves the packages of all traits. All steps then use the versions in Package.resolved, and none
# writes that file while another one reads it.
resolve_packages() {
    [ -z "${CI_RESOLVED-}" ] || return 0
    swift package --enable-all-traits resolve || fail "The packages can't be resolved."
    export CI_RESOLVED=1
}

# Sets bin_path to the folder of the build that `test` makes, module_flags to the flags that the
# import of a module needs, and macro_flags to those that the use of a macro needs. Unless `test`
# has just made the build, makes it, with the same traits as the README's `swift test` and without
# flags.
use_debug_build() {
    local map
    if [ ! -e "$CI_WORK/debug-build" ]; then
        echo "\$ swift build --enable-all-traits"
        swift build --enable-all-traits 2>&1 | tail -n 40 || fail "The package does not build."
    fi
    bin_path=$(swift build --enable-all-traits --show-bin-path)
    module_flags=(-I "$bin_path/Modules")
    macro_flags=(-load-plugin-executable "$bin_path/FlatCacheMacros-tool#FlatCacheMacros")
    # The compiler finds C modules by their module maps.
    for map in "$bin_path"/*.build/module.modulemap "$PWD"/Sources/*/module.modulemap; do
        [ -e "$map" ] && module_flags+=(-Xcc "-fmodule-map-file=$map")
    done
    return 0
}

# The optimized build of the benchmarks and their tests.
benchmark_flags=(--package-path Benchmarks -c release)

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

# run_tests step command …: runs a test command, copies its output to the step's log, and returns
# its status. If it fails, repeats the failures, which are hard to find in a long log. `.ci/run`
# prints them once more after its summary.
run_tests() {
    local log=$CI_WORK/$1.log failures=$CI_WORK/$1.failures home=$CI_WORK/$1.home status=0
    shift
    echo "\$ $*"
    # The tests of another step run at the same time. In one folder of defaults, each would be
    # another process that holds the lock.
    mkdir -p "$home/config" "$home/data"
    XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data "$@" 2>&1 | tee "$log" || status=$?
    if [ "$status" -ne 0 ]; then
        echo
        echo "The failures of '$*':"
        grep -aE '^✘|(^|: )(error|Fatal error|fatal error): ' "$log" | head -n 100 |
            tee -a "$failures"
        [ -s "$failures" ] || tail -n 20 "$log" | tee -a "$failures"
    fi
    return "$status"
}

# The tests that have started but not ended according to a step's log.
unfinished_tests() {
    [ ! -e "$CI_WORK/$1.log" ] || awk '
        !/ Test / || / Test (case|run) / { next }
        { sub(/^[^ ]* Test /, "") }
        sub(/ started\.$/, "") { started[$0] }
        sub(/( with [0-9]+ test cases?)? (passed|failed) after .*/, "") { delete started[$0] }
        END { for (test in started) print "not ended: " test }' "$CI_WORK/$1.log"
}

# Fails if the compiler or the package manager has written a warning to a log.
require_no_warnings() {
    # The linker warns of a symbol of AddressSanitizer's runtime.
    if grep -aE '^([^ ]*: )?warning: ' "$1" | grep -v '__asan_extra_spill_area'; then
        fail "There are warnings; see above."
    fi
}

# choose_test_targets target,…: leaves the other test targets out of the package. CI_TEST_TARGETS
# names others, or all of them if it is empty.
choose_test_targets() {
    local targets=${CI_TEST_TARGETS-$1}
    [ -z "$targets" ] || export FLATCACHE_TEST_TARGETS=$targets
}

# The flags of tests with a scratch folder besides .build. The products that no test needs aren't
# built.
test_flags=(--only-use-versions-from-resolved-file --test-product FlatCachePackageTests)

unusable_sanitizer="The sanitizer can't start here. Where the kernel randomizes addresses too widely,"
unusable_sanitizer+=" a container needs --security-opt seccomp=unconfined to switch that off."

# sanitized_tests step name sanitizer targets skip: runs test targets with a sanitizer, except the
# tests whose names match a regular expression, and fails if the sanitizer reports something. Random
# tests use a quarter of their seeds.
sanitized_tests() {
    local step=$1 name=$2 log=$CI_WORK/$1.log status=0 reports
    choose_test_targets "$4"
    # One test after another: instrumented code runs many times as long. If hundreds of tests ran at
    # once, each with several threads, some would have to wait for a processor for minutes.
    # All traits would build SwiftSyntax, so only .build has them.
    local command=(
        swift test --traits OpenCombine "${test_flags[@]}" --no-parallel "--sanitize=$3"
        --scratch-path ".build/$3" --skip "$5"
    )
    export FLATCACHE_RANDOM_SCALE=${FLATCACHE_RANDOM_SCALE-0.25}
    resolve_packages
    run_tests "$step" "${command[@]}" || status=$?
    if grep -q "FATAL: $name" "$log"; then
        fail "$unusable_sanitizer"
    fi
    # A test asks for more memory than there is, of which the sanitizers warn.
    reports=$(grep -aE "(WARNING|ERROR): $name" "$log" | grep -vc 'failed to allocate' || true)
    if [ "$reports" -ne 0 ]; then
        sanitizer_reports "$name" "$log" | tee -a "$CI_WORK/$step.failures"
        fail "$name reports $reports times; see above."
    fi
    [ $status -eq 0 ] || fail "The tests ended with status $status."
    require_tests "$log" "Leaving out '$5' leaves no test."
    echo "No report from $name"
}

# The first 300 lines of a sanitizer's reports in a log, each after the name of the test that ran.
# awk reads the log to its end: a pipe that `head` closes would end the step.
sanitizer_reports() {
    awk -v start="(WARNING|ERROR): $1" '
        / (Test|Suite) .* started\.$/ { test = $0 }
        $0 ~ start && !/failed to allocate/ { report = 1; if (lines < 300) print test }
        report && ++lines <= 300
        /^SUMMARY: / { report = 0 }' "$2"
}

# Fails unless the log of a test run contains at least one test.
require_tests() {
    local line
    line=$(test_summary "$1")
    case $line in
    *"Test run with 0 tests"* | "") fail "$2" ;;
    esac
}
