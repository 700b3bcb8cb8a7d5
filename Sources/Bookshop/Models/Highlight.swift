import FlatCache

/// A recommendation on the shop's first page.
struct Highlight: CacheEntity, Codable, Equatable, HasCachedRelationships {
    let id: Int
    var headline: String
    var subject: Subject

    var relatedCacheKeys: Set<CacheKey> { [subject.cacheKey] }

    /// A relation to an entity whose type the response names, as in `{"type": "Book", "id": 1}`.
    enum Subject: PolymorphicRelation {
        case book(Related<Book>), author(Related<Author>)

        /// An entity of a type that a later version of the API has added.
        case other(UnknownRelation)

        static let cases = [
            RelationCase("Book", Subject.book) { if case .book(let it) = $0 { it } else { nil } },
            RelationCase("Author", Subject.author) {
                if case .author(let it) = $0 { it } else { nil }
            },
            RelationCase(unknown: Subject.other) {
                if case .other(let it) = $0 { it } else { nil }
            },
        ]
    }
}
