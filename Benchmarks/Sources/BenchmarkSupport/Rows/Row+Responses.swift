import FlatCache
import Foundation

extension Row {
    /// Rows that ingest a response of 10,000 books, and decode it into plain structures.
    static let responseRows = [
        Row(
            "25a",
            "ingest of 10,000 books with identifiers, per book",
            against: plainDecoding,
            target: 1.1
        ) { contest($0, .identifiers, .all) },
        Row("25b", "its decoding", against: plainDecoding) { contest($0, .identifiers, .decoding) },
        Row("25c", "its commit", against: plainDecoding) { contest($0, .identifiers, .commit) },
        Row(
            "25d",
            "ingest of 10,000 books with embedded authors, per book",
            against: plainDecoding,
            target: 1.25
        ) { contest($0, .embedded, .all) },
        Row("25e", "its decoding", against: plainDecoding) { contest($0, .embedded, .decoding) },
        Row("25f", "its commit", against: plainDecoding) { contest($0, .embedded, .commit) },
    ]

    private static let plainDecoding = "JSONDecoder, the same bytes into plain structs"

    /// A part of an ingest.
    private enum Part: Sendable {
        case all
        case decoding
        case commit
    }

    private static func contest(
        _ scale: Scale,
        _ authors: Catalog.Authors,
        _ part: Part
    ) -> Contest {
        let count = scale(10_000)
        let json = Catalog.json(books: count, authors: authors)
        let decoder = JSONDecoder()
        return Contest(bothSides: {
            Turns.round(5) { _ in
                switch authors {
                case .identifiers: try time(of: PlainCatalog.Page.self, from: json, decoder)
                case .embedded: try time(of: PlainCatalog.NestedPage.self, from: json, decoder)
                }
            } timeOfSubject: { _ in
                try time(of: part, of: json, decoder)
            }
            .divided(by: count)
        })
    }

    /// Returns the time of decoding a plain page, in nanoseconds.
    private static func time<Page: Decodable>(
        of type: Page.Type,
        from json: Data,
        _ decoder: JSONDecoder
    ) throws -> Double {
        try Stopwatch.time { try decoder.decode(type, from: json) }.nanoseconds
    }

    /// Returns the time of a part of an ingest into a new cache, in nanoseconds.
    private static func time(
        of part: Part,
        of json: Data,
        _ decoder: JSONDecoder
    ) throws -> Double {
        let cache = Cache()
        var decoding = 0.0
        let all = try Stopwatch.time {
            try cache.ingest {
                let page = try Stopwatch.time { try decoder.decode(Catalog.Page.self, from: json) }
                decoding = page.nanoseconds
                return page.result
            }
        }
        precondition(cache.count(of: Catalog.Book.self) == all.result.items.count)
        return switch part {
        case .all: all.nanoseconds
        case .decoding: decoding
        case .commit: all.nanoseconds - decoding
        }
    }
}
