import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCacheTestSupport

extension KnownTests {
    @Test(
        arguments: [
            (#"{"id":1}"#, Known<Int>.unknown),
            (#"{"id":1,"year":null}"#, .null),
            (#"{"id":1,"year":1968}"#, .value(1968)),
        ]
    )
    func decodesAndEncodesItsThreeStates(text: String, year: Known<Int>) throws {
        let book = try decode(Book.self, text)
        #expect(book.$year == year)
        #expect(book.$title == .unknown)
        #expect(try json(book) == text)
        let list = try PropertyListEncoder().encode(book)
        #expect(try PropertyListDecoder().decode(Book.self, from: list) == book)
    }

    @Test func decodesRelationshipsAndCollections() throws {
        let text = #"{"author":"le-guin","id":1,"tags":["a","b"],"title":"Tehanu","year":1990}"#
        let book = try decode(Book.self, text)
        #expect(book.author == Related("le-guin"))
        #expect(book.tags == ["a", "b"])
        #expect(try json(book) == text)
        let empty = #"{"author":null,"id":1,"tags":[]}"#
        #expect(try decode(Book.self, empty).$author == .null)
        #expect(try decode(Book.self, empty).$tags == .value([]))
        #expect(try json(decode(Book.self, empty)) == empty)
    }

    @Test func decodesEveryPrimitiveType() throws {
        struct Numbers: Codable, Equatable {
            @Known var bool: Bool?
            @Known var double: Double?
            @Known var float: Float?
            @Known var int: Int?
            @Known var small: Int8?
            @Known var string: String?
            @Known var unsigned: UInt64?
        }
        let text = #"""
            {"bool":true,"double":0.5,"float":1.5,"int":-1,"small":7,"string":"s","unsigned":9}
            """#
        let numbers = try decode(Numbers.self, text)
        let expected = Numbers(
            bool: true,
            double: 0.5,
            float: 1.5,
            int: -1,
            small: 7,
            string: "s",
            unsigned: 9
        )
        #expect(numbers == expected)
        #expect(try json(numbers) == text)
        let nulls = text.replacing(/:[^,}]+/, with: ":null")
        #expect(try json(decode(Numbers.self, nulls)) == nulls)
        #expect(try json(Numbers()) == "{}")
    }

    @Test func valueOfAnotherTypeIsAnErrorWithItsPath() throws {
        for text in [#"[{"id":1,"year":"1968"}]"#, #"[{"id":1,"year":{}}]"#] {
            let error = #expect(throws: DecodingError.self) { try decode([Book].self, text) }
            guard case .typeMismatch(_, let context) = try #require(error) else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
            #expect(context.codingPath.map(\.stringValue) == ["Index 0", "year"])
        }
    }

    @Test func strategiesOfTheDecoderApply() throws {
        struct Event: Codable, Equatable {
            @Known var startDate: Date?
            @Known var endDate: Date?
            @Known var homePage: URL?
        }
        let text = #"{"home_page":"https://example.com","start_date":3}"#
        let event = try decode(Event.self, text) {
            $0.dateDecodingStrategy = .secondsSince1970
            $0.keyDecodingStrategy = .convertFromSnakeCase
        }
        let page = URL(string: "https://example.com")
        #expect(event == Event(startDate: Date(timeIntervalSince1970: 3), homePage: page))
        #expect(event.$endDate == .unknown)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(event), as: UTF8.self) == text)
    }

    @Test func worksInEnumsAndNestedValues() throws {
        enum Shelf: Codable, Equatable { case book(Known<Int>), note(text: Known<String>) }
        let shelves = [Shelf.book(.unknown), .book(.null), .note(text: .value("a"))]
        let text = #"[{"book":{}},{"book":{"_0":null}},{"note":{"text":"a"}}]"#
        #expect(try json(shelves) == text)
        #expect(try decode([Shelf].self, text) == shelves)

        struct Outer: Codable, Equatable {
            struct Inner: Codable, Equatable { @Known var year: Int? }
            @Known var inner: Inner?
        }
        for text in ["{}", #"{"inner":null}"#, #"{"inner":{}}"#, #"{"inner":{"year":null}}"#] {
            #expect(try json(decode(Outer.self, text)) == text)
        }
    }

    @Test func worksWithCodingKeysAndInClasses() throws {
        class Item: Codable {
            @Known var year: Int?
            enum CodingKeys: String, CodingKey { case year = "published" }
        }
        for text in ["{}", #"{"published":null}"#, #"{"published":3}"#] {
            #expect(try json(decode(Item.self, text)) == text)
        }
    }

    @Test("An unknown value that can't be omitted isn't encoded as null")
    func unkeyedValues() throws {
        #expect(try decode([Known<Int>].self, "[1,null]") == [.value(1), .null])
        #expect(try json([Known<Int>.value(1), .null]) == "[1,null]")
        #expect(try json(["a": Known<Int>.null]) == #"{"a":null}"#)
        #expect(try decode([String: Known<Int>].self, #"{"a":null}"#) == ["a": .null])
        let error = #expect(throws: EncodingError.self) { try json([Known<Int>.unknown]) }
        guard case .invalidValue(let value, let context) = try #require(error) else { return }
        #expect(value as? Known<Int> == .unknown)
        #expect(context.codingPath.map(\.intValue) == [0])
    }
}
