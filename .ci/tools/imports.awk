# Checks the imports of one module's Swift files.
#
#   awk -v module=NAME -v allowed="A B" -v libc="Glibc …" -f imports.awk FILES
#
# Reports an import that is not in `allowed`, and the import of a libc outside the branch of an
# `#if` with `canImport` of the same libc. Prints the imports; exits with 1 after a report.

BEGIN {
    split(allowed, names, " ")
    for (i in names) is_allowed[names[i]] = 1
    split(libc, libcs, " ")
    for (i in libcs) is_libc[libcs[i]] = 1
}

FNR == 1 { depth = 0; comment = 0; text = 0 }

{
    line = code($0)

    # `branch[depth]` is the condition of the current branch.
    if (line ~ /^[ \t]*#if/) branch[++depth] = line
    else if (line ~ /^[ \t]*#else/) branch[depth] = line
    else if (line ~ /^[ \t]*#endif/) depth--
    else {
        count = split(line, statements, ";")
        for (s = 1; s <= count; s++) check(statements[s])
    }
}

# Returns the line without comments and without the contents of a multiline string literal.
function code(line,    start, end) {
    if (text) {
        if (line ~ /"""/) text = 0
        return ""
    }
    if (comment) {
        end = index(line, "*/")
        if (!end) return ""
        comment = 0
        line = substr(line, end + 2)
    }
    while ((start = index(line, "/*")) && !(line ~ /^[ \t]*\/\//)) {
        end = index(substr(line, start + 2), "*/")
        if (!end) {
            comment = 1
            line = substr(line, 1, start - 1)
            break
        }
        line = substr(line, 1, start - 1) " " substr(line, start + end + 3)
    }
    if (line ~ /""".*"""/) gsub(/""".*"""/, "\"\"", line)
    else if (line ~ /"""/) text = 1
    sub(/\/\/.*/, "", line)
    return line
}

function check(statement,    words, count, w, name) {
    # @testable, @_spi(Name), @_exported, @preconcurrency … and an access level can precede it.
    gsub(/@[A-Za-z_]+([ \t]*\([^)]*\))?/, " ", statement)
    count = split(statement, words, " ")
    w = 1
    while (words[w] ~ /^(public|package|internal|fileprivate|private)$/) w++
    if (words[w] != "import") return
    w++
    if (words[w] ~ /^(struct|class|enum|protocol|typealias|func|let|var|actor)$/) w++
    if (w > count) {
        report("an import that this check cannot read: write it on one line")
        return
    }
    name = words[w]
    sub(/\..*/, "", name)
    gsub(/`/, "", name)
    imported[name]++

    if (!(name in is_allowed)) report(module " may not import " name)
    else if ((name in is_libc) && !guarded(name))
        report("import " name " has to be inside #if canImport(" name ")")
}

# Returns whether a branch around the line requires the module, rather than its absence.
function guarded(name,    level, condition) {
    for (level = 1; level <= depth; level++) {
        condition = branch[level]
        gsub(/[ \t]/, "", condition)
        if (index(condition, "canImport(" name ")") && !index(condition, "!canImport(" name ")"))
            return 1
    }
    return 0
}

function report(message) {
    printf "%s:%d: error: %s\n", FILENAME, FNR, message
    reports++
}

END {
    list = ""
    for (name in imported) list = list " " name
    print module " imports" (list == "" ? " nothing" : ":" list)
    exit reports > 0
}
