/// A reference to an entity of a type that a ``PolymorphicRelation`` has no case for.
///
/// It keeps the name of the type and the identifier, so that encoding writes them again. It doesn't
/// keep other properties of an embedded entity.
public struct UnknownRelation: Hashable, Sendable {
    /// The name of the type.
    public let type: String

    /// The identifier as text, or `nil` if the identifier is neither a string nor an integer.
    public let id: String?

    /// The identifier, if it is an integer.
    private let number: Int?

    /// Creates a reference to an entity with a string as its identifier.
    ///
    /// - Parameters:
    ///   - type: The name of the type.
    ///   - id: The identifier, or `nil` if there is none.
    public init(type: String, id: String?) {
        self.type = type
        self.id = id
        number = nil
    }

    /// Creates a reference to an entity with an integer as its identifier.
    ///
    /// - Parameters:
    ///   - type: The name of the type.
    ///   - id: The identifier.
    public init(type: String, id: Int) {
        self.type = type
        self.id = String(id)
        number = id
    }

    /// Decodes the identifier in an object.
    init(type: String, _ object: KeyedDecodingContainer<AnyCodingKey>) {
        if let number = try? object.decode(Int.self, forKey: .id) {
            self.init(type: type, id: number)
        } else {
            self.init(type: type, id: try? object.decode(String.self, forKey: .id))
        }
    }

    func encodeIdentifier(to container: inout KeyedEncodingContainer<AnyCodingKey>) throws {
        if let number {
            try container.encode(number, forKey: .id)
        } else {
            try container.encodeIfPresent(id, forKey: .id)
        }
    }

    /// The key of an entity that no cache contains.
    var cacheKey: CacheKey { CacheKey(UnknownEntity.self, id: self) }
}

/// The type of the entities that unknown relations refer to.
private struct UnknownEntity: Identifiable, Sendable {
    let id: UnknownRelation
}
