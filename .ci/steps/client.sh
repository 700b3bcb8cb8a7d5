#!/usr/bin/env bash
# a package that depends on this one resolves nothing else unless it asks to, builds and runs
set -euo pipefail
source .ci/lib.sh
make_work_folder

checkout=$PWD
identity=$(basename "$checkout")

# dependencies product …: prints the products of this package as dependencies of a target. Clients
# know a package by the name of its folder.
dependencies() { printf ".product(name: \"%s\", package: \"$identity\"), " "$@"; }

# target name settings product …: adds a program of .ci/client to the package in the current folder.
target() {
    cp -R "$checkout/.ci/client/Sources/$1" Sources/
    targets+=".executableTarget(name: \"$1\", dependencies: [$(dependencies "${@:3}")]$2), "
}

# begin_package name: creates a package with the targets that follow, and goes to its folder.
begin_package() {
    package=$1
    targets=
    mkdir -p "$CI_WORK/$package/Sources"
    cd "$CI_WORK/$package"
}

# end_package traits: writes the manifest of the package, which depends on this checkout.
end_package() {
    cat >Package.swift <<MANIFEST
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "$package",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "$checkout"$1)],
    targets: [$targets],
    swiftLanguageModes: [.v6]
)
MANIFEST
}

# Fails unless the package resolves the other package named, or none if there is no name.
require_resolved() {
    local resolved expected=
    [ -z "$1" ] || expected="\"identity\":\"$1\""
    swift package resolve
    resolved=$(grep -hs '"identity"' Package.resolved | tr -d ' ,' || true)
    [ "$resolved" = "$expected" ] ||
        fail "$package must resolve ${1:-no package} beside this one, and no other: $resolved"
}

export SWIFT_BACKTRACE=enable=no # a check that fails traps; its message says enough

# Programs of one package without traits.
begin_package Clients
target Client "" FlatCache
# A target as Xcode creates it for an app: isolated to the main actor by default.
target MainActorClient ", swiftSettings: [.defaultIsolation(MainActor.self)]" FlatCache \
    FlatCacheFoundation
# A durable graph needs only the system's SQLite.
target SQLiteClient "" FlatCache FlatCacheSQLite
target PersistenceClient "" FlatCachePersistence
end_package ""
require_resolved ""
swift package show-dependencies --format json >dependencies.json
# One identity is the clients', the other this package's. A third would be a dependency.
[ "$(grep -c '"identity"' dependencies.json)" -eq 2 ] ||
    fail "The clients must resolve this package and no other: $(cat dependencies.json)"
grep -q '"path".*'"$checkout\"" dependencies.json ||
    fail "The clients did not resolve this checkout: $(cat dependencies.json)"
echo "\$ swift build, in a package without traits"
# Targets import only the products that they name.
swift build -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
bin_path=$(swift build --show-bin-path)
modules=$bin_path/Modules
for program in Sources/*; do
    echo "\$ ${program#Sources/}"
    "$bin_path/${program#Sources/}"
done
# Checks for linked libraries, which `import` statements don't show.
if command -v ldd >/dev/null; then
    ldd "$bin_path/Client" >libraries.txt
    if grep -E 'libFoundation|libCombine|libOpenCombine' libraries.txt; then
        fail "Using FlatCache must not bring in Foundation or Combine."
    fi
    echo "The client links neither Foundation nor Combine."
fi

cd "$checkout"
# Each line after a mark in these files must be a compiler error with the text of the mark, and no
# other line can be an error. The first line of a file can contain flags.
for file in .ci/client/Refused/*.swift; do
    echo "\$ swiftc -typecheck $file, which must not compile"
    read -ra file_flags < <(sed -n '1s|^// flags: ||p' "$file") || true
    swiftc -swift-version 6 ${file_flags[@]+"${file_flags[@]}"} -I "$modules" -typecheck "$file" >"$CI_WORK/refused.txt" 2>&1 || true
    sed -nE 's|^[^ ]*:([0-9]+):[0-9]+: error: (.*)|\1 \2|p' "$CI_WORK/refused.txt" >"$CI_WORK/errors.txt"
    awk 'sub("^ *// error: ", "") { print NR + 1, $0 }' "$file" >"$CI_WORK/marks.txt"
    [ -s "$CI_WORK/marks.txt" ] || fail "$file has no line that is marked with '// error: text'."
    while read -r line text; do
        grep "^$line " "$CI_WORK/errors.txt" | grep -qF -- "$text" || {
            cat "$CI_WORK/refused.txt"
            fail "$file:$line must be an error that says: $text"
        }
    done <"$CI_WORK/marks.txt"
    if ! diff <(cut -d ' ' -f 1 "$CI_WORK/marks.txt") <(cut -d ' ' -f 1 "$CI_WORK/errors.txt" | uniq); then
        cat "$CI_WORK/refused.txt"
        fail "$file has errors on other lines, too."
    fi
    echo "$(wc -l <"$CI_WORK/marks.txt" | tr -d ' ') errors, as marked"
done

# A client that turns a trait on resolves its package only. Their builds would take minutes, so the
# programs are compiled with the modules and linked with the objects of builds that have the traits.

# add_objects build sources: adds the objects of a module of a build to `objects`. Files that no
# longer exist may have left others behind.
add_objects() {
    local file
    while IFS= read -r file; do objects+=("$1/$(basename "$file").o"); done < <(
        find "$2" -name '*.swift' -o -name '*.cpp'
    )
}

# The build of the benchmarks is optimized, because the client inlines code across packages.
begin_package CombineClient
target CombineClient "" FlatCache FlatCacheCombine
end_package ', traits: ["OpenCombine"]'
require_resolved opencombine
cd "$checkout"
[ -e "$CI_WORK/benchmark-build" ] || swift test list "${benchmark_flags[@]}" | tail -n 1
optimized=$(swift build "${benchmark_flags[@]}" --show-bin-path)
open_combine=Benchmarks/.build/checkouts/OpenCombine/Sources
objects=()
add_objects "$optimized/FlatCache.build" Sources/FlatCache
add_objects "$optimized/FlatCacheCombine.build" Sources/FlatCacheCombine
add_objects "$optimized/OpenCombine.build" $open_combine/OpenCombine
add_objects "$optimized/COpenCombineHelpers.build" $open_combine/COpenCombineHelpers
echo "\$ swiftc -O .ci/client/Sources/CombineClient/*.swift && ./CombineClient"
swiftc -swift-version 6 -warnings-as-errors -O -wmo -I "$optimized/Modules" \
    -Xcc "-fmodule-map-file=$optimized/COpenCombineHelpers.build/module.modulemap" \
    -module-name CombineClient -o "$CI_WORK/CombineClient/CombineClient" \
    .ci/client/Sources/CombineClient/*.swift "${objects[@]}" -lstdc++
"$CI_WORK/CombineClient/CombineClient"

# The debug build has the plug-in of the macros. The program is isolated to the main actor.
begin_package MacroClient
target MacroClient "" FlatCache
end_package ', traits: ["Macros"]'
require_resolved swift-syntax
cd "$checkout"
use_debug_build
objects=()
add_objects "$bin_path/FlatCache.build" Sources/FlatCache
echo "\$ swiftc -default-isolation MainActor .ci/client/Sources/MacroClient/*.swift && ./MacroClient"
swiftc -swift-version 6 -warnings-as-errors -default-isolation MainActor "${module_flags[@]}" \
    "${macro_flags[@]}" -module-name MacroClient -o "$CI_WORK/MacroClient/MacroClient" \
    .ci/client/Sources/MacroClient/*.swift "${objects[@]}"
"$CI_WORK/MacroClient/MacroClient"
