#!/usr/bin/env bash
# the branches for Apple's platforms type-check in Swift 6 mode
#
# Linux has no SDK of Apple's, so modules in .ci/stubs declare the used parts, as documented. The
# compiler gets copies of the sources. In these copies, `os(…)` is decided for a platform, Glibc and
# FoundationEssentials can't be imported, and AppleFoundation and AppleDispatch replace the modules
# that they extend. tvOS and visionOS have the conditions of iOS.
#
# macOS comes first. For another platform, only modules whose sources differ from those for macOS
# are compiled again, and modules that import them.
#
# Not checked: availability, and integers of the C library that differ in width from Glibc's.
set -euo pipefail
source .ci/lib.sh
make_work_folder
[ "$(uname)" = Linux ] || exit 0

stubs=(Darwin AppleDispatch AppleFoundation Combine SQLite3)
# In the order of their dependencies.
libraries=(
    FlatCache FlatCacheFoundation FlatCacheDispatch FlatCacheCombine FlatCachePersistence
    FlatCachePersistenceCombine FlatCacheTesting FlatCacheRows FlatCacheSQLite FlatCachePostgres
)
for folder in Sources/*/; do
    # A library of the system has only a module map. Macros run in the compiler, not on a platform.
    [ -e "$folder/module.modulemap" ] && continue
    case " ${libraries[*]} Bookshop FlatCacheMacros " in
    *" $(basename "$folder") "*) ;;
    *) fail "$folder: not in the list of libraries in .ci/steps/apple.sh" ;;
    esac
done

# OpenCombine replaces Combine.
use_debug_build
flags=(
    -swift-version 6 -warnings-as-errors -package-name flatcache -I . "${module_flags[@]}"
)
while IFS= read -r feature; do
    flags+=(-enable-upcoming-feature "$feature")
done < <(sed -n 's/.*enableUpcomingFeature("\(.*\)").*/\1/p' Package.swift)

# Some stubs are implemented, so a program can run the code that uses them. Its modules:
smoke=(
    Darwin AppleDispatch AppleFoundation AppKit FlatCache FlatCachePersistence FlatCacheTesting
)

# compile folder: compiles a module to SIL, since the compiler diagnoses data races only after it
# has checked the types, or to an object if the program needs it.
compile() {
    local module output=(-emit-sil -o discarded.sil) files=()
    module=$(basename "$1")
    while IFS= read -r file; do files+=("$file"); done < <(find "$1" -name '*.swift')
    case "${PWD##*/}: ${smoke[*]} " in
    "macOS:"*" $module "*) output=(-c -o "$module.o") ;;
    esac
    swiftc "${flags[@]}" -parse-as-library -wmo -module-name "$module" \
        -emit-module-path "$module.swiftmodule" "${output[@]}" "${files[@]}" ||
        fail "$module does not compile as for ${PWD##*/}."
}

# Returns whether the module in a folder is the same as for macOS. If not, it is added to
# `changed`.
is_as_for_macos() {
    local module
    if [ -e "../macOS/${1##*/}.swiftmodule" ] && diff -rq "../macOS/$1" "$1" >/dev/null; then
        for module in ${changed[@]+"${changed[@]}"}; do
            grep -rqE "^([a-z@_()]+ )*import (class |struct |enum |func )?$module\b" "$1" || continue
            changed+=("${1##*/}")
            return 1
        done
        return 0
    fi
    changed+=("${1##*/}")
    return 1
}

# check platform stub …: compiles the stubs, including those of the platform, and then the
# libraries.
check() (
    folder=$CI_WORK/apple/$1
    mkdir -p "$folder"
    cp -R .ci/stubs Sources "$folder"
    cd "$folder"
    find . -name '*.swift' -exec sed -i -E "/^ *#(if|elseif) /{
        s/\bos\($1\)/true/g
        $(printf 's/\\bcanImport\\(%s\\)/true/g;' "${@:2}")
        s/\b(os\(|canImport\((AppKit|UIKit|WatchKit|Glibc|Musl|Bionic|Android|FoundationEssentials))\w*\)/false/g
    }" {} +
    find Sources -name '*.swift' -exec sed -i -E \
        's/^((public )?import )(Dispatch|Foundation)$/\1Apple\3/' {} +
    changed=()
    compiled=()
    modules=("${stubs[@]}" "${@:2}")
    for module in "${modules[@]/#/stubs/}" "${libraries[@]/#/Sources/}"; do
        if [ "$1" != macOS ] && is_as_for_macos "$module"; then
            cp "../macOS/${module##*/}.swiftmodule" .
        else
            compile "$module"
            compiled+=("${module##*/}")
        fi
    done
    echo "$1: ${compiled[*]}"
)

check macOS AppKit
check iOS UIKit
check watchOS UIKit WatchKit

cd "$CI_WORK/apple/macOS"
swiftc "${flags[@]}" -g -o smoke stubs/Smoke/main.swift "${smoke[@]/%/.o}"
./smoke
