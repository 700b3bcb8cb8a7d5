# Shared by .ci/run and the steps. Sourced with the checkout's root as the working directory.

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

# A step can be run by hand too (`bash .ci/steps/docs.sh`): then it makes its own folder.
make_work_folder() {
    if [ -z "${CI_WORK-}" ]; then
        CI_WORK=$(mktemp -d)
        trap 'rm -rf "$CI_WORK"' EXIT
    fi
}

# The files of the checkout as they would be committed: tracked, or new and not ignored. Git refuses
# a folder that another user owns, as in a container, unless told otherwise.
checkout_files() {
    git -c safe.directory="$PWD" -c core.quotePath=off \
        ls-files --cached --others --exclude-standard
}

# A tool of the toolchain that `swift` comes from, wherever that is: beside it, or where swiftly,
# a symbolic link or Xcode point.
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

# The package as the README's `swift test` leaves it in .build: with the same traits and no flags, so
# nothing is compiled again. Sets bin_path, and module_flags: what an `import` of a module needs.
build_debug() {
    local map
    echo "\$ swift build --enable-all-traits"
    swift build --enable-all-traits 2>&1 | tail -n 40 || fail "The package does not build."
    bin_path=$(swift build --show-bin-path)
    module_flags=(-I "$bin_path/Modules")
    # Modules in C are found by their maps.
    for map in "$bin_path"/*.build/module.modulemap; do
        [ -e "$map" ] && module_flags+=(-Xcc "-fmodule-map-file=$map")
    done
    return 0
}

# The closing line of Swift Testing in the log of a `swift test`.
test_summary() { grep -a 'Test run with' "$1" | tail -n 1; }

# Fails unless a test run's log tells of at least one test.
require_tests() {
    local line
    line=$(test_summary "$1")
    case $line in
    *"Test run with 0 tests"* | "") fail "$2" ;;
    esac
}
