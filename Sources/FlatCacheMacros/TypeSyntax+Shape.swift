#if Macros
import SwiftSyntax

extension TypeSyntax {
    /// The name without its module and its generic arguments, or `nil` if the type has no name.
    var baseName: String? {
        if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        return self.as(MemberTypeSyntax.self)?.name.text
    }

    /// A Boolean value that indicates whether the type is spelled as an optional.
    var isOptional: Bool {
        self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || baseName == "Optional"
    }

    /// A Boolean value that indicates whether a type is part of this one.
    func mentions(_ name: String) -> Bool {
        tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .identifier(name) }
    }

    /// The first tuple or function type in this one that has several parts.
    var firstUnnamedType: Syntax? {
        UnnamedTypeFinder.first(in: self)
    }
}

private final class UnnamedTypeFinder: SyntaxVisitor {
    private var found: Syntax?

    static func first(in type: TypeSyntax) -> Syntax? {
        let finder = UnnamedTypeFinder(viewMode: .sourceAccurate)
        finder.walk(type)
        return finder.found
    }

    override func visit(_ node: TupleTypeSyntax) -> SyntaxVisitorContinueKind {
        // One type in parentheses is that type, as in `(any Device)?`.
        if node.elements.count > 1 { found = found ?? Syntax(node) }
        return .visitChildren
    }

    override func visit(_ node: FunctionTypeSyntax) -> SyntaxVisitorContinueKind {
        found = found ?? Syntax(node)
        return .skipChildren
    }
}
#endif
