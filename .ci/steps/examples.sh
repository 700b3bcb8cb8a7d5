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
# Most examples compile together with others in one module, since a compiler needs longer to start
# and to load modules than to check an example. If such a module doesn't compile, the examples with
# errors compile alone. Only what the compiler says about an example alone counts.
#
# The tool is written in awk because awk is installed wherever bash is.
set -euo pipefail
source .ci/lib.sh
make_work_folder

work=$CI_WORK/examples
preludes=$work/preludes
mkdir -p "$work"/{raw,function,top-level,joint,results,errors,modules} "$preludes"
flags=(-swift-version 6 -suppress-warnings)
# The largest number of examples in one module.
module_size=25

compile_prelude() {
    # Testable, so that a prelude can declare models as an app does, without `public`.
    swiftc "${flags[@]}" "${module_flags[@]}" -parse-as-library -enable-testing -wmo \
        -emit-module -module-name "prelude_$(basename "$1" .swift)" \
        -emit-module-path "$preludes/prelude_$(basename "$1" .swift).swiftmodule" "$1" ||
        fail "The prelude $1 does not compile."
}

# Notes whether the module can be imported on this platform.
probe_module() {
    # Without libpq, the module is empty.
    if [ "$1" = FlatCachePostgres ] && ! has_postgres; then
        touch "$work/modules/$1.missing"
        return
    fi
    echo "import $1" >"$work/modules/$1.swift"
    swiftc "${flags[@]}" "${module_flags[@]}" -module-name Probe -typecheck "$work/modules/$1.swift" \
        >/dev/null 2>&1 || touch "$work/modules/$1.missing"
}

# Prints the reason to only parse an example, or nothing if it must compile.
reason_to_parse_only() {
    local module
    if [ "${manifests[$1]}" != - ]; then
        echo "an excerpt of a package manifest"
        return
    fi
    for module in ${modules[$1]#-}; do
        if [ -e "$work/modules/$module.missing" ]; then
            echo "imports $module, which is not here"
            return
        fi
    done
}

# compile isolation argument …: emits SIL rather than only checking types, since the checks for data
# races come after those.
compile() {
    local isolation=()
    [ "$1" = - ] || isolation=(-default-isolation "$1")
    swiftc "${flags[@]}" "${module_flags[@]}" "${macro_flags[@]}" -I "$preludes" \
        -module-name Example ${isolation[@]+"${isolation[@]}"} \
        -emit-sil -o "$work/discarded-$BASHPID.sil" "${@:2}" 2>&1
}

# Parses or compiles an example alone.
check_alone() {
    local place=${places[$1]} reason errors=$work/errors/$1
    reason=$(reason_to_parse_only "$1")
    if [ -n "$reason" ]; then
        swiftc -frontend -parse "$work/raw/$1.swift" >"$errors" 2>&1 || {
            # The dots of `.package(…)` are only valid inside an array.
            [ "$reason" = "an excerpt of a package manifest" ] || {
                echo "$place: error: the example does not parse:"
                sed 's/^/    /' "$errors"
                return
            }
        }
        echo "$place: only parsed, $reason"
    elif compile "${isolations[$1]}" -parse-as-library "$work/function/$1.swift" >"$errors"; then
        echo "$place: compiles"
    elif compile "${isolations[$1]}" "$work/top-level/$1.swift" >"$errors.top-level"; then
        echo "$place: compiles as top-level code"
    else
        echo "$place: error: the example does not compile:"
        sed 's/^/    /' "$errors"
    fi
}

# Compiles examples with the same imports and isolation as one module. Those with errors compile
# alone, and then the others once more, since an error hides those of later phases.
check_together() {
    local example together=($1) errors rest files
    while [ ${#together[@]} -gt 1 ]; do
        errors=$work/errors/module-${together[0]}
        files=()
        for example in "${together[@]}"; do files+=("$work/joint/$example.swift"); done
        if compile "${isolations[${together[0]}]}" -wmo -parse-as-library "${files[@]}" >"$errors"; then
            for example in "${together[@]}"; do
                echo "${places[$example]}: compiles" >"$work/results/$example"
            done
            return
        fi
        rest=()
        for example in "${together[@]}"; do
            if grep -qE "/joint/$example\.swift:[0-9:]+ error:" "$errors"; then
                check_alone "$example" >"$work/results/$example"
            else
                rest+=("$example")
            fi
        done
        # Without an example to blame, each compiles alone.
        [ ${#rest[@]} -lt ${#together[@]} ] || break
        together=(${rest[@]+"${rest[@]}"})
    done
    for example in ${together[@]+"${together[@]}"}; do
        check_alone "$example" >"$work/results/$example"
    done
}

# Prints the modules of examples, a line each. First come those of many examples, so that two
# processors end at about the same time.
list_modules() {
    awk -F '\t' -v size="$module_size" '
        { key = $4 != "-" || $6 == "-" ? "alone " $1 : $3 " " $6 }
        count[key] == size { print count[key], members[key]; members[key] = ""; count[key] = 0 }
        { members[key] = members[key] " " $1; count[key]++ }
        END { for (key in count) print count[key], members[key] }
    ' "$work/list" | sort -k 1,1nr -k 2,2n | cut -d ' ' -f 2-
}

files=()
while IFS= read -r file; do files+=("$file"); done < <(
    echo README.md
    find Sources -path '*.docc/*' -name '*.md' | sort
    find Sources -name '*.swift' | sort
)
use_debug_build
awk -v out="$work" -f .ci/tools/examples.awk "${files[@]}" >"$work/list"
[ -s "$work/list" ] || fail "No example was found."
in_parallel compile_prelude .ci/preludes/*.swift
in_parallel probe_module $(cut -f 5 "$work/list" | tr ' ' '\n' | grep -v '^-$' | sort -u)

# Indexed by the numbers of the examples.
places=()
isolations=()
manifests=()
modules=()
while IFS=$'\t' read -r example place isolation manifest imports _; do
    places[example]=$place
    isolations[example]=$isolation
    manifests[example]=$manifest
    modules[example]=$imports
done <"$work/list"
together=()
while IFS= read -r line; do together+=("$line"); done < <(list_modules)
in_parallel check_together "${together[@]}"

count=0
broken=0
for example in "${!places[@]}"; do
    count=$((count + 1))
    cat "$work/results/$example"
    ! grep -q ': error: ' "$work/results/$example" || broken=$((broken + 1))
done
[ $broken -eq 0 ] || fail "$broken of $count examples do not compile."
echo "$count examples"
