#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A reason for which a macro can't write its extension.
enum MacroProblem: DiagnosticMessage {
    case mergingType
    case relatedType
    case privateType
    case openClass
    case conditionalProperties
    case pattern
    case missingType(String)
    case constantOptional(String)
    case lazyProperty(String)
    case conditionalKnown(String)
    case lazyReference(String)
    case unnamedType(String)
    case tuple(String)
    case dictionaryKey(String)

    var message: String {
        switch self {
        case .mergingType: "@Mergeable requires a struct"
        case .relatedType: "@CachedRelationships requires a struct or a class"
        case .privateType:
            "an extension can't see a private type in another type; declare it 'fileprivate'"
        case .openClass:
            """
            @CachedRelationships can't see the properties of subclasses; declare the class 'final'
            """
        case .conditionalProperties:
            "macros can't see which stored properties an #if contains; move the #if elsewhere"
        case .pattern: "declare each stored property on its own"
        case .missingType(let name):
            "declare the type of '\(name)', so that @Mergeable knows whether it is optional"
        case .constantOptional(let name):
            "@Mergeable can't keep a known value of the constant '\(name)'; declare it with 'var'"
        case .lazyProperty(let name):
            "the lazy property '\(name)' may depend on others; declare it as a computed property"
        case .conditionalKnown(let name):
            "@Mergeable can't see whether '\(name)' is @Known; move the attribute out of the #if"
        case .lazyReference(let name):
            """
            the lazy property '\(name)' can't be read in 'relatedCacheKeys'; declare it without \
            'lazy'
            """
        case .unnamedType(let name):
            """
            @CachedRelationships can't find the relationships in the type of '\(name)'; use Related \
            in optionals, arrays, sets and dictionaries
            """
        case .tuple(let name):
            """
            @CachedRelationships can't find relationships in the tuple of '\(name)'; declare a \
            struct, which conforms to CachedReference if it contains relationships
            """
        case .dictionaryKey(let name):
            """
            @CachedRelationships can't find the relationships in the dictionary keys of \
            '\(name)'; use Related in the values
            """
        }
    }

    var diagnosticID: MessageID { MessageID(domain: "FlatCacheMacros", id: identifier) }

    var severity: DiagnosticSeverity { .error }

    private var identifier: String {
        switch self {
        case .mergingType: "mergingType"
        case .relatedType: "relatedType"
        case .privateType: "privateType"
        case .openClass: "openClass"
        case .conditionalProperties: "conditionalProperties"
        case .pattern: "pattern"
        case .missingType: "missingType"
        case .constantOptional: "constantOptional"
        case .lazyProperty: "lazyProperty"
        case .conditionalKnown: "conditionalKnown"
        case .lazyReference: "lazyReference"
        case .unnamedType: "unnamedType"
        case .tuple: "tuple"
        case .dictionaryKey: "dictionaryKey"
        }
    }
}

extension MacroExpansionContext {
    func diagnose(_ problem: MacroProblem, at node: some SyntaxProtocol) {
        diagnose(Diagnostic(node: node, message: problem))
    }

    /// Reports a constant that a merge has to set, and proposes a variable.
    func diagnoseConstant(_ property: StoredProperty) {
        let variable = property.specifier.with(\.tokenKind, .keyword(.var))
        diagnose(
            Diagnostic(
                node: property.node,
                message: MacroProblem.constantOptional(property.name),
                fixIt: FixIt(
                    message: MacroRepair.variable,
                    changes: [
                        .replace(oldNode: Syntax(property.specifier), newNode: Syntax(variable))
                    ]
                )
            )
        )
    }

    /// Reports a property whose type is inferred, and proposes an annotation.
    func diagnoseMissingType(of property: StoredProperty) {
        let placeholder = IdentifierTypeSyntax(name: .identifier("<#Type#>"))
        let annotation = TypeAnnotationSyntax(
            colon: .colonToken(trailingTrivia: .space),
            type: placeholder,
            trailingTrivia: property.node.trailingTrivia
        )
        let annotated = property.binding.with(\.pattern.trailingTrivia, [])
            .with(\.typeAnnotation, annotation)
        diagnose(
            Diagnostic(
                node: property.node,
                message: MacroProblem.missingType(property.name),
                fixIt: FixIt(
                    message: MacroRepair.annotation,
                    changes: [
                        .replace(oldNode: Syntax(property.binding), newNode: Syntax(annotated))
                    ]
                )
            )
        )
    }
}
#endif
