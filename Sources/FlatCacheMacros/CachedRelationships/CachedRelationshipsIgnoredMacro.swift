#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// The implementation of `@CachedRelationshipsIgnored`, a mark for `@CachedRelationships`.
enum CachedRelationshipsIgnoredMacro: PeerMacro {
    static let name = "CachedRelationshipsIgnored"

    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

extension StoredProperty {
    /// `true` if `@CachedRelationships` leaves the property out.
    var isIgnoredRelationship: Bool {
        attributes.contains {
            $0.as(AttributeSyntax.self)?.attributeName.baseName
                == CachedRelationshipsIgnoredMacro.name
        }
    }
}
#endif
