#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

enum MergeableMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = declaration.as(StructDeclSyntax.self) else {
            context.diagnose(.mergingType, at: node)
            return []
        }
        guard declaration.isVisible(toExtensionsIn: context) else {
            context.diagnose(.privateType, at: node)
            return []
        }
        guard let properties = StoredProperty.all(of: declaration, in: context),
            let merge = MergeWriter(properties, of: declaration, in: context)
        else {
            return []
        }
        return [
            try ExtensionDeclSyntax(
                """
                nonisolated extension \(type.trimmed)\(raw: conformance(protocols)) {
                    \(raw: declaration.access(in: context))func merged(with other: Self) -> Self {
                        \(raw: merge.body)
                    }
                }
                """
            )
        ]
    }
}
#endif
