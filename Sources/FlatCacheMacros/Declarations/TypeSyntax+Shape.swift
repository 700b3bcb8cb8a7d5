#if Macros
import SwiftSyntax

extension TypeSyntax {
    var unparenthesized: TypeSyntax {
        guard let tuple = self.as(TupleTypeSyntax.self), let element = tuple.elements.first,
            tuple.elements.count == 1
        else {
            return self
        }
        return element.type.unparenthesized
    }

    /// The name without its module and its generic arguments, or `nil` if the type has no name.
    var baseName: String? {
        let type = unparenthesized
        if let identifier = type.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        return type.as(MemberTypeSyntax.self)?.name.text
    }

    /// `true` if the type is spelled as an optional.
    var isOptional: Bool {
        let type = unparenthesized
        return type.is(OptionalTypeSyntax.self)
            || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) || baseName == "Optional"
    }

    /// The type in an optional, or `nil` if the type isn't spelled as an optional.
    var wrappedType: TypeSyntax? {
        let type = unparenthesized
        if let optional = type.as(OptionalTypeSyntax.self) { return optional.wrappedType }
        return isOptional ? type.genericArguments.first : nil
    }

    /// `true` if the type is spelled as a `Known`.
    var isKnown: Bool {
        let module = unparenthesized.as(MemberTypeSyntax.self)?.baseType
        return baseName == "Known" && (module == nil || module?.baseName == "FlatCache")
    }

    var genericArguments: [TypeSyntax] {
        let type = unparenthesized
        let clause =
            type.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? type.as(MemberTypeSyntax.self)?.genericArgumentClause
        return clause?.arguments.compactMap { Syntax($0.argument).as(TypeSyntax.self) } ?? []
    }
}

extension SyntaxProtocol {
    /// `true` if an identifier is part of the syntax.
    func mentions(_ name: String) -> Bool {
        tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .identifier(name) }
    }
}
#endif
