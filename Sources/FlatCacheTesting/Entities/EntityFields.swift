import FlatCache

/// The stored properties of a value, in the order of their declaration, as `Mirror` shows them.
struct EntityFields {
    struct Field {
        let name: String
        let value: Any
    }

    let fields: [Field]

    init(_ value: Any) {
        var fields: [Field] = []
        var mirror: Mirror? = Mirror(reflecting: value)
        while let current = mirror {
            let own = current.children.enumerated().map { index, child in
                Field(name: Self.name(child.label, index), value: child.value)
            }
            fields.insert(contentsOf: own, at: 0)
            mirror = current.superclassMirror
        }
        self.fields = fields
    }

    /// A property wrapper's storage has the name of its property and an underscore.
    private static func name(_ label: String?, _ index: Int) -> String {
        guard let label else { return "\(index)" }
        return label.hasPrefix("_") ? String(label.dropFirst()) : label
    }

    func names(differingFrom other: EntityFields) -> [String] {
        guard fields.map(\.name) == other.fields.map(\.name) else { return ["(case)"] }
        return zip(fields, other.fields).compactMap { left, right in
            Self.areEqual(left.value, right.value) ? nil : left.name
        }
    }

    subscript(name: String) -> Any? { fields.first { $0.name == name }?.value }

    /// Removes all levels of optionality; returns `nil` if one of them is `nil` or unknown.
    ///
    /// A known null is returned unchanged.
    static func unwrapped(_ value: Any) -> Any? {
        if let partial = value as? any PartialValue { return partial.isKnown ? value : nil }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.flatMap { unwrapped($0.value) }
    }

    /// Returns a Boolean value that indicates whether a value is a known null.
    static func isNull(_ value: Any) -> Bool { (value as? any PartialValue)?.isNull ?? false }

    static func areEqual(_ left: Any, _ right: Any) -> Bool {
        switch (unwrapped(left), unwrapped(right)) {
        case (nil, nil): true
        case (let left?, let right?):
            if let left = left as? any Equatable {
                left.isEqual(to: right)
            } else {
                String(reflecting: left) == String(reflecting: right)
            }
        default: false
        }
    }

    /// The keys of the relationships that a value contains, also in optionals and collections.
    static func relationshipKeys(in value: Any) -> [CacheKey] {
        guard let value = unwrapped(value) else { return [] }
        if let relationship = value as? any RelationshipReference { return [relationship.cacheKey] }
        return EntityFields(value).fields.flatMap { relationshipKeys(in: $0.value) }
    }
}

/// A reference from one entity to another.
private protocol RelationshipReference {
    var cacheKey: CacheKey { get }
}

extension Related: RelationshipReference {}

/// A value that can be unknown, null or a value.
private protocol PartialValue {
    var isKnown: Bool { get }
    var isNull: Bool { get }
}

extension Known: PartialValue {
    fileprivate var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
