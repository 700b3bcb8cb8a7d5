#if Macros
import SwiftSyntax

/// Finds the part of a property's type in which `@CachedRelationships` can't find relationships.
final class UnsupportedTypeFinder: SyntaxVisitor {
    private let name: String
    private var found: (reason: MacroProblem, node: Syntax)?

    private init(name: String) {
        self.name = name
        super.init(viewMode: .sourceAccurate)
    }

    /// Returns the first problem in the type of a property, or `nil` if there is none.
    static func problem(
        in type: TypeSyntax,
        of name: String
    ) -> (reason: MacroProblem, node: Syntax)? {
        let finder = UnsupportedTypeFinder(name: name)
        finder.walk(type)
        return finder.found
    }

    override func visit(_ node: TupleTypeSyntax) -> SyntaxVisitorContinueKind {
        // One type in parentheses is that type, as in `(any Device)?`.
        guard node.elements.count > 1, !TypeSyntax(node).isPlain else { return .visitChildren }
        return stop(node.mentions("Related") ? .unnamedType(name) : .tuple(name), at: node)
    }

    override func visit(_ node: FunctionTypeSyntax) -> SyntaxVisitorContinueKind {
        node.mentions("Related") ? stop(.unnamedType(name), at: node) : .skipChildren
    }

    override func visit(_ node: DictionaryTypeSyntax) -> SyntaxVisitorContinueKind {
        node.key.mentions("Related") ? stop(.dictionaryKey(name), at: node) : .visitChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        visitNamed(TypeSyntax(node))
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        visitNamed(TypeSyntax(node))
    }

    private func visitNamed(_ type: TypeSyntax) -> SyntaxVisitorContinueKind {
        guard type.baseName == "Dictionary", let key = type.genericArguments.first,
            key.mentions("Related")
        else {
            return .visitChildren
        }
        return stop(.dictionaryKey(name), at: type)
    }

    private func stop(
        _ reason: MacroProblem,
        at node: some SyntaxProtocol
    ) -> SyntaxVisitorContinueKind {
        found = found ?? (reason, Syntax(node))
        return .skipChildren
    }
}
#endif
