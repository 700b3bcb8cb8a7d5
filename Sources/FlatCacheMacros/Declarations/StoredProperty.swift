#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// A stored property of a type, as its declaration shows it.
struct StoredProperty {
    /// The name without backticks.
    let name: String
    /// The name as the declaration writes it, with backticks if it needs them.
    let member: String
    /// The declared type, or `nil` if the compiler infers it.
    let type: TypeSyntax?
    let initialValue: ExprSyntax?
    let isConstant: Bool
    let isLazy: Bool
    let modifiers: DeclModifierListSyntax
    let attributes: AttributeListSyntax
    /// The keyword `let` or `var`.
    let specifier: TokenSyntax
    let binding: PatternBindingSyntax

    /// The place of diagnostics.
    var node: PatternSyntax { binding.pattern }

    /// `true` if an initializer can't set the property.
    var isFixed: Bool { isConstant && initialValue != nil }

    /// `true` if the property has the attribute `@Known`.
    var isWrappedInKnown: Bool {
        attributes.contains { $0.as(AttributeSyntax.self)?.attributeName.baseName == "Known" }
    }

    /// `true` if an `#if` among the attributes contains `@Known`.
    var isConditionallyKnown: Bool {
        attributes.contains { $0.is(IfConfigDeclSyntax.self) && $0.mentions("Known") }
    }
}

extension StoredProperty {
    /// Returns the stored properties of a type in their order, or `nil` after a diagnostic if the
    /// macro can't know all of them.
    static func all(
        of declaration: some DeclGroupSyntax,
        in context: some MacroExpansionContext
    ) -> [StoredProperty]? {
        var properties: [StoredProperty] = []
        var isComplete = true
        for member in declaration.memberBlock.members {
            if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
                guard conditional.containsStoredProperties else { continue }
                context.diagnose(.conditionalProperties, at: conditional)
                isComplete = false
            }
            guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isStatic else {
                continue
            }
            for (binding, type) in variable.typedBindings where !binding.isComputed {
                guard let name = binding.pattern.as(IdentifierPatternSyntax.self) else {
                    context.diagnose(.pattern, at: binding.pattern)
                    isComplete = false
                    continue
                }
                properties.append(StoredProperty(name, type, binding, variable))
            }
        }
        return isComplete ? properties : nil
    }

    private init(
        _ name: IdentifierPatternSyntax,
        _ type: TypeSyntax?,
        _ binding: PatternBindingSyntax,
        _ variable: VariableDeclSyntax
    ) {
        member = name.identifier.text
        self.name = member.filter { $0 != "`" }
        self.type = type
        initialValue = binding.initializer?.value
        isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
        isLazy = variable.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) }
        modifiers = variable.modifiers
        attributes = variable.attributes
        specifier = variable.bindingSpecifier
        self.binding = binding
    }
}

extension VariableDeclSyntax {
    fileprivate var isStatic: Bool {
        modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
    }

    /// The bindings with their types.
    ///
    /// In `var a, b: Int`, `a` is an `Int`, too.
    fileprivate var typedBindings: [(binding: PatternBindingSyntax, type: TypeSyntax?)] {
        var typedBindings: [(PatternBindingSyntax, TypeSyntax?)] = []
        var following: TypeSyntax?
        for binding in bindings.reversed() {
            if binding.typeAnnotation != nil || binding.initializer != nil {
                following = binding.typeAnnotation?.type
            }
            typedBindings.append((binding, following))
        }
        return typedBindings.reversed()
    }
}

extension PatternBindingSyntax {
    fileprivate var isComputed: Bool {
        guard let accessors = accessorBlock?.accessors else { return false }
        guard case .accessors(let list) = accessors else { return true }
        return !list.allSatisfy {
            [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
        }
    }
}

extension IfConfigDeclSyntax {
    fileprivate var containsStoredProperties: Bool {
        clauses.contains { clause in
            guard case .decls(let members) = clause.elements else { return false }
            return members.contains { member in
                if let nested = member.decl.as(IfConfigDeclSyntax.self) {
                    return nested.containsStoredProperties
                }
                guard let variable = member.decl.as(VariableDeclSyntax.self) else { return false }
                return !variable.isStatic && !variable.bindings.allSatisfy(\.isComputed)
            }
        }
    }
}
#endif
