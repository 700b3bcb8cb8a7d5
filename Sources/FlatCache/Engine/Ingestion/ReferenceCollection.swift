/// A collection of references, from which a ``RelationStrategy`` drops malformed elements.
protocol ReferenceCollection {
    /// Decodes the elements that aren't malformed.
    static func validElements<Key>(
        in container: KeyedDecodingContainer<Key>,
        forKey key: Key
    ) throws -> Self
}

extension Array: ReferenceCollection where Element: CachedReference & Decodable {
    static func validElements<Key>(
        in container: KeyedDecodingContainer<Key>,
        forKey key: Key
    ) throws -> [Element] {
        // Some decoders know the types of references, so each element is decoded as such a type.
        let valid = try container.decodeValue(ValidElements<Element>.self, forKey: key)
        for problem in valid.problems {
            RelationStrategy.current?.report(problem.error, at: problem.codingPath)
        }
        return Array(valid)
    }
}

extension Set: ReferenceCollection where Element: CachedReference & Decodable {
    static func validElements<Key>(
        in container: KeyedDecodingContainer<Key>,
        forKey key: Key
    ) throws -> Set<Element> {
        Set(try [Element].validElements(in: container, forKey: key))
    }
}

extension Dictionary: ReferenceCollection
where Key: Decodable, Value: CachedReference & Decodable {
    static func validElements<ObjectKey>(
        in container: KeyedDecodingContainer<ObjectKey>,
        forKey key: ObjectKey
    ) throws -> [Key: Value] {
        // A decoder treats the keys of a dictionary in its own way, whatever the values are.
        try container.decode([Key: ElementAttempt<Value>].self, forKey: key)
            .compactMapValues(\.element)
    }
}

/// A value of a dictionary, or `nil` if it's malformed.
private struct ElementAttempt<Element: Decodable>: Decodable {
    let element: Element?

    init(from decoder: any Decoder) throws {
        guard let strategy = RelationStrategy.dropping else {
            element = try Element(from: decoder)
            return
        }
        element = try strategy.valid(
            at: decoder.codingPath,
            in: Ingestion.current(for: decoder)
        ) { try Element(from: decoder) }
    }
}
