import TestSupport

/// A value of a JSON document.
enum JSON: Sendable {
    case null
    case number(Int)
    case text(String)
    case array([JSON])
    case object([(key: String, value: JSON)])

    var text: String {
        switch self {
        case .null: "null"
        case .number(let number): "\(number)"
        case .text(let text): "\"\(text)\""
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}

/// A generator of nested documents in the shapes of `Library`.
struct DocumentGenerator {
    var random: SplitMix64
    /// A Boolean value that indicates whether some of the entities can't be decoded.
    var hasMistakes = false

    init(seed: Seed) { random = SplitMix64(seed: seed) }

    mutating func page() -> JSON {
        var members = [("items", array(upTo: 6) { $0.relation(to: .novel, depth: 0) })]
        if random.oneIn(3) { members.append(("featured", relation(to: .city, depth: 1))) }
        return .object(members.map { (key: $0.0, value: $0.1) })
    }

    mutating func entity(_ type: EntitySchema, depth: Int) -> JSON {
        var members = [(key: "id", value: type.identifier(random.below(8)))]
        for field in type.fields where field.isRequired || !random.oneIn(3) {
            members.append((key: field.name, value: value(field.kind, depth: depth + 1)))
        }
        // An object that contains only an identifier is a reference.
        if members.count == 1 { members.append((key: "extra", value: .number(1))) }
        // The order of the members of an object means nothing.
        return .object(members.shuffled(using: &random))
    }

    private mutating func value(_ kind: EntitySchema.Kind, depth: Int) -> JSON {
        if hasMistakes, random.oneIn(40) { return .array([.null]) }
        return switch kind {
        case .number: .number(random.below(100))
        case .text: .text("text \(random.below(100))")
        case .optional(let kind), .known(let kind):
            random.oneIn(4) ? .null : value(kind, depth: depth)
        case .relation(let name): relation(to: .named(name), depth: depth)
        case .polymorphic(let names): polymorphicRelation(to: names, depth: depth)
        case .array(let kind): array(upTo: 3) { $0.value(kind, depth: depth) }
        // The order in which a decoder reads several values is unspecified.
        case .dictionary(let kind): .object([(key: "key", value: value(kind, depth: depth))])
        case .structure(let fields):
            .object(fields.map { (key: $0.name, value: value($0.kind, depth: depth)) })
        }
    }

    private mutating func relation(to type: EntitySchema, depth: Int) -> JSON {
        let identifier = type.identifier(random.below(8))
        switch random.below(depth > 3 ? 4 : 10) {
        case 0...2: return identifier
        case 3: return .object([(key: "id", value: identifier)])
        default: return entity(type, depth: depth)
        }
    }

    private mutating func polymorphicRelation(to names: [String], depth: Int) -> JSON {
        guard let name = names.randomElement(using: &random), !random.oneIn(5) else {
            return .object([("type", .text("Ship")), ("id", .number(random.below(8)))])
        }
        let type = (key: "type", value: JSON.text(name))
        let isWhole = depth < 4 && random.oneIn(2)
        guard isWhole, case .object(let members) = entity(.named(name), depth: depth) else {
            let identifier = EntitySchema.named(name).identifier(random.below(8))
            return .object([type, ("id", identifier)])
        }
        return .object((members + [type]).shuffled(using: &random))
    }

    private mutating func array(
        upTo count: Int,
        _ element: (inout DocumentGenerator) -> JSON
    ) -> JSON {
        .array((0..<random.below(count + 1)).map { _ in element(&self) })
    }
}
