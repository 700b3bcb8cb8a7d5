/// A typed reference from one value to another by its identifier.
///
/// ```swift
/// struct Book: Identifiable, Codable, Sendable, HasCachedRelationships {
///     let id: Int
///     var author: Related<Author>
///
///     var relatedCacheKeys: Set<CacheKey> { [author.cacheKey] }
/// }
/// ```
///
/// A reference is encoded as the bare identifier. It is decoded from any of the shapes in which
/// APIs send related entities:
///
/// | JSON | meaning |
/// | --- | --- |
/// | `"author": 7` | the identifier |
/// | `"author": {"id": 7}` | an object that contains only the identifier |
/// | `"author": {"id": 7, "name": "Ursula K. Le Guin"}` | the whole entity |
///
/// Only references to `Decodable` types are decoded from whole entities. While a cache ingests a
/// response, it stores these entities. Otherwise, decoding keeps only the identifier. If the type
/// isn't `Decodable`, the cache reports the first such object to
/// ``CacheConfiguration/onDiagnostic``.
public struct Related<Value: Identifiable & Sendable>: Hashable, Sendable
where Value.ID: Sendable {
    /// The identifier of the entity that the reference refers to.
    public let id: Value.ID

    /// Creates a reference to the entity with an identifier.
    ///
    /// ```swift
    /// let author = Related<Author>("le-guin")
    /// print(author.value(in: cache)?.name ?? "not loaded")
    /// ```
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

extension Related {
    /// Returns a handle to the entity that the reference refers to, whether or not it exists yet.
    ///
    /// ```swift
    /// let author = Related<Author>("le-guin").cached(in: cache)
    /// let observation = author.observe { print($0.name) }
    /// ```
    ///
    /// - Parameter cache: The cache that resolves the handle.
    public func cached(in cache: Cache) -> Cached<Value> {
        cache.cached(Value.self, id: id)
    }

    /// Returns the value of the entity that the reference refers to, or `nil` if it has none.
    ///
    /// ```swift
    /// if let author = book.author?.value(in: cache) { print(author.name) }
    /// ```
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

extension Related: CustomStringConvertible {
    /// The description of the key, such as `Author(1)`.
    public var description: String { cacheKey.description }
}

extension Related: Decodable where Value.ID: Decodable {
    /// Decodes an identifier, an object that contains only the key `id`, or a whole entity.
    ///
    /// A whole entity is stored by the cache that ingests it, or else discarded. The three shapes
    /// can occur side by side in one response. If data could have several shapes, the shape of the
    /// last decoded reference to the type takes precedence, then the identifier.
    ///
    /// For example, `7`, `{"id": 7}` and a whole author can all be decoded as a reference to
    /// author 7.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: A `DecodingError` that names the entity's type if the data has none of the shapes,
    ///   or the error of an object's property that can't be decoded. Entities must not be embedded
    ///   in each other more than 256 levels deep, or deeper than the thread's stack allows.
    public init(from decoder: any Decoder) throws {
        self.init(try RelationDecoding<Value>(decoder, Ingestion.current(for: decoder)).decode())
    }
}
