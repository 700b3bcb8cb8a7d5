#!/usr/bin/env bash
# a package that depends on this one resolves nothing else unless it asks to, builds and runs
set -euo pipefail
source .ci/lib.sh
make_work_folder

checkout=$PWD
identity=$(basename "$checkout")

# make_client name traits settings product …: creates a package that depends on this one, in the
# folder $CI_WORK/name.
make_client() {
    local name=$1 traits=$2 settings=$3 product products=
    shift 3
    # Clients know a package by the name of its folder.
    for product in "$@"; do
        products+=".product(name: \"$product\", package: \"$identity\"), "
    done
    mkdir -p "$CI_WORK/$name/Sources"
    cp -R ".ci/client/Sources/$name" "$CI_WORK/$name/Sources/"
    cat >"$CI_WORK/$name/Package.swift" <<MANIFEST
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "$name",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "$checkout"$traits)],
    targets: [.executableTarget(name: "$name", dependencies: [$products]$settings)],
    swiftLanguageModes: [.v6]
)
MANIFEST
}

export SWIFT_BACKTRACE=enable=no # a check that fails traps; its message says enough

# run_client name settings product …: makes a client without traits, runs it, and checks that it
# resolves no other package.
run_client() {
    cd "$checkout"
    make_client "$1" "" "${@:2}"
    cd "$CI_WORK/$1"
    echo "\$ swift run $1"
    swift run -Xswiftc -warnings-as-errors "$1"
    swift package show-dependencies --format json >dependencies.json
    # One identity is the client's, the other this package's. A third would be a dependency.
    [ "$(grep -c '"identity"' dependencies.json)" -eq 2 ] && ! grep -qs '"identity"' Package.resolved ||
        fail "A client of ${*:3} must resolve this package and no other: $(cat dependencies.json)"
    grep -q '"path".*'"$checkout\"" dependencies.json ||
        fail "The client did not resolve this checkout: $(cat dependencies.json)"
}

run_client Client "" FlatCache
# Checks for linked libraries, which `import` statements don't show.
if command -v ldd >/dev/null; then
    ldd "$(swift build --show-bin-path)/Client" >libraries.txt
    if grep -E 'libFoundation|libCombine|libOpenCombine' libraries.txt; then
        fail "Using FlatCache must not bring in Foundation or Combine."
    fi
    echo "The client links neither Foundation nor Combine."
fi
# A target as Xcode creates it for an app: isolated to the main actor by default.
run_client MainActorClient ", swiftSettings: [.defaultIsolation(MainActor.self)]" FlatCache \
    FlatCacheFoundation
# A durable graph needs only the system's SQLite.
run_client SQLiteClient "" FlatCache FlatCacheSQLite
run_client PersistenceClient "" FlatCachePersistence

# Each line after a mark in these files must be a compiler error with the text of the mark, and no
# other line can be an error. The first line of a file can contain flags.
modules=$(swift build --show-bin-path)/Modules
cd "$checkout"
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

# A client that turns the trait on. The build is optimized, because it inlines code across packages.
cd "$checkout"
make_client CombineClient ', traits: ["OpenCombine"]' "" FlatCache FlatCacheCombine
cd "$CI_WORK/CombineClient"
echo "\$ swift run -c release CombineClient"
swift run -c release CombineClient
if grep -q '"swift-syntax"' Package.resolved; then
    fail "A client without the trait Macros must not resolve SwiftSyntax."
fi

# A client that turns on the macros resolves SwiftSyntax. Its build would take minutes, so the
# program is compiled with the plug-in of this package's build, isolated to the main actor.
cd "$checkout"
make_client MacroClient ', traits: ["Macros"]' "" FlatCache
cd "$CI_WORK/MacroClient"
echo "\$ swift package resolve, in MacroClient"
swift package resolve
[ "$(grep '"identity"' Package.resolved | tr -d ' ,')" = '"identity":"swift-syntax"' ] ||
    fail "A client with the trait Macros must resolve SwiftSyntax and nothing else."
cd "$checkout"
build_debug
# Files that no longer exist may have left objects behind.
objects=()
while IFS= read -r file; do
    objects+=("$bin_path/FlatCache.build/$(basename "$file").o")
done < <(find Sources/FlatCache -name '*.swift')
cd "$CI_WORK/MacroClient"
echo "\$ swiftc -default-isolation MainActor Sources/MacroClient/*.swift && ./MacroClient"
swiftc -swift-version 6 -warnings-as-errors -default-isolation MainActor "${module_flags[@]}" \
    "${macro_flags[@]}" -module-name MacroClient -o MacroClient Sources/MacroClient/*.swift \
    "${objects[@]}"
./MacroClient
