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
