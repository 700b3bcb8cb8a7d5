#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The implementation of `@CachedRelationships`.
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
        guard let properties = StoredProperty.all(of: declaration, in: context) else { return [] }
        var hasProblem = false
        var lines: [String] = []
        for property in properties where property.name != "id" && !property.hasPlainType {
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
            : (["var keys: Set<FlatCache.CacheKey> = []"] + lines + ["return keys"])
                .joined(separator: "\n")
        return [
            try ExtensionDeclSyntax(
                """
                nonisolated extension \(type.trimmed)\(raw: conformance(protocols)) {
                    \(raw: declaration.access(in: context))var relatedCacheKeys: Set<FlatCache.CacheKey> {
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
        if property.isLazy { return (.lazyProperty(property.name), Syntax(property.node)) }
        guard let type = property.type, type.mentions("Related"),
            let unnamed = type.firstUnnamedType
        else {
            return nil
        }
        return (.unnamedType(property.name), unnamed)
    }
}

extension StoredProperty {
    /// A Boolean value that indicates whether the type surely contains no references.
    fileprivate var hasPlainType: Bool {
        guard let type else {
            return initialValue?.is(StringLiteralExprSyntax.self) ?? false
                || initialValue?.is(IntegerLiteralExprSyntax.self) ?? false
                || initialValue?.is(FloatLiteralExprSyntax.self) ?? false
                || initialValue?.is(BooleanLiteralExprSyntax.self) ?? false
        }
        let unwrapped = type.as(OptionalTypeSyntax.self)?.wrappedType ?? type
        return unwrapped.baseName.map { Self.plainTypes.contains($0) } ?? false
    }

    private static var plainTypes: Set<String> {
        ["Bool", "Data", "Date", "Decimal", "Double", "Float", "Int", "String", "URL", "UUID"]
    }
}
#endif
