import FlatCache
import Foundation
import Testing

@testable import Bookshop

@Suite("Models")
struct BookTests {
    private let partial = Book(id: 1, title: "Dune", author: Related("herbert"))

    private func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    @Test("A list page and a detail response merge into a whole book, in either order")
    func partialAndDetail() {
        var detail = partial
        detail.year = 1965
        detail.series = nil
        detail.publisher = Related("chilton")

        for values in [[partial, detail], [detail, partial]] {
            let cache = Cache()
            for value in values {
                cache.set(value)
            }
            #expect(cache[Book.self, 1] == detail)
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

    @Test("Every field of a later value wins")
    func everyFieldMerges() {
        let old = Book(
            id: 1,
            title: "a",
            author: Related("a"),
            year: 1,
            series: "a",
            publisher: Related("a")
        )
        let new = Book(
            id: 1,
            title: "b",
            author: Related("b"),
            year: 2,
            series: "b",
            publisher: Related("b")
        )
        #expect(old.merged(with: new) == new)

        let author = Author(id: "a", name: "a", born: 1, birthplace: "a")
        let newAuthor = Author(id: "a", name: "b", born: 2, birthplace: "b")
        #expect(author.merged(with: newAuthor) == newAuthor)

        let publisher = Publisher(id: "a", name: "a", city: "a")
        let newPublisher = Publisher(id: "a", name: "b", city: "b")
        #expect(publisher.merged(with: newPublisher) == newPublisher)
    }

    @Test("An absent field erases nothing, and null erases")
    func absentAndNull() throws {
        var whole = partial
        whole.year = 1965
        whole.series = "Dune"
        whole.publisher = Related("chilton")
        #expect(whole.merged(with: partial) == whole)

        let response = #"{"id": 1, "title": "Dune", "author": "herbert", "series": null}"#
        let merged = whole.merged(with: try decode(Book.self, response))
        #expect(merged.$series == .null)
        #expect(merged.year == 1965)
    }

    @Test(
        "A relationship is decoded from the bare identifier, or from a nested object",
        arguments: [#""herbert""#, #"{"id": "herbert", "name": "Frank Herbert"}"#]
    )
    func relationship(author: String) throws {
        let json = #"{"id": 1, "title": "Dune", "author": \#(author), "publisher": null}"#
        let book = try decode(Book.self, json)

        #expect(book.author == Related("herbert"))
        #expect(book.$publisher == .null)
        #expect(!book.$year.isKnown)
        #expect(book.relatedCacheKeys == [CacheKey(Author.self, id: "herbert")])
        var published = book
        published.publisher = Related("chilton")
        #expect(published.relatedCacheKeys.contains(CacheKey(Publisher.self, id: "chilton")))
    }

    @Test("The response names the type of a highlight's subject")
    func subjects() throws {
        func subject(_ json: String) throws -> Highlight.Subject {
            try decode(Highlight.self, #"{"id": 1, "headline": "", "subject": \#(json)}"#).subject
        }
        let book = try subject(#"{"type": "Book", "id": 1}"#)
        #expect(book == .book(Related(1)))
        #expect(book.cacheKey == CacheKey(Book.self, id: 1))
        #expect(
            try subject(#"{"type": "Author", "id": "a", "name": "A"}"#) == .author(Related("a"))
        )
        #expect(
            try subject(#"{"type": "Podcast", "id": 7}"#)
                == .other(UnknownRelation(type: "Podcast", id: 7))
        )
    }
}
