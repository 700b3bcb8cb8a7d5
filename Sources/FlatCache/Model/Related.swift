/// A typed reference from one value to another by its identifier.
///
/// A reference is encoded and decoded as the bare identifier, just as an API sends it
/// (`"author": 1`).
///
/// ```swift
/// struct Book: Identifiable, Codable, Sendable, HasCachedRelationships {
///     let id: Int
///     var author: Related<Author>
///
///     var relatedCacheKeys: Set<CacheKey> { [author.cacheKey] }
/// }
/// ```
public struct Related<Value: Identifiable>: Hashable, Sendable where Value.ID: Sendable {
    /// The identifier of the entity that the reference refers to.
    public let id: Value.ID

    /// Creates a reference to the entity with an identifier.
    ///
    /// - Parameter id: The identifier.
    public init(_ id: Value.ID) {
        self.id = id
    }

    /// Creates a reference to a value's entity.
    ///
    /// - Parameter value: A value of the entity.
    public init(_ value: Value) {
        id = value.id
    }

    /// The key of the entity that the reference refers to.
    public var cacheKey: CacheKey { CacheKey(Value.self, id: id) }
}

extension Related where Value: Sendable {
    /// Returns a handle to the entity that the reference refers to, which need not exist yet.
    ///
    /// - Parameter cache: The cache that resolves the handle.
    public func cached(in cache: Cache) -> Cached<Value> {
        cache.cached(Value.self, id: id)
    }

    /// Returns the value of the entity that the reference refers to, or `nil` if it has none.
    ///
    /// - Parameter cache: The cache, the batch or the snapshot to read from.
    public func value(in cache: some ReadableCache) -> Value? {
        cache.get(Value.self, id: id)
    }
}

extension Related: Encodable where Value.ID: Encodable {
    /// Encodes the bare identifier.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: An error if the identifier can't be encoded.
    public func encode(to encoder: any Encoder) throws {
        // A container lets the encoder apply its strategies, such as its strategy for dates.
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }
}

extension Related: Decodable where Value.ID: Decodable {
    /// Decodes a bare identifier.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: An error if the identifier can't be decoded.
    public init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(Value.ID.self)
    }
}

extension Related: CustomStringConvertible {
    /// The description of the key, such as `Author(1)`.
    public var description: String { cacheKey.description }
}
