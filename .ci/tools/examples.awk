# Extracts the fenced ```swift blocks of Markdown files and of the `///` comments of Swift files,
# and wraps each so that it can be compiled.
#
#   awk -v out=FOLDER -f examples.awk FILES
#
# For each block, writes a folder FOLDER/example-NNN with
#   place            file:line of the block
#   raw.swift        the block alone
#   function.swift   imports, types, protocols, extensions and operators at file level, and the
#                    rest as the body of `func example() async throws`. In this form an example can
#                    await and throw, its variables belong to no actor and can be captured by
#                    @Sendable closures, and its types can be extended.
#   main.swift       the block as top-level code, for examples that don't fit into a function: types
#                    that use the block's own variables, functions that @Sendable closures capture.
# With line directives, the compiler's messages refer to the documentation.

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

function write_example(    folder, place, part, l, raw, body, top) {
    folder = sprintf("%s/example-%03d", out, ++examples)
    place = folder "/place"
    raw = folder "/raw.swift"
    body = folder "/function.swift"
    top = folder "/main.swift"
    system("mkdir -p '" folder "'")

    print FILENAME ":" (first_line[parts] - 1) > place
    if (isolation != "") print isolation > (folder "/isolation")
    for (l = 1; l <= line_count[parts]; l++) print text[parts, l] > raw
    if (line_count[parts] == 0) print "" > raw

    for (part = 1; part <= parts; part++) classify(part)
    write_imports(body)
    write_lines(body, "declaration")
    print "func example() async throws {" > body
    write_lines(body, "statement")
    print "}" > body
    write_imports(top)
    write_lines(top, "")

    close(place); close(raw); close(body); close(top); close(folder "/isolation")
}

function write_imports(file) {
    if (is_persistence) print "import FlatCachePersistence\nimport Foundation" > file
    else print "import FlatCache" > file
    if (module != "" && module != "FlatCache" && module != "Bookshop") print "import " module > file
    # The prelude is a module of its own, so that declarations in the example hide those in the
    # prelude.
    if (chain_prelude != "none") print "@testable import prelude_" chain_prelude > file
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

# Sorts the lines of a part into declarations, which belong at file level, and statements.
function classify(part,    l, line, in_declaration, opened, depth, pending, p) {
    pending = 0
    for (l = 1; l <= line_count[part]; l++) {
        line = text[part, l]
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
    while (sub(/^@[A-Za-z_]+(\([^)]*\))?[ \t]+/, "", line)) {}
    while (sub(/^(public|package|internal|fileprivate|private|open|final|indirect|nonisolated|prefix|infix|postfix)[ \t]+/, "", line)) {}
    return line ~ /^(import|extension|struct|class|enum|protocol|actor|typealias|operator|precedencegroup)[ \t]/
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
