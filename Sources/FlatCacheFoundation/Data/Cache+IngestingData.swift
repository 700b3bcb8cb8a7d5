public import FlatCache

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
    /// ```
    ///
    /// The entities are stored as by `ingest(modifiedAt:_:)` of `FlatCache`: each entity that is
    /// embedded in the place of a `Related`, and the result if it is a `CacheEntity`, or an
    /// optional, array, set or dictionary of such entities. If the data can't be decoded, nothing
    /// is stored.
    ///
    /// ## Concurrency
    /// The data is decoded on the calling thread, outside the writers' lock.
    ///
    /// - Parameters:
    ///   - type: The type of the response.
    ///   - data: The data.
    ///   - decoder: The decoder, a `JSONDecoder` with default settings unless you pass another one.
    ///   - stamp: The modification time of all entities in the response: a date, a revision, or a
    ///     sequence number.
    /// - Returns: The decoded response.
    /// - Throws: A `DecodingError` that names the type and the coding path, or any other error of
    ///   the decoder.
    /// - Complexity: O(*n*) in the size of the data.
    @discardableResult
    public func ingest<Response: Decodable, Stamp: Comparable & Sendable>(
        _ type: Response.Type,
        from data: Data,
        decoder: some DataDecoder = JSONDecoder(),
        modifiedAt stamp: Stamp? = Never?.none
    ) throws -> Response {
        try ingest(modifiedAt: stamp) { try decoder.decodeNamed(type, from: data) }
    }

    /// Decodes data, and stores the entities that it contains in one commit with other writes.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// try cache.ingest(Page.self, from: data) { batch, page in
    ///     batch.list("books", of: Book.self).replace(withIDs: page.items.map(\.id))
    /// }
    /// ```
    ///
    /// See `ingest(_:from:decoder:modifiedAt:)`. If the closure throws an error, nothing is stored.
    /// Inside the closure of another ingest, this method makes a separate commit.
    ///
    /// ## Concurrency
    /// The closure runs on the calling thread, under the writers' lock, after the entities are
    /// stored in the batch. It receives the batch. The batch is valid until the closure returns.
    ///
    /// - Parameters:
    ///   - type: The type of the response.
    ///   - data: The data.
    ///   - decoder: The decoder.
    ///   - stamp: The modification time of all entities in the response.
    ///   - apply: A closure that makes further writes of the same commit. It receives the batch and
    ///     the response.
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
        apply: (CacheBatch, Response) throws -> Void
    ) throws -> Response {
        try ingest(
            modifiedAt: stamp,
            { try decoder.decodeNamed(type, from: data) },
            apply: apply
        )
    }
}

// Results that aren't `CacheEntity` are found at compile time only, as in `FlatCache`. These
// overloads differ from the general ones in the type of the result alone.

extension Cache {
    /// Decodes a value that is `Identifiable`, and stores it with the entities that it contains.
    ///
    /// See `ingest(_:from:decoder:modifiedAt:)`.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The data.
    ///   - decoder: The decoder.
    ///   - stamp: The modification time of all entities.
    /// - Returns: The value.
    /// - Throws: A `DecodingError` that names the type and the coding path, or any other error of
    ///   the decoder.
    @discardableResult
    public func ingest<
        Value: Identifiable & Decodable & Sendable,
        Stamp: Comparable & Sendable
    >(
        _ type: Value.Type,
        from data: Data,
        decoder: some DataDecoder = JSONDecoder(),
        modifiedAt stamp: Stamp? = Never?.none
    ) throws -> Value where Value.ID: Sendable {
        try ingest(modifiedAt: stamp) { try decoder.decodeNamed(type, from: data) }
    }

    /// Decodes values that are `Identifiable`, and stores them with the entities that they contain.
    ///
    /// See `ingest(_:from:decoder:modifiedAt:)`.
    ///
    /// - Parameters:
    ///   - type: The type of the array.
    ///   - data: The data.
    ///   - decoder: The decoder.
    ///   - stamp: The modification time of all entities.
    /// - Returns: The values.
    /// - Throws: A `DecodingError` that names the type and the coding path, or any other error of
    ///   the decoder.
    @discardableResult
    public func ingest<
        Value: Identifiable & Decodable & Sendable,
        Stamp: Comparable & Sendable
    >(
        _ type: [Value].Type,
        from data: Data,
        decoder: some DataDecoder = JSONDecoder(),
        modifiedAt stamp: Stamp? = Never?.none
    ) throws -> [Value] where Value.ID: Sendable {
        try ingest(modifiedAt: stamp) { try decoder.decodeNamed(type, from: data) }
    }

    /// Decodes a value that is `Identifiable`, and stores it in one commit with other writes.
    ///
    /// See `ingest(_:from:decoder:modifiedAt:apply:)`.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The data.
    ///   - decoder: The decoder.
    ///   - stamp: The modification time of all entities.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The value.
    /// - Throws: A `DecodingError` that names the type and the coding path, or any other error of
    ///   the decoder or the closure.
    @discardableResult
    public func ingest<
        Value: Identifiable & Decodable & Sendable,
        Stamp: Comparable & Sendable
    >(
        _ type: Value.Type,
        from data: Data,
        decoder: some DataDecoder = JSONDecoder(),
        modifiedAt stamp: Stamp? = Never?.none,
        apply: (CacheBatch, Value) throws -> Void
    ) throws -> Value where Value.ID: Sendable {
        try ingest(
            modifiedAt: stamp,
            { try decoder.decodeNamed(type, from: data) },
            apply: apply
        )
    }

    /// Decodes values that are `Identifiable`, and stores them in one commit with other writes.
    ///
    /// See `ingest(_:from:decoder:modifiedAt:apply:)`.
    ///
    /// - Parameters:
    ///   - type: The type of the array.
    ///   - data: The data.
    ///   - decoder: The decoder.
    ///   - stamp: The modification time of all entities.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The values.
    /// - Throws: A `DecodingError` that names the type and the coding path, or any other error of
    ///   the decoder or the closure.
    @discardableResult
    public func ingest<
        Value: Identifiable & Decodable & Sendable,
        Stamp: Comparable & Sendable
    >(
        _ type: [Value].Type,
        from data: Data,
        decoder: some DataDecoder = JSONDecoder(),
        modifiedAt stamp: Stamp? = Never?.none,
        apply: (CacheBatch, [Value]) throws -> Void
    ) throws -> [Value] where Value.ID: Sendable {
        try ingest(
            modifiedAt: stamp,
            { try decoder.decodeNamed(type, from: data) },
            apply: apply
        )
    }
}
