import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCacheTestSupport

struct KnownTests {
    struct Author: Identifiable, Hashable, Sendable { let id: String }

    struct Book: Identifiable, Codable, Hashable, Mergeable, Sendable {
        let id: Int
        @Known var year: Int?
        @Known var title: String? = "untitled"
        @Known var author: Related<Author>?
        @Known var tags: [String]?

        func merged(with other: Book) -> Book {
            var merged = self
            merged.$year = $year.merged(with: other.$year)
            merged.$title = $title.merged(with: other.$title)
            merged.$author = $author.merged(with: other.$author)
            merged.$tags = $tags.merged(with: other.$tags)
            return merged
        }
    }

    func decode<Value: Decodable>(
        _ type: Value.Type,
        _ json: String,
        configure: (JSONDecoder) -> Void = { _ in }
    ) throws -> Value {
        let decoder = JSONDecoder()
        configure(decoder)
        return try decoder.decode(type, from: Data(json.utf8))
    }

    func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    // MARK: - Values

    @Test func nilIsUnknownInTheMemberwiseInitializer() {
        #expect(Book(id: 1).$year == .unknown)
        #expect(Book(id: 1, year: nil).$year == .unknown)
        #expect(Book(id: 1, year: 1968).$year == .value(1968))
        #expect(Book(id: 1).$title == .value("untitled"))
        #expect(Book(id: 1, title: nil).$title == .unknown)
    }

    @Test("Assigning nil to the property means null")
    func assignment() {
        var book = Book(id: 1, year: 1968)
        #expect(book.year == 1968)
        book.year = nil
        #expect(book.$year == .null)
        #expect(book.year == nil)
        book.year = 1974
        #expect(book.$year == .value(1974))
        book.$year = .unknown
        #expect(book.year == nil)
        #expect(!book.$year.isKnown)
        book.$year = .null
        #expect(book.$year.isKnown)
        book.$year.wrappedValue = 3
        #expect(book.year == 3)
    }

    @Test func changingAnUnknownPropertyInPlaceKeepsItUnknown() {
        func keep<Value>(_ value: inout Value) {}
        var book = Book(id: 1)
        keep(&book.year)
        book.year? += 1
        book.tags?.append("a")
        #expect(book.$year == .unknown)
        #expect(book.$tags == .unknown)
        book.$year.wrappedValue? += 1
        #expect(book.$year == .unknown)
        #expect(Book(id: 1, year: 1968).merged(with: book).year == 1968)
    }

    @Test func changingAKnownPropertyInPlace() {
        func assign<Value>(_ value: Value?, to property: inout Value?) { property = value }
        var book = Book(id: 1, year: 1968, tags: ["a"])
        book.year? += 1
        book.tags?.append("b")
        #expect(book.$year == .value(1969))
        #expect(book.$tags == .value(["a", "b"]))
        assign(nil, to: &book.year)
        #expect(book.$year == .null)
        assign(nil, to: &book.year)
        book.year? += 1
        #expect(book.$year == .null)
        assign(3, to: &book.year)
        #expect(book.$year == .value(3))
        book.$year = .unknown
        assign(4, to: &book.year)
        #expect(book.$year == .value(4))
    }

    @Test func errorDuringAChangeInPlaceLosesNothing() {
        func fail<Value>(_ value: inout Value) throws { throw CancellationError() }
        var book = Book(id: 1, year: 1968)
        #expect(throws: CancellationError.self) { try fail(&book.year) }
        #expect(throws: CancellationError.self) { try fail(&book.tags) }
        #expect(book.$year == .value(1968))
        #expect(book.$tags == .unknown)
    }

    @Test("Copying the property copies unknown as null, copying the wrapper doesn't")
    func copying() {
        let other = Book(id: 1)
        var book = Book(id: 1, year: 1968)
        book.$year = other.$year
        #expect(book.$year == .unknown)
        book.year = other.year
        #expect(book.$year == .null)
    }

    @Test func initializersAssignToTheWrapper() {
        struct Series: Identifiable {
            let id: Int
            @Known var name: String?
            @Known var length: Int?

            init(id: Int, name: String? = nil, length: Int? = nil) {
                self.id = id
                _name = Known(wrappedValue: name)
                self.length = length
            }
        }
        #expect(Series(id: 1).$name == .unknown)
        #expect(Series(id: 1, name: "Earthsea").name == "Earthsea")
        #expect(Series(id: 1).$length == .null)
    }

    @Test(
        "The newer value wins if it is known",
        arguments: [Known.unknown, .null, .value(1)],
        [Known.unknown, .null, .value(2)]
    )
    func merging(older: Known<Int>, newer: Known<Int>) {
        #expect(older.merged(with: newer) == (newer == .unknown ? older : newer))
    }

    @Test func isEquatableAndHashable() {
        let values: [Known<Int>] = [.unknown, .null, .value(0), .value(1)]
        #expect(Set(values).count == 4)
        for (index, left) in values.enumerated() {
            for (other, right) in values.enumerated() {
                #expect((left == right) == (index == other))
            }
        }
    }

    @Test func describesItsState() {
        #expect("\(Known<Int>.unknown) \(Known<Int>.null) \(Known.value("a"))" == "unknown null a")
        #expect(String(reflecting: Known.value("a")) == "\"a\"")
        #expect(String(reflecting: Known<String>.null) == "null")
    }

    // MARK: - Merging documents

    @Test func partialValueErasesNothingInACache() throws {
        let cache = Cache()
        for text in [
            #"{"id":1,"title":"Tehanu","year":1990}"#, #"{"author":"le-guin","id":1}"#,
            #"{"id":1,"year":null}"#, #"{"id":1,"tags":[]}"#,
        ] {
            cache.set(try decode(Book.self, text))
        }
        let book = try #require(cache[Book.self, 1])
        #expect(
            try json(book) == #"{"author":"le-guin","id":1,"tags":[],"title":"Tehanu","year":null}"#
        )
    }
}
