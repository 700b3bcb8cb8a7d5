#if Macros
import SwiftSyntax

extension StructDeclSyntax {
    /// `true` if the declaration alone shows that the struct has a memberwise initializer.
    var showsMemberwiseInitializer: Bool {
        // Another macro could add an initializer or a stored property.
        let known: Set<String> = ["CachedRelationships", "Mergeable", "available", "frozen"]
        let hasOnlyKnownAttributes = attributes.allSatisfy { attribute in
            guard case .attribute(let attribute) = attribute else { return false }
            return attribute.attributeName.baseName.map(known.contains) ?? false
        }
        return hasOnlyKnownAttributes
            && !memberBlock.members.contains { member in
                member.decl.is(InitializerDeclSyntax.self)
                    || member.decl.is(IfConfigDeclSyntax.self)
                    || member.decl.is(MacroExpansionDeclSyntax.self)
                    || member.decl.as(VariableDeclSyntax.self)?.hasInitAccessor ?? false
            }
    }
}

extension VariableDeclSyntax {
    /// `true` if an initializer may set a computed property.
    fileprivate var hasInitAccessor: Bool {
        bindings.contains { binding in
            guard case .accessors(let accessors) = binding.accessorBlock?.accessors else {
                return false
            }
            return accessors.contains { $0.accessorSpecifier.tokenKind == .keyword(.`init`) }
        }
    }
}

extension StoredProperty {
    /// `true` if the memberwise initializer has a parameter of the property's type, or needs none.
    var allowsMemberwiseInitializer: Bool {
        let hasOnlyKnownAttributes = attributes.allSatisfy { attribute in
            guard case .attribute(let attribute) = attribute else { return false }
            let known = ["Known", CachedRelationshipsIgnoredMacro.name]
            return attribute.attributeName.baseName.map(known.contains) ?? false
                && attribute.leftParen == nil
        }
        // The initial value of a constant may differ from call to call.
        let hasKnownValue = !isFixed || initialValue?.isLiteral ?? true
        // The body has local constants with the names of optional properties.
        let isShadowing = ["merged", "other", "self", "Self"].contains(name)
        return hasOnlyKnownAttributes && hasKnownValue && !isShadowing
    }

    var label: String {
        let isIdentifier = name.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
        return isIdentifier && !["inout", "let", "var"].contains(name) ? name : member
    }

    /// The argument for a wrapped property that makes it unknown, or `nil` if the initializer has
    /// no such parameter.
    var unknownValue: String? {
        // A private property with a default isn't a parameter.
        let isPrivate = modifiers.contains {
            [.keyword(.private), .keyword(.fileprivate)].contains($0.name.tokenKind)
                && $0.detail == nil
        }
        let hasDefault = initialValue != nil || type?.is(OptionalTypeSyntax.self) ?? false
        guard !(isPrivate && hasDefault) else { return nil }
        // With the type, a second initializer can't make the call ambiguous.
        return type?.wrappedType.map { "Swift.Optional<\($0.trimmed)>.none" } ?? "nil"
    }
}

extension ExprSyntax {
    /// `true` if an expression has the same value each time.
    fileprivate var isLiteral: Bool {
        switch kind {
        case .booleanLiteralExpr, .integerLiteralExpr, .floatLiteralExpr, .nilLiteralExpr: true
        case .stringLiteralExpr:
            self.as(StringLiteralExprSyntax.self)?.segments
                .allSatisfy { $0.is(StringSegmentSyntax.self) } ?? false
        case .prefixOperatorExpr:
            self.as(PrefixOperatorExprSyntax.self)?.expression.isLiteral ?? false
        case .arrayExpr:
            self.as(ArrayExprSyntax.self)?.elements.allSatisfy(\.expression.isLiteral) ?? false
        case .dictionaryExpr: self.as(DictionaryExprSyntax.self)?.isLiteral ?? false
        default: false
        }
    }
}

extension DictionaryExprSyntax {
    fileprivate var isLiteral: Bool {
        guard case .elements(let elements) = content else { return true }
        return elements.allSatisfy { $0.key.isLiteral && $0.value.isLiteral }
    }
}
#endif
