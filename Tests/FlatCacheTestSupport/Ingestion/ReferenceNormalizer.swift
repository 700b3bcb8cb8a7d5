/// A naive normalizer of documents, which works on plain dictionaries and knows no `Codable`.
struct ReferenceNormalizer: Equatable {
    /// An entity without identifiers, whose relations are texts of identifiers.
    typealias Entity = [String: String]

    struct Mistake: Error {}

    var entities: [String: Entity] = [:]

    mutating func add(page: JSON) throws {
        var copy = self
        if case .array(let items)? = page["items"] {
            for item in items { _ = try copy.visit(item, .relation("Novel")) }
        }
        if let city = page["featured"] { _ = try copy.visit(city, .relation("City")) }
        self = copy
    }

    /// Adds the items of a page that can be decoded, and returns the indices of the others.
    mutating func add(lenientPage page: JSON) -> [Int] {
        guard case .array(let items)? = page["items"] else { return [] }
        return items.indices.filter { index in
            var copy = self
            guard (try? copy.visit(items[index], .relation("Novel"))) != nil else { return true }
            self = copy
            return false
        }
    }

    /// Returns the text of a value without the entities inside it, which are added.
    private mutating func visit(_ value: JSON, _ kind: EntitySchema.Kind) throws -> String {
        switch (kind, value) {
        case (.number, .number), (.text, .text), (.optional, .null), (.known, .null):
            return value.text
        case (.optional(let kind), _), (.known(let kind), _):
            return try visit(value, kind)
        case (.array(let kind), .array(let elements)):
            return "[" + (try elements.map { try visit($0, kind) }.joined(separator: ",")) + "]"
        case (.dictionary(let kind), .object(let members)):
            return try members.map { "\($0.key)=" + (try visit($0.value, kind)) }.joined()
        case (.structure(let fields), .object):
            return try fields.map { try visit(value[$0.name] ?? .null, $0.kind) }.joined()
        case (.relation(let name), .object(let members)):
            guard let id = value["id"] else { throw Mistake() }
            if members.count > 1 { try add(value, id, .named(name)) }
            return id.text
        case (.polymorphic(let names), .object(let members)):
            guard case .text(let type)? = value["type"], let id = value["id"] else {
                throw Mistake()
            }
            guard names.contains(type) else { return type + id.text }
            if members.count > 2 { try add(value, id, .named(type)) }
            return type + id.text
        case (.relation, .number), (.relation, .text):
            return value.text
        default:
            throw Mistake()
        }
    }

    private mutating func add(_ object: JSON, _ id: JSON, _ schema: EntitySchema) throws {
        var entity: Entity = [:]
        for field in schema.fields {
            guard let value = object[field.name] else { continue }
            let text = try visit(value, field.kind)
            // Null and absent are the same to properties that can't be unknown.
            if text != "null" || field.canBeUnknown { entity[field.name] = text }
        }
        let key = "\(schema.name) \(id.text)"
        entities[key] = schema.merges ? entities[key, default: [:]].merging(entity) { $1 } : entity
    }
}
