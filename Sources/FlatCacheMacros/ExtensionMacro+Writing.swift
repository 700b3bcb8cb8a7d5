#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

extension ExtensionMacro {
    /// Returns the inheritance clause of an extension, or an empty one if the type conforms
    /// already.
    static func conformance(_ protocols: [TypeSyntax]) -> String {
        guard !protocols.isEmpty else { return "" }
        let names = protocols.map { "FlatCache.\($0.baseName ?? $0.trimmedDescription)" }
        return ": \(names.joined(separator: ", "))"
    }
}

extension DeclGroupSyntax {
    /// Returns the access level of the members that implement a protocol, with a space behind it.
    func access(in context: some MacroExpansionContext) -> String {
        // The compiler doesn't derive the access level of a member from a type around its type.
        let isInFile = context.lexicalContext.contains { declaration in
            !declaration.is(ExtensionDeclSyntax.self)
                && declaration.hasModifier(.keyword(.private), .keyword(.fileprivate))
        }
        if isInFile { return "fileprivate " }
        // A type in a `public extension` is public.
        let enclosing = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers
        return modifiers.access ?? enclosing?.access ?? ""
    }

    /// Returns a Boolean value that indicates whether an extension at file scope can name the type.
    func isVisible(toExtensionsIn context: some MacroExpansionContext) -> Bool {
        // A private type at file scope is visible in the file.
        let declarations = [Syntax(self)] + context.lexicalContext
        return !declarations.dropLast().contains { $0.hasModifier(.keyword(.private)) }
    }
}

extension Syntax {
    /// Returns a Boolean value that indicates whether a declaration of a type or an extension has
    /// one of the modifiers.
    fileprivate func hasModifier(_ modifiers: TokenKind...) -> Bool {
        let declaration = asProtocol((any DeclGroupSyntax).self)
        return declaration?.modifiers.contains { modifiers.contains($0.name.tokenKind) } ?? false
    }
}

extension DeclModifierListSyntax {
    /// The access level for the members of an extension, or `nil` if there is none.
    fileprivate var access: String? {
        for modifier in self {
            switch modifier.name.tokenKind {
            case .keyword(.public), .keyword(.open): return "public "
            case .keyword(.package): return "package "
            case .keyword(.internal), .keyword(.fileprivate), .keyword(.private): return ""
            default: continue
            }
        }
        return nil
    }
}
#endif
