#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

enum CachedRelationshipsMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) || declaration.is(ClassDeclSyntax.self) else {
            context.diagnose(.relatedType, at: node)
            return []
        }
        guard declaration.isVisible(toExtensionsIn: context) else {
            context.diagnose(.privateType, at: node)
            return []
        }
        if let type = declaration.as(ClassDeclSyntax.self), !type.isFinal {
            context.diagnose(.openClass, at: type.name)
            return []
        }
        guard let properties = StoredProperty.all(of: declaration, in: context) else { return [] }
        var hasProblem = false
        var lines: [String] = []
        for property in properties where property.mayContainReferences {
            if let problem = problem(property) {
                context.diagnose(problem.reason, at: problem.node)
                hasProblem = true
            }
            let mentionsRelation = property.type?.mentions("Related") ?? false
            lines.append(
                mentionsRelation
                    ? "self.\(property.member).insertCacheKeys(into: &keys)"
                    : "keys.insert(referencesIn: self.\(property.member))"
            )
        }
        guard !hasProblem else { return [] }
        let body =
            lines.isEmpty
            ? "[]"
            : (["var keys: Swift.Set<FlatCache.CacheKey> = []"] + lines + ["return keys"])
                .joined(separator: "\n")
        return [
            try ExtensionDeclSyntax(
                """
                nonisolated extension \(type.trimmed)\(raw: conformance(protocols)) {
                    \(raw: declaration.access(in: context))var relatedCacheKeys: Swift.Set<FlatCache.CacheKey> {
                        \(raw: body)
                    }
                }
                """
            )
        ]
    }

    private static func problem(
        _ property: StoredProperty
    ) -> (reason: MacroProblem, node: Syntax)? {
        if property.isLazy { return (.lazyReference(property.name), Syntax(property.node)) }
        return property.type.flatMap { UnsupportedTypeFinder.problem(in: $0, of: property.name) }
    }
}

extension ClassDeclSyntax {
    fileprivate var isFinal: Bool {
        modifiers.contains { $0.name.tokenKind == .keyword(.final) }
    }
}

extension StoredProperty {
    /// `true` if the type may be one of references.
    fileprivate var mayContainReferences: Bool {
        if isIgnoredRelationship { return false }
        if let type { return type.mentions("Related") || !(name == "id" || type.isPlain) }
        switch initialValue?.kind {
        case .stringLiteralExpr, .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr:
            return false
        default: return name != "id"
        }
    }
}
#endif
