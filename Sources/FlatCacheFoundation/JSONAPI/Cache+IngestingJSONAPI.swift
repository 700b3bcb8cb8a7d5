public import FlatCache

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Cache {
    /// Decodes a JSON:API document, and stores its resources in one commit.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// import Foundation
    ///
    /// let response = Data(
    ///     """
    ///     {
    ///         "data": {
    ///             "type": "books", "id": "1", "attributes": {"title": "Tehanu"},
    ///             "relationships": {"author": {"data": {"type": "people", "id": "7"}}}
    ///         },
    ///         "included": [
    ///             {"type": "people", "id": "7", "attributes": {"name": "Ursula K. Le Guin"}}
    ///         ]
    ///     }
    ///     """.utf8
    /// )
    /// let document = try cache.ingest(
    ///     JSONAPIDocument<Book>.self,
    ///     from: response,
    ///     types: ["books": Book.self, "people": Author.self]
    /// )
    /// print(document.data.author.value(in: cache)?.name ?? "")  // Ursula K. Le Guin
    /// ```
    ///
    /// An entity decodes a resource as one object with the keys `id` and `type`, its attributes and
    /// its relationships. A relationship decodes to a `Related`, a `PolymorphicRelation` or an
    /// identifier, or to an optional, array or set of them. A relationship without `data` is an
    /// absent key. The identifier is a string in the document; the entity's identifier can be a
    /// string, a number, a `URL`, or a type that is decoded from one of them.
    ///
    /// The resources are stored in the order of the document, those in `data` before those in
    /// `included`. If `Primary` reads a resource of `data` as a value of another type, or doesn't
    /// read it, the ingest stores the resource after the ones that `Primary` reads as entities.
    /// Resources of types that aren't listed are skipped, and ``JSONAPIDocument/skippedCounts``
    /// counts them. `meta` and the links of resources are ignored. If the document can't be
    /// decoded or `apply` throws an error, nothing is stored.
    ///
    /// The format is [JSON:API 1.1](https://jsonapi.org/format/1.1/).
    ///
    /// ## Concurrency
    /// The document is decoded on the calling thread, outside the writers' lock. `apply` follows on
    /// the same thread, under the writers' lock, after the entities are stored in the batch. The
    /// batch is valid until the closure returns.
    ///
    /// - Parameters:
    ///   - type: The type of the document, such as `JSONAPIDocument<[Book]>.self`.
    ///   - data: The data.
    ///   - types: The entities' types by the names of the resources' types.
    ///   - decoder: The decoder. Its strategies apply to the names of attributes and relationships,
    ///     and to the values of attributes.
    ///   - stamp: The modification time of all entities in the document: a date, a revision, or a
    ///     sequence number.
    ///   - apply: A closure that makes further writes of the same commit, or `nil` if there are
    ///     none. It receives the batch and the document.
    /// - Returns: The document.
    /// - Throws: ``JSONAPIErrors`` if the document contains a non-empty list of errors; a
    ///   `DecodingError` if it is malformed. The `DecodingError` names the type, identifier and
    ///   member of a malformed resource. If a model throws an error of another type, that error is
    ///   the underlying error. If `apply` throws an error, that error.
    /// - Complexity: O(*n*) in the size of the data.
    @discardableResult
    public func ingest<Primary: Decodable, Stamp: Comparable & Sendable>(
        _ type: JSONAPIDocument<Primary>.Type,
        from data: Data,
        types: JSONAPITypes,
        decoder: JSONDecoder = JSONDecoder(),
        modifiedAt stamp: Stamp? = Never?.none,
        apply: ((CacheBatch, JSONAPIDocument<Primary>) throws -> Void)? = nil
    ) throws -> JSONAPIDocument<Primary> {
        try ingest(
            modifiedAt: stamp,
            { try decoder.decodeDocument(from: data, types) },
            apply: apply
        )
    }
}

extension JSONDecoder {
    /// Decodes a document in the closure of an ingest, and collects its resources in its scope.
    ///
    /// There, a model decodes each reference by the decoder's own method for any type.
    /// The decoder then knows the type of the entity.
    fileprivate func decodeDocument<Primary: Decodable>(
        from data: Data,
        _ types: JSONAPITypes
    ) throws -> JSONAPIDocument<Primary> {
        guard let ingestion = Ingestion.current else {
            preconditionFailure("A document was decoded outside of an ingest.")
        }
        return try decode(
            DocumentDecoding<Primary>.self,
            from: data,
            configuration: DocumentDecoding.Configuration(types: types, ingestion: ingestion)
        ).document
    }
}

/// A JSON:API document whose resources have been ingested.
///
/// <!-- prelude: ingesting -->
///
/// ```swift
/// import Foundation
///
/// let page = try cache.ingest(
///     JSONAPIDocument<[Book]>.self,
///     from: Data(#"{"data": [], "links": {"next": "/books?page=2"}}"#.utf8),
///     types: ["books": Book.self, "people": Author.self]
/// )
/// print(page.data.count, page.links["next"] ?? "no next page")  // 0 /books?page=2
/// ```
///
/// `Primary` is the type of the document's primary data:
///
/// | primary data | `Primary` |
/// | --- | --- |
/// | one resource | `Article` |
/// | one resource or null | `Article?` |
/// | many resources | `[Article]` |
/// | resources as references | `Related<Article>`, `[Related<Article>]` |
/// | resources of several types | `[SearchResult]`, a `PolymorphicRelation` |
/// | many resources, of which some may be malformed | `ValidElements<Related<Article>>` |
///
/// To read a document, see ``FlatCache/Cache/ingest(_:from:types:decoder:modifiedAt:apply:)``.
public struct JSONAPIDocument<Primary> {
    /// The primary data.
    public let data: Primary

    /// The URLs of the document's links by name, such as `next` for the next page.
    ///
    /// A link that is null is missing.
    public let links: [String: String]

    /// The numbers of resources that were skipped, by the names of their types, because the types
    /// weren't listed.
    ///
    /// For example, it's `["comments": 2]` if the type `comments` isn't listed and the document
    /// contains two comments.
    public let skippedCounts: [String: Int]
}

extension JSONAPIDocument: Sendable where Primary: Sendable {}

/// The Swift types of the resources in JSON:API documents, by the names of their types.
///
/// ```swift
/// struct Song: CacheEntity, Codable { let id: Int; var title: String }
/// struct Singer: CacheEntity, Codable { let id: String; var name: String }
///
/// let types: JSONAPITypes = ["songs": Song.self, "singers": Singer.self]
/// ```
///
/// A type can have several names. A document may contain resources of other types. An ingest skips
/// and counts them.
public struct JSONAPITypes: Sendable, ExpressibleByDictionaryLiteral {
    private let types: [String: any (CacheEntity & Decodable).Type]

    /// Creates a list of types.
    ///
    /// - Parameter types: The types by name.
    public init(_ types: [String: any (CacheEntity & Decodable).Type]) { self.types = types }

    /// Creates a list of types.
    ///
    /// - Parameter elements: The names with their types. A name must not occur twice.
    public init(dictionaryLiteral elements: (String, any (CacheEntity & Decodable).Type)...) {
        var types: [String: any (CacheEntity & Decodable).Type] = [:]
        for (name, type) in elements {
            if let first = types.updateValue(type, forKey: name) {
                preconditionFailure(
                    """
                    \(first) and \(type) have the same name "\(name)" in JSON:API documents. Remove \
                    one of them.
                    """
                )
            }
        }
        self.types = types
    }

    subscript(name: String) -> (any (CacheEntity & Decodable).Type)? { types[name] }
}
