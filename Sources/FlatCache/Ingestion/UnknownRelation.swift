/// A reference to an entity of a type that a ``PolymorphicRelation`` has no case for.
///
/// It keeps the name of the type and the identifier, so that encoding writes them again. It doesn't
/// keep other properties of an embedded entity. For example, a relation to users and groups keeps
/// `{"type": "Robot", "id": 7}` as an unknown relation with the type `Robot`.
public struct UnknownRelation: Hashable, Sendable {
    /// The name of the type.
    public let type: String

    /// The identifier as text, or `nil` if there is none.
    public let id: String?

    /// The identifier, if it's an integer.
    private let number: Int64?

    /// Creates a reference to an entity with a string as its identifier.
    ///
    /// ```swift
    /// let podcast = UnknownRelation(type: "podcast", id: "earthsea-radio")
    /// ```
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
    /// For example, `UnknownRelation(type: "Robot", id: 7)` encodes its identifier as the number 7.
    ///
    /// - Parameters:
    ///   - type: The name of the type.
    ///   - id: The identifier.
    public init(type: String, id: Int) { self.init(type: type, number: Int64(id)) }

    private init(type: String, number: Int64) {
        self.type = type
        id = String(number)
        self.number = number
    }

    /// Decodes the identifier in an object.
    ///
    /// - Throws: A `DecodingError` if the identifier couldn't be encoded again as it is.
    init(type: String, _ object: KeyedDecodingContainer<AnyCodingKey>) throws {
        if try !object.contains(.id) || object.decodeNil(forKey: .id) {
            self.init(type: type, id: nil)
        } else if let text = try? object.decode(String.self, forKey: .id) {
            self.init(type: type, id: text)
        } else if let number = try? object.decode(Int64.self, forKey: .id) {
            self.init(type: type, number: number)
        } else {
            throw DecodingError.dataCorruptedError(
                forKey: .id,
                in: object,
                debugDescription: """
                    UnknownRelation: the identifier of type "\(type)" is neither a string nor an \
                    integer of 64 bits.
                    """
            )
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
