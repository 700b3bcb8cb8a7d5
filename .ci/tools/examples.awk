# Extracts the fenced ```swift blocks of Markdown files and of the `///` comments of Swift files,
# and wraps each so that it can be compiled.
#
#   awk -v out=FOLDER -f examples.awk FILES
#
# For each block N, writes these files, whose folders exist already:
#   FOLDER/raw/N.swift        the block alone
#   FOLDER/function/N.swift   imports, types, protocols, extensions and operators at file level,
#                               and the rest as the body of `func example() async throws`. In this
#                               form an example can await and throw, its variables belong to no
#                               actor and can be captured by @Sendable closures, and its types can
#                               be extended.
#   FOLDER/top-level/N.swift  the block as top-level code, for examples that don't fit into a
#                               function: types that use the block's own variables, functions that
#                               @Sendable closures capture.
#   FOLDER/joint/N.swift      the function form as a file of a module that contains other examples
#                               with the same imports. Its types are private, so that files can
#                               declare the same names, and no file sees those of another. Some
#                               examples have no such form: those that extend a type of another
#                               module with a conformance, declare operators, or say which access
#                               their types have.
#
# Prints a line per block with these fields, which are separated by tabs, or `-` for an empty one:
# N, the file:line of the block, its isolation, `manifest` for an excerpt of a Package.swift, the
# modules that the block imports, and the imports of its joint form.
#
# With line directives, the compiler's messages refer to the documentation.

BEGIN { OFS = "\t" }

FNR == 1 {
    close_block()
    is_markdown = FILENAME ~ /\.md$/
    module = FILENAME ~ /^Sources\// ? FILENAME : ""
    sub(/^Sources\//, "", module)
    sub(/\/.*/, "", module)
    is_persistence = module ~ /^FlatCachePersistence/
    parts = 0
    forget_directives()
}

{
    line = $0
    if (!is_markdown) {
        # A comment and its directives end at the next line of code.
        if (line !~ /^[ \t]*\/\/\//) {
            close_block()
            parts = 0
            forget_directives()
            next
        }
        sub(/^[ \t]*\/\/\/ ?/, "", line)
    }

    if (fence != "") {
        if (line ~ /^[ \t]*(```+|~~~+)[ \t]*$/) close_block()
        else if (in_swift) add_line(line)
    } else if (line ~ /^[ \t]*(```|~~~)/) open_block(line)
    else if (line ~ /<!-- *prelude: *[A-Za-z0-9_-]+ *-->/) {
        prelude = line
        sub(/.*<!-- *prelude: */, "", prelude)
        sub(/ *-->.*/, "", prelude)
    } else if (line ~ /<!-- *continues *-->/) continues = 1
    else if (line ~ /<!-- *main actor *-->/) isolation = "MainActor"
}

END { close_block() }

function forget_directives() {
    prelude = is_persistence ? "persistence" : "default"
    continues = 0
    isolation = ""
}

function open_block(line) {
    fence = line
    indentation = match(line, /[^ \t]/) - 1
    in_swift = line ~ /^[ \t]*(```|~~~) *swift[ \t]*$/
    if (!in_swift) return
    # `parts` is the number of blocks that are compiled together; this block is the last of them.
    if (continues && parts > 0) prelude = chain_prelude
    else { parts = 0; chain_prelude = prelude }
    parts++
    first_line[parts] = FNR + 1
    line_count[parts] = 0
}

function add_line(line,    lead) {
    # A block in a list is indented with the list.
    lead = match(line, /[^ \t]/) - 1
    if (lead < 0) line = ""
    else line = substr(line, 1 + (lead < indentation ? lead : indentation))
    text[parts, ++line_count[parts]] = line
}

function close_block() {
    if (fence != "" && in_swift) {
        write_example()
        forget_directives()
    }
    fence = ""
    in_swift = 0
}

function write_example(    number, part, l, raw, body, top, joint, manifest, modules) {
    number = ++examples
    raw = out "/raw/" number ".swift"
    body = out "/function/" number ".swift"
    top = out "/top-level/" number ".swift"
    joint = out "/joint/" number ".swift"

    for (l = 1; l <= line_count[parts]; l++) {
        line = text[parts, l]
        print line > raw
        if (line ~ /^[ \t]*\/\/ Package\.swift|import PackageDescription|\.package\(/)
            manifest = "manifest"
        if (line ~ /^[ \t]*(@[^ ]+ )*(public )?import [A-Za-z_]/) {
            sub(/.*import /, "", line)
            sub(/[^A-Za-z_].*/, "", line)
            modules = modules (modules == "" ? "" : " ") line
        }
    }
    if (line_count[parts] == 0) print "" > raw

    can_join = 1
    own_imports = ""
    split("", declared)
    split("", conforming)
    for (part = 1; part <= parts; part++) classify(part)
    for (name in conforming) if (!(name in declared)) can_join = 0

    print imports() > body
    write_lines(body, "declaration")
    print "func example() async throws {" > body
    write_lines(body, "statement")
    print "}" > body

    print imports() > top
    write_lines(top, "")

    if (can_join) {
        print imports() > joint
        write_joint_lines(joint, "declaration")
        print "func example" number "() async throws {" > joint
        write_joint_lines(joint, "statement")
        print "}" > joint
    }

    close(raw); close(body); close(top); close(joint)
    print number, FILENAME ":" (first_line[parts] - 1), or_dash(isolation), or_dash(manifest), \
        or_dash(modules), can_join ? sorted_lines(imports() own_imports) : "-"
}

function or_dash(text) { return text == "" ? "-" : text }

function imports(    lines) {
    if (is_persistence) lines = "import FlatCachePersistence\nimport Foundation"
    else lines = "import FlatCache"
    if (module != "" && module != "FlatCache" && module != "Bookshop")
        lines = lines "\nimport " module
    # The prelude is a module of its own, so that declarations in the example hide those in the
    # prelude.
    if (chain_prelude != "none") lines = lines "\n@testable import prelude_" chain_prelude
    return lines
}

# Returns the different lines of a text in order, separated by semicolons.
function sorted_lines(text,    count, lines, sorted, i, j) {
    count = split(text, lines, "\n")
    for (i = 1; i <= count; i++) {
        for (j = i; j > 1 && lines[j] < lines[j - 1]; j--) {
            line = lines[j]
            lines[j] = lines[j - 1]
            lines[j - 1] = line
        }
    }
    for (i = 1; i <= count; i++)
        if (i == 1 || lines[i] != lines[i - 1]) sorted = sorted (i == 1 ? "" : ";") lines[i]
    return sorted
}

# Writes the lines of one kind, of every part. Other lines become empty, which preserves the line
# numbers. Conditional compilation belongs to both kinds.
function write_lines(file, wanted,    part, l) {
    for (part = 1; part <= parts; part++) {
        printf "#sourceLocation(file: \"%s\", line: %d)\n", FILENAME, first_line[part] > file
        for (l = 1; l <= line_count[part]; l++) {
            if (wanted == "" || kind[part, l] == wanted || kind[part, l] == "both")
                print text[part, l] > file
            else print "" > file
        }
    }
    print "#sourceLocation()" > file
}

function write_joint_lines(file, wanted,    part, l) {
    for (part = 1; part <= parts; part++)
        for (l = 1; l <= line_count[part]; l++)
            if (kind[part, l] == wanted || kind[part, l] == "both")
                print access[part, l] text[part, l] > file
}

# Sorts the lines of a part into declarations, which belong at file level, and statements.
function classify(part,    l, line, in_declaration, opened, depth, pending, p) {
    pending = 0
    for (l = 1; l <= line_count[part]; l++) {
        line = text[part, l]
        access[part, l] = ""
        if (!in_declaration && line ~ /^#(if|else|elseif|endif)/) {
            kind[part, l] = "both"
            continue
        }
        if (!in_declaration && line ~ /^@[A-Za-z_]+(\(.*\))?[ \t]*$/) {
            # Attributes on a line of their own belong to the next line.
            if (!pending) pending = l
            continue
        }
        if (!in_declaration && begins_declaration(line)) {
            in_declaration = 1
            access[part, l] = access_in_joint_form(line)
            opened = 0
            depth = 0
        }
        kind[part, l] = in_declaration ? "declaration" : "statement"
        for (p = pending; pending && p < l; p++) kind[part, p] = kind[part, l]
        pending = 0
        if (in_declaration) {
            if (without_text(line) ~ /[{]/) opened = 1
            depth += nesting(line)
            if (depth <= 0 && (opened || line ~ /^[^{]*(import|typealias|operator) /))
                in_declaration = 0
        }
    }
}

function begins_declaration(line) {
    return without_modifiers(line) ~ /^(import|extension|struct|class|enum|protocol|actor|typealias|operator|precedencegroup)[ \t]/
}

function without_modifiers(line) {
    while (sub(/^@[A-Za-z_]+(\([^)]*\))?[ \t]+/, "", line)) {}
    while (sub(/^(public|package|internal|fileprivate|private|open|final|indirect|nonisolated|prefix|infix|postfix)[ \t]+/, "", line)) {}
    return line
}

# Returns the modifier that the first line of a declaration gets in the joint form. Notes what the
# block declares, extends and imports, and whether it can have a joint form.
function access_in_joint_form(line,    rest, name, modifiers) {
    rest = without_modifiers(line)
    modifiers = substr(line, 1, length(line) - length(rest))
    if (rest ~ /^import[ \t]/) {
        sub(/[ \t]*\/\/.*/, "", line)
        own_imports = own_imports "\n" line
        return ""
    }
    if (rest ~ /^(operator|precedencegroup)[ \t]/ || modifiers ~ /@main|public|package|internal|private|open/)
        can_join = 0
    name = rest
    sub(/^[a-z]+[ \t]+/, "", name)
    sub(/[^A-Za-z0-9_].*/, "", name)
    if (rest !~ /^extension[ \t]/) declared[name]
    else if (rest ~ /^extension[ \t]+[^{]*:/ || rest !~ /[{]/) {
        # An extension with a conformance can't be private.
        conforming[name]
        return ""
    }
    return "private "
}

# Returns the line without comments and string literals, in which braces mean nothing.
function without_text(line) {
    gsub(/"[^"]*"/, "", line)
    sub(/\/\/.*/, "", line)
    return line
}

function nesting(line,    opening, closing) {
    line = without_text(line)
    opening = gsub(/[{(]/, "", line)
    closing = gsub(/[})]/, "", line)
    return opening - closing
}
