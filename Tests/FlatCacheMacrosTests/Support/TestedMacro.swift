#if Macros
import Testing

/// A macro of the library, and the protocol of the extension that it writes.
enum TestedMacro: String {
    case mergeable = "Mergeable"
    case cachedRelationships = "CachedRelationships"

    var conformance: String {
        switch self {
        case .mergeable: "Mergeable"
        case .cachedRelationships: "HasCachedRelationships"
        }
    }

    private func expand(_ declaration: String, in context: String? = nil) throws -> MacroExpansion {
        let words = declaration.split { !$0.isLetter }
        let keyword = try #require(words.firstIndex { ["struct", "class", "enum"].contains($0) })
        return try MacroPlugin().expand(
            rawValue,
            of: "@\(rawValue)\n\(declaration)",
            extending: String(words[keyword + 1]),
            conformance: conformance,
            in: context
        )
    }

    /// Checks the extension that the macro writes.
    func expectExpansion(
        of declaration: String,
        in context: String? = nil,
        is expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expansion = try expand(declaration, in: context)
        #expect(expansion.diagnostics.map(\.message) == [], sourceLocation: sourceLocation)
        #expect(expansion.expandedSource == expected, sourceLocation: sourceLocation)
    }

    /// Checks that the macro writes no extension, and its diagnostics.
    func expectDiagnoses(
        of declaration: String,
        in context: String? = nil,
        _ expected: MacroDiagnosis...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expansion = try expand(declaration, in: context)
        let source = "@\(rawValue)\n\(declaration)"
        let diagnoses = expansion.diagnostics.map { MacroDiagnosis($0, of: source) }
        #expect(diagnoses == expected, sourceLocation: sourceLocation)
        #expect(expansion.expandedSource ?? "" == "", sourceLocation: sourceLocation)
    }
}
#endif
