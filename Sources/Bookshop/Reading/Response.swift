import FlatCache

/// A response of the bookshop's API.
///
/// Every response is an object with at least one of these members; others, such as the number of a
/// page, are ignored:
///
///     {
///       "books":      [{"id": 1, "title": …, "author": "le-guin", "year": …, "language": …,
///                       "genre": …, "publisher": "parnassus"}],
///       "authors":    [{"id": "le-guin", "name": …, "born": 1929, "birthplace": …}],
///       "publishers": [{"id": "parnassus", "name": …, "city": …}],
///       "removed":    {"books": [1], "authors": ["le-guin"], "publishers": ["parnassus"]}
///     }
///
/// Only the `id`s are required. A list page is a response whose books have few members, a detail
/// response has one book with its author and publisher, and a correction is an author with a new
/// name.
struct Response: Equatable, Sendable {
    var books: [Book] = []
    var authors: [Author] = []
    var publishers: [Publisher] = []
    var removed = Removals()

    /// The identifiers of entities that the shop no longer has.
    struct Removals: Equatable, Sendable {
        var books: [Book.ID] = []
        var authors: [Author.ID] = []
        var publishers: [Publisher.ID] = []

        var count: Int { books.count + authors.count + publishers.count }
    }
}

extension Response {
    /// Writes the response into a cache, value by value.
    ///
    /// Generic, so that the same code can write to a batch, which makes one commit of all writes,
    /// and to a cache, where each write is a commit.
    func ingest(into cache: some CacheType) {
        for book in books {
            cache.set(book)
        }
        for author in authors {
            cache.set(author)
        }
        for publisher in publishers {
            cache.set(publisher)
        }
        for id in removed.books {
            cache.remove(Book.self, id: id)
        }
        for id in removed.authors {
            cache.remove(Author.self, id: id)
        }
        for id in removed.publishers {
            cache.remove(Publisher.self, id: id)
        }
    }
}

extension Response: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case books, authors, publishers, removed
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Otherwise any object would be decoded as an empty response.
        guard !container.allKeys.isEmpty else {
            let names = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "Expected at least one of the members \(names)."
                )
            )
        }
        books = try container.decodeIfPresent([Book].self, forKey: .books) ?? []
        authors = try container.decodeIfPresent([Author].self, forKey: .authors) ?? []
        publishers = try container.decodeIfPresent([Publisher].self, forKey: .publishers) ?? []
        removed = try container.decodeIfPresent(Removals.self, forKey: .removed) ?? Removals()
    }
}

extension Response.Removals: Decodable {
    private enum CodingKeys: String, CodingKey {
        case books, authors, publishers
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        books = try container.decodeIfPresent([Book.ID].self, forKey: .books) ?? []
        authors = try container.decodeIfPresent([Author.ID].self, forKey: .authors) ?? []
        publishers = try container.decodeIfPresent([Publisher.ID].self, forKey: .publishers) ?? []
    }
}
