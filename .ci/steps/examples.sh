#!/usr/bin/env bash
# every Swift example in the README, the guide and the documentation comments compiles
#
# Examples are the fenced
# ```swift blocks of README.md, of the articles in Sources/*/*.docc and of the `///` comments in
# Sources. .ci/tools/examples.awk extracts them and describes how it wraps them. In short:
#
# - A block compiles in Swift 6 mode either as the body of an `async throws` function, with its
#   types and extensions outside, or as a file of top-level code. One of the two is enough, since
#   readers use both.
# - `import FlatCache` is implied. So is .ci/preludes/default.swift: examples can use its sample
#   models and values without declaring them. Declarations in the block take precedence.
# - In Sources/FlatCachePersistence*, `import FlatCachePersistence`, `import Foundation` and
#   .ci/preludes/persistence.swift are implied instead. An example that names a type of FlatCache
#   imports it.
# - In the text before a block,
#     <!-- prelude: name -->   uses .ci/preludes/name.swift instead (`none`: no prelude),
#     <!-- continues -->       compiles it together with the block before it, as one,
#     <!-- main actor -->      compiles it as in a module that is isolated to the main actor.
# - Excerpts of a Package.swift, and examples that import a module that this platform doesn't have
#   (SwiftUI, on Linux), are parsed but not compiled. The log names each of them.
#
# The tool is written in awk because awk is installed wherever bash is.
set -euo pipefail
source .ci/lib.sh
make_work_folder

work=$CI_WORK/examples
preludes=$work/preludes
mkdir -p "$work" "$preludes"
flags=(-swift-version 6 -suppress-warnings)

compile_preludes() {
    local file
    for file in .ci/preludes/*.swift; do
        # Testable, so that a prelude can declare models as an app does, without `public`.
        swiftc "${flags[@]}" "${module_flags[@]}" -parse-as-library -enable-testing -wmo \
            -emit-module -module-name "prelude_$(basename "$file" .swift)" \
            -emit-module-path "$preludes/prelude_$(basename "$file" .swift).swiftmodule" "$file" ||
            fail "The prelude $file does not compile."
    done
}

# Returns whether the module can be imported on this platform; checked once per module.
can_import() {
    local answer=$work/can-import-$1
    if [ ! -e "$answer" ]; then
        echo "import $1" >"$work/probe.swift"
        swiftc "${flags[@]}" "${module_flags[@]}" -typecheck "$work/probe.swift" \
            >/dev/null 2>&1 && echo yes >"$answer" || echo no >"$answer"
    fi
    [ "$(cat "$answer")" = yes ]
}

# Prints the reason to only parse an example, or nothing if it must compile.
reason_to_parse_only() {
    local module
    if grep -qE '^[ \t]*// Package\.swift|import PackageDescription|\.package\(' "$1/raw.swift"; then
        echo "an excerpt of a package manifest"
        return
    fi
    for module in $(sed -nE 's/^[ \t]*(@[^ ]+ )*(public )?import ([A-Za-z_]+).*/\3/p' "$1/raw.swift"); do
        if ! can_import "$module"; then
            echo "imports $module, which is not here"
            return
        fi
    done
}

# Emits SIL rather than only checking types, since the checks for data races come after those.
compile() {
    swiftc "${flags[@]}" "${module_flags[@]}" "${macro_flags[@]}" -I "$preludes" \
        -module-name Example \
        -emit-sil -o /dev/null "$@" 2>&1
}

check_example() {
    local example=$1 place reason isolation=()
    [ -e "$example/isolation" ] && isolation=(-default-isolation "$(cat "$example/isolation")")
    place=$(cat "$example/place")
    reason=$(reason_to_parse_only "$example")
    if [ -n "$reason" ]; then
        swiftc -frontend -parse "$example/raw.swift" || {
            # The dots of `.package(…)` are only valid inside an array.
            [ "$reason" = "an excerpt of a package manifest" ] || return 1
        }
        echo "$place: only parsed, $reason"
    elif compile ${isolation[@]+"${isolation[@]}"} -parse-as-library "$example/function.swift" >"$example/errors"; then
        echo "$place: compiles"
    elif compile ${isolation[@]+"${isolation[@]}"} "$example/main.swift" >"$example/top-level-errors"; then
        echo "$place: compiles as top-level code"
    else
        echo "$place: error: the example does not compile:"
        sed 's/^/    /' "$example/errors"
        return 1
    fi
}

files=()
while IFS= read -r file; do files+=("$file"); done < <(
    echo README.md
    find Sources -path '*.docc/*' -name '*.md' | sort
    find Sources -name '*.swift' | sort
)
build_debug
compile_preludes
awk -v out="$work" -f .ci/tools/examples.awk "${files[@]}"

count=0
broken=0
for example in "$work"/example-*/; do
    [ -d "$example" ] || break
    count=$((count + 1))
    check_example "${example%/}" || broken=$((broken + 1))
done
[ $count -gt 0 ] || fail "No example was found."
[ $broken -eq 0 ] || fail "$broken of $count examples do not compile."
echo "$count examples"
