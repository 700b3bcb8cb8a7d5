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
        let constants = merged.filter {
            [.keepingOptional, .keepingKnown].contains($0.rule) && $0.property.isConstant
        }
        for constant in constants { context.diagnoseConstant(constant.property) }
        guard constants.isEmpty else { return nil }
    }

    /// The statements of the method with the parameter `other`.
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

    /// The call of the memberwise initializer.
    ///
    /// It can't set a wrapped property to null.
    private var initialization: String {
        let arguments = properties.compactMap { property, rule -> String? in
            let label = property.label
            let name = property.member
            switch rule {
            case .newer: return property.isFixed ? nil : "\(label): other.\(name)"
            case .keepingOptional: return "\(label): \(name)"
            case .keepingKnown: return "\(label): self.\(name).merged(with: other.\(name))"
            case .keepingWrapper: return property.unknownValue.map { "\(label): \($0)" }
            }
        }
        return "Self(\n\(arguments.joined(separator: ",\n"))\n)"
    }

    private func assignment(to property: StoredProperty, by rule: MergeRule) -> String? {
        let name = property.name
        let member = property.member
        switch rule {
        case .keepingWrapper:
            return "merged.$\(name) = self.$\(name).merged(with: other.$\(name))"
        case .keepingKnown where !isMemberwise:
            return "merged.\(member) = self.\(member).merged(with: other.\(member))"
        case .keepingOptional where !isMemberwise:
            return "merged.\(member) = other.\(member) == nil ? self.\(member) : other.\(member)"
        case .keepingOptional, .keepingKnown, .newer: return nil
        }
    }

    private func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }
}

#endif
