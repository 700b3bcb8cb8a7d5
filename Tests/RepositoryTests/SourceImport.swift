/// An import in a Swift file, with the conditions around it.
struct SourceImport: Equatable {
    let module: String
    let line: Int
    /// The conditions of the branches of `#if` around the import, the outermost first.
    var conditions: [String] = []

    /// A Boolean value that indicates whether a branch around the import requires the module.
    var isGuarded: Bool {
        conditions.contains {
            $0.contains("canImport(\(module))") && !$0.contains("!canImport(\(module))")
        }
    }

    /// Returns the imports in the lines of a file.
    ///
    /// The text is read because the compiler skips the branches of an `#if` for other platforms.
    /// The format admits one statement per line and no block comments.
    static func imports(in lines: [Substring]) -> [SourceImport] {
        // An `import` with its attributes and access level, up to the name of the module.
        let pattern =
            #/
            (?: @\w+ (?: \([^)]*\) )? \ + )*
            (?: \w+ \ + )?
            import \ +
            (?: (?: struct | class | enum | protocol | typealias | func | let | var | actor ) \ + )?
            `? (\w+)
            /#
        var imports: [SourceImport] = []
        var conditions: [String] = []
        for (index, line) in lines.enumerated() {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("#if") {
                conditions.append(String(line))
            } else if line.hasPrefix("#else"), !conditions.isEmpty {
                conditions[conditions.count - 1] = String(line)
            } else if line.hasPrefix("#endif") {
                _ = conditions.popLast()
            } else if line.contains("import"), let match = line.prefixMatch(of: pattern) {
                let module = String(match.output.1)
                imports.append(.init(module: module, line: index + 1, conditions: conditions))
            }
        }
        return imports
    }
}
