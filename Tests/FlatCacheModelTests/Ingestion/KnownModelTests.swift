import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCacheTestSupport

/// Random partial documents of a few entities, merged by a cache and by their keys.
struct KnownModelTests {
    private struct Cover: Codable, Hashable, Sendable {
        var color: String
    }

    private struct Book: Identifiable, Codable, Hashable, Mergeable, Sendable {
        let id: Int
        @Known var author: Related<Book>?
        @Known var cover: Cover?
        @Known var isSold: Bool?
        @Known var pages: UInt16?
        @Known var price: Double?
        @Known var tags: [String]?
        @Known var title: String?
        @Known var year: Int?

        func merged(with other: Book) -> Book {
            var merged = self
            merged.$author = $author.merged(with: other.$author)
            merged.$cover = $cover.merged(with: other.$cover)
            merged.$isSold = $isSold.merged(with: other.$isSold)
            merged.$pages = $pages.merged(with: other.$pages)
            merged.$price = $price.merged(with: other.$price)
            merged.$tags = $tags.merged(with: other.$tags)
            merged.$title = $title.merged(with: other.$title)
            merged.$year = $year.merged(with: other.$year)
            return merged
        }
    }

    /// The texts of the values by their keys.
    private struct Document {
        var values: [String: String]

        var text: String {
            let members = values.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }
            return "{\(members.joined(separator: ","))}"
        }

        static let samples = [
            "author": ["1", "2"], "cover": [#"{"color":"red"}"#, #"{"color":"blue"}"#],
            "isSold": ["true", "false"], "pages": ["0", "300"], "price": ["-1.5", "9.25"],
            "tags": ["[]", #"["a","b"]"#], "title": [#""""#, #""Tehanu""#], "year": ["0", "1990"],
        ]

        static func random(id: Int, using generator: inout SplitMix64) -> Document {
            var values = ["id": "\(id)"]
            // The order of the keys must not depend on the process.
            for (key, texts) in samples.sorted(by: { $0.key < $1.key }) {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: values[key] = "null"
                case 1: values[key] = texts[Int.random(in: 0..<texts.count, using: &generator)]
                default: break
                }
            }
            return Document(values: values)
        }
    }

    @Test func partialDocumentsMergeAsTheirKeysDo() throws {
        let settings = RandomTestSettings(seeds: 40, steps: 60)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func text(_ book: Book) throws -> String {
            String(decoding: try encoder.encode(book), as: UTF8.self)
        }
        try settings.forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            let cache = Cache()
            var expected: [Int: Document] = [:]
            for step in 1...settings.steps {
                func failure(_ problem: String) -> FailureReport {
                    FailureReport(seed: seed, step: step, problem: problem)
                }
                let id = Int.random(in: 1...3, using: &generator)
                let document = Document.random(id: id, using: &generator)
                expected[id, default: document].values.merge(document.values) { $1 }

                let book = try JSONDecoder().decode(Book.self, from: Data(document.text.utf8))
                guard try text(book) == document.text else {
                    return failure("\(document.text) became \(try text(book))")
                }
                let list = try PropertyListEncoder().encode(book)
                guard try PropertyListDecoder().decode(Book.self, from: list) == book else {
                    return failure("\(document.text) changed in a property list")
                }
                cache.set(book)
                let stored = try text(try #require(cache[Book.self, id]))
                if stored != expected[id]?.text {
                    return failure("\(stored) instead of \(expected[id]?.text ?? "nothing")")
                }
            }
            return nil
        }
    }
}
