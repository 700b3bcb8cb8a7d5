#!/usr/bin/env bash
# the documentation converts without a warning, and its start pages list every type
set -euo pipefail
source .ci/lib.sh
make_work_folder

docc=$(toolchain_tool docc) ||
    fail "This toolchain has no docc. Swift's own toolchains bring it; use one of those."

# Extracts the symbol graph from the module of the debug build, which saves a build.
extract_symbol_graph() {
    mkdir -p "$2"
    swift symbolgraph-extract -module-name "$1" "${module_flags[@]}" \
        -target "$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)".*/\1/p' | head -n 1)" \
        -minimum-access-level public -skip-inherited-docs -skip-synthesized-members \
        -emit-extension-block-symbols \
        -output-dir "$2"
}

# Prints the lists that docc has added to a module's page, such as "Structures", for the types that
# the page doesn't mention. The modules whose types are extended depend on the platform.
uncurated_types() {
    grep -oE '\{[^{}]*"generated":true[^{}]*\}' "$1" | grep -v '"Extended Modules"'
}

use_debug_build
catalogues=0
for catalogue in Sources/*/*.docc; do
    [ -d "$catalogue" ] || continue
    catalogues=$((catalogues + 1))
    module=$(basename "$(dirname "$catalogue")")
    # Without libpq, the module has no symbols.
    if [ "$module" = FlatCachePostgres ] && ! has_postgres; then continue; fi
    echo "\$ docc convert $catalogue"
    extract_symbol_graph "$module" "$CI_WORK/symbols/$module"
    "$docc" convert "$catalogue" \
        --additional-symbol-graph-dir "$CI_WORK/symbols/$module" \
        --fallback-display-name "$module" \
        --fallback-bundle-identifier "$module" \
        --output-path "$CI_WORK/$module.doccarchive" \
        --warnings-as-errors || fail "$catalogue: docc warns; see above."
    page=$CI_WORK/$module.doccarchive/data/documentation/$(echo "$module" | tr A-Z a-z).json
    [ -s "$page" ] || fail "$catalogue: docc wrote no start page."
    if uncurated_types "$page"; then
        fail "$catalogue: $module.md has no topic group for these; see above."
    fi
    pages=$(find "$CI_WORK/$module.doccarchive/data" -name '*.json' | wc -l | tr -d ' ')
    [ "$pages" -gt 0 ] || fail "$catalogue: docc wrote no page."
    echo "$module: $pages pages, no warning"
done
[ $catalogues -gt 0 ] || fail "There is no catalogue Sources/*/*.docc to check."
