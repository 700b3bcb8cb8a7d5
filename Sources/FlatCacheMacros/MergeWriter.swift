#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// Writes the body of `merged(with:)`.
///
/// With ten optional strings, changing a copy of the newer value takes twice as long as calling the
/// memberwise initializer, because the copy retains every property and each assignment releases
/// one. With `Known` properties, it takes up to a quarter longer. So the body calls the initializer
/// if it can, and otherwise changes a copy.
struct MergeWriter {
    private let properties: [(property: StoredProperty, rule: MergeRule)]
    private let isMemberwise: Bool

    /// Creates a writer, or returns `nil` after a diagnostic if a property can't be merged.
    init?(
        _ properties: [StoredProperty],
        of declaration: StructDeclSyntax,
        in context: some MacroExpansionContext
    ) {
        let rules = properties.map { MergeRule($0, in: context) }
        let merged = zip(properties, rules).compactMap { property, rule in
            rule.map { (property: property, rule: $0) }
        }
        guard merged.count == properties.count else { return nil }
        self.properties = merged
        isMemberwise =
            rules.contains { $0 != .newer } && declaration.showsMemberwiseInitializer
            && properties.allSatisfy(\.allowsMemberwiseInitializer)
        guard !isMemberwise else { return }
        let constants = merged.filter { $0.rule == .keepingOptional && $0.property.isConstant }
        for constant in constants { context.diagnoseConstant(constant.property) }
        guard constants.isEmpty else { return nil }
    }

    /// The statements of the method, whose parameter is `other`.
    var body: String {
        let assignments = properties.compactMap { assignment(to: $0.property, by: $0.rule) }
        if isMemberwise {
            let values = properties.filter { $0.rule == .keepingOptional }.map(\.property.member)
                .map { "let \($0) = other.\($0) ?? self.\($0)" }
            guard !assignments.isEmpty else {
                return lines(values + ["return \(initialization)"])
            }
            return lines(
                values + ["var merged = \(initialization)"] + assignments + ["return merged"]
            )
        }
        guard !assignments.isEmpty else { return "other" }
        return lines(["var merged = other"] + assignments + ["return merged"])
    }

    /// The call of the memberwise initializer, which can't set a `Known` property to null.
    private var initialization: String {
        let arguments = properties.compactMap { property, rule -> String? in
            let name = property.member
            switch rule {
            case .newer: return property.isFixed ? nil : "\(name): other.\(name)"
            case .keepingOptional: return "\(name): \(name)"
            case .keepingKnown: return "\(name): nil"
            }
        }
        return "Self(\n\(arguments.joined(separator: ",\n"))\n)"
    }

    private func assignment(to property: StoredProperty, by rule: MergeRule) -> String? {
        let name = property.name
        let member = property.member
        switch rule {
        case .keepingKnown:
            return "merged.$\(name) = self.$\(name).merged(with: other.$\(name))"
        case .keepingOptional where !isMemberwise:
            return "merged.\(member) = other.\(member) == nil ? self.\(member) : other.\(member)"
        case .keepingOptional, .newer: return nil
        }
    }

    private func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }
}

extension StructDeclSyntax {
    /// A Boolean value that indicates whether the declaration alone shows that the struct has a
    /// memberwise initializer.
    fileprivate var showsMemberwiseInitializer: Bool {
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
            }
    }
}

extension StoredProperty {
    /// A Boolean value that indicates whether the memberwise initializer has a parameter of the
    /// property's type, or needs none.
    fileprivate var allowsMemberwiseInitializer: Bool {
        // The body has local constants with the names of optional properties.
        !isLazy && attributes.allSatisfy { $0 == "Known" } && !["merged", "other"].contains(name)
    }
}
#endif
