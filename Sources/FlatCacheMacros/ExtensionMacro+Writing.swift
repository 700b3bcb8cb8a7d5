#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

extension ExtensionMacro {
    /// Returns the inheritance clause of an extension, which is empty if the type conforms already.
    static func conformance(_ protocols: [TypeSyntax]) -> String {
        guard !protocols.isEmpty else { return "" }
        let names = protocols.map { "FlatCache.\($0.baseName ?? $0.trimmedDescription)" }
        return ": \(names.joined(separator: ", "))"
    }
}

extension DeclGroupSyntax {
    /// Returns the access level of the members that implement a protocol, with a space behind it.
    func access(in context: some MacroExpansionContext) -> String {
        // A type in a `public extension` is public.
        let enclosing = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers
        return modifiers.access ?? enclosing?.access ?? ""
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
