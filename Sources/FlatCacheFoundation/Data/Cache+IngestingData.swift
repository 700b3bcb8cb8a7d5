public import FlatCache
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Cache {
    /// Decodes data, and stores the entities that it contains in one commit.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// let page = try cache.ingest(Page.self, from: data)
    /// try cache.ingest(Page.self, from: data) { batch, page in
    ///     batch.list("books", of: Book.self).replace(withIDs: page.items.map(\.id))
    /// }
    /// ```
    ///
    /// The entities are stored as by `ingest(modifiedAt:_:apply:)` of `FlatCache`: each entity that
    /// is embedded in the place of a `Related`, and the result if it is a `CacheEntity`, or an
    /// optional, array, set or dictionary of such entities. If the data can't be decoded or `apply`
    /// throws an error, nothing is stored.
    ///
    /// ## Concurrency
    /// The data is decoded on the calling thread, outside the writers' lock. `apply` follows on the
    /// same thread, under the writers' lock, after the entities are stored in the batch. The batch
    /// is valid until the closure returns.
    ///
    /// - Parameters:
    ///   - type: The type of the response.
    ///   - data: The data.
    ///   - decoder: The decoder, a `JSONDecoder` with default settings unless you pass another one.
    ///   - stamp: The modification time of all entities in the response: a date, a revision, or a
    ///     sequence number.
    ///   - apply: A closure that makes further writes of the same commit, or `nil` if there are
    ///     none. It receives the batch and the response.
    /// - Returns: The decoded response.
    /// - Throws: A `DecodingError` that names the type and the coding path, or any other error of
    ///   the decoder or the closure.
    /// - Complexity: O(*n*) in the size of the data.
    @discardableResult
    public func ingest<Response: Decodable, Stamp: Comparable & Sendable>(
        _ type: Response.Type,
        from data: Data,
        decoder: some DataDecoder = JSONDecoder(),
        modifiedAt stamp: Stamp? = Never?.none,
        apply: ((CacheBatch, Response) throws -> Void)? = nil
    ) throws -> Response {
        try ingest(
            modifiedAt: stamp,
            { try decoder.decodeNamed(type, from: data) },
            apply: apply
        )
    }
}

/// A decoder that decodes values from data, such as `JSONDecoder`.
///
/// `JSONDecoder` and `PropertyListDecoder` conform. To ingest another format, let its decoder
/// conform, too:
///
/// <!-- prelude: ingesting -->
/// ```swift
/// import Foundation
///
/// struct ReversedJSONDecoder: DataDecoder {
///     func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
///         try JSONDecoder().decode(type, from: Data(data.reversed()))
///     }
/// }
///
/// let reversed = Data(data.reversed())
/// try cache.ingest(Page.self, from: reversed, decoder: ReversedJSONDecoder())
/// ```
public protocol DataDecoder {
    /// Decodes a value from data in the decoder's format.
    ///
    /// - Parameters:
    ///   - type: The type of the value to decode.
    ///   - data: The encoded value.
    /// - Returns: The decoded value.
    /// - Throws: An error if the data doesn't contain a value of the type.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {}

extension DataDecoder {
    /// Decodes a value, and names its type in the description of an error.
    func decodeNamed<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        do {
            return try decode(type, from: data)
        } catch let error as DecodingError {
            throw error.naming(type)
        }
    }
}

extension DecodingError {
    /// Returns the same error with the name of a type at the beginning of its description, unless
    /// the description names the type of a related entity.
    func naming(_ type: Any.Type) -> DecodingError {
        if context?.debugDescription.hasPrefix("Related<") ?? true { return self }
        return prefixed("\(type): ")
    }

    var codingPath: [any CodingKey] { context?.codingPath ?? [] }
}
