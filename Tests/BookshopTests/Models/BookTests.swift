import FlatCache
import Foundation
import Testing

@testable import Bookshop

@Suite("Models")
struct BookTests {
    @Test("A list page and a detail response merge into a whole book, in either order")
    func partialAndDetail() {
        let partial = Book(id: 1, title: "Dune", author: Related("herbert"))
        let detail = Book(id: 1, year: 1965, publisher: Related("chilton"))
        let whole = Book(
            id: 1,
            title: "Dune",
            author: Related("herbert"),
            year: 1965,
            publisher: Related("chilton")
        )

        for values in [[partial, detail], [detail, partial]] {
            let cache = Cache()
            for value in values {
                cache.set(value)
            }
            #expect(cache[Book.self, 1] == whole)
        }
    }

    @Test("Newer properties replace older ones, and missing properties keep their values")
    func laterWins() {
        let old = Author(id: "le-guin", name: "Ursula Le Guin", born: 1929, birthplace: "Berkeley")
        let correction = Author(id: "le-guin", name: "Ursula K. Le Guin")
        let merged = old.merged(with: correction)
        #expect(merged.name == "Ursula K. Le Guin")
        #expect(merged.born == 1929)
        #expect(merged.birthplace == "Berkeley")

        let publisher = Publisher(id: "ace", name: "Ace", city: "New York")
        let renamed = publisher.merged(with: Publisher(id: "ace", name: "Ace Books"))
        #expect(renamed == Publisher(id: "ace", name: "Ace Books", city: "New York"))
    }

    @Test("Every field of a later book wins")
    func everyFieldMerges() {
        let old = Book(
            id: 1,
            title: "a",
            author: Related("a"),
            year: 1,
            language: "a",
            genre: "a",
            publisher: Related("a")
        )
        let new = Book(
            id: 1,
            title: "b",
            author: Related("b"),
            year: 2,
            language: "b",
            genre: "b",
            publisher: Related("b")
        )
        #expect(old.merged(with: new) == new)
        #expect(old.merged(with: Book(id: 1)) == old)
    }

    @Test("A relationship is decoded from the bare identifier")
    func bareIdentifier() throws {
        let json = #"{"id": 1, "author": "herbert", "publisher": null}"#
        let book = try JSONDecoder().decode(Book.self, from: Data(json.utf8))

        #expect(book.author == Related("herbert"))
        #expect(book.publisher == nil)
        #expect(book.relatedCacheKeys == [CacheKey(Author.self, id: "herbert")])
    }
}
