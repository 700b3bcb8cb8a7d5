#!/usr/bin/env bash
# the top level contains only known files, no generated file is committed, no file is too long
set -euo pipefail
source .ci/lib.sh
make_work_folder

status=0
report() {
    echo "error: $*"
    status=1
}

# The top level can contain any dotfiles. Other files are listed here.
check_top_level() {
    local entry
    while IFS= read -r entry; do
        case $entry in
        .build | .swiftpm) ;; # reported below, when committed
        .* | Package.swift | README.md | Sources | Tests | Benchmarks) ;;
        *) report "$entry does not belong at the top level" ;;
        esac
    done < <(cut -d/ -f1 "$files" | sort -u)
    for entry in Package.swift README.md Sources Tests; do
        [ -e "$entry" ] || report "$entry is missing"
    done
}

# An ignored file can still have been added by force.
check_generated_files() {
    local file
    while IFS= read -r file; do
        report "$file is generated and must not be committed"
    done < <(grep -E '(^|/)(\.build|\.swiftpm)/|(^|/)Package\.resolved$' "$files" || true)
}

# check_length limit file
check_length() {
    local lines
    lines=$(wc -l <"$2" | tr -d ' ')
    [ "$lines" -le "$1" ] || report "$2 has $lines lines; at most $1 are allowed"
}

check_lengths() {
    local file lines
    [ -e README.md ] && check_length 150 README.md
    while IFS= read -r file; do
        check_length 400 "$file"
        lines=$(wc -l <"$file" | tr -d ' ')
        if [ "$lines" -gt 300 ] && [ "$lines" -le 400 ]; then
            echo "warning: $file has $lines lines; about 300 is the aim"
        fi
    done < <(grep '\.swift$' "$files")
}

files=$CI_WORK/files
checkout_files | sort -u | while IFS= read -r file; do
    # Git also lists deleted files until the deletion is committed.
    if [ -e "$file" ]; then printf '%s\n' "$file"; fi
done >"$files"
[ -s "$files" ] || fail "Git lists no file."

check_top_level
check_generated_files
check_lengths
[ $status -eq 0 ] && echo "$(wc -l <"$files" | tr -d ' ') files, all where they belong"
exit $status
