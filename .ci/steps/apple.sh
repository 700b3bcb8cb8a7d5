#!/usr/bin/env bash
# the branches for Apple's platforms type-check in Swift 6 mode
#
# Linux has no SDK of Apple's, so modules in .ci/stubs declare the used parts, as documented. The
# compiler gets copies of the sources. In these copies, `os(…)` is decided for a platform, Glibc and
# FoundationEssentials can't be imported, and AppleFoundation and AppleDispatch replace the modules
# that they extend. tvOS and visionOS have the conditions of iOS.
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
    FlatCachePersistenceCombine FlatCacheTesting FlatCacheSQLite
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
build_debug
flags=(
    -swift-version 6 -warnings-as-errors -package-name flatcache -I . "${module_flags[@]}"
)
while IFS= read -r feature; do
    flags+=(-enable-upcoming-feature "$feature")
done < <(sed -n 's/.*enableUpcomingFeature("\(.*\)").*/\1/p' Package.swift)

# compile folder: compiles a module to an object, since the compiler diagnoses data races only after
# it has checked the types.
compile() {
    local module files=()
    module=$(basename "$1")
    while IFS= read -r file; do files+=("$file"); done < <(find "$1" -name '*.swift')
    swiftc "${flags[@]}" -parse-as-library -wmo -module-name "$module" -emit-module \
        -emit-module-path "$module.swiftmodule" -c -o "$module.o" "${files[@]}" ||
        fail "$module does not compile as for ${PWD##*/}."
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
        s/\b(os\(|canImport\((Glibc|Musl|Bionic|Android|FoundationEssentials))\w*\)/false/g
    }" {} +
    find Sources -name '*.swift' -exec sed -i -E \
        's/^((public )?import )(Dispatch|Foundation)$/\1Apple\3/' {} +
    for module in "${stubs[@]}" "${@:2}"; do compile "stubs/$module"; done
    for module in "${libraries[@]}"; do compile "Sources/$module"; done
    echo "$1: ${libraries[*]}"
)

check macOS AppKit
check iOS UIKit
check watchOS UIKit WatchKit

# Some stubs are implemented, so a program can run the code that uses them.
cd "$CI_WORK/apple/macOS"
swiftc "${flags[@]}" -g -o smoke stubs/Smoke/main.swift \
    {Darwin,AppleDispatch,AppleFoundation,AppKit,FlatCache,FlatCachePersistence,FlatCacheTesting}.o
./smoke
