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
