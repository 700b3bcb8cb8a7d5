import FlatCache
import Foundation
import Testing

@testable import FlatCacheTestSupport

struct ValidElementsTests {
    private typealias Person = Library.Person

    @Test func dropsAndListsMalformedElements() throws {
        struct Page: Codable { var numbers: ValidElements<Int> }
        let page = try decoded(Page.self, #"{"numbers": [1, "x", null, 4, [5], {"a": 6}, 7]}"#)
        #expect(Array(page.numbers) == [1, 4, 7])
        #expect(page.numbers[1] == 4)
        #expect(page.numbers.problems.map(\.index) == [1, 2, 4, 5])
        let problem = try #require(page.numbers.problems.first)
        #expect(problem.codingPath.map(\.stringValue) == ["numbers", "1"])
        #expect(problem.error is DecodingError)
        #expect(problem.description.hasPrefix("DecodingError"))
        #expect(problem.description.contains("numbers[1]"))
        #expect(
            String(decoding: try JSONEncoder().encode(page), as: UTF8.self)
                == #"{"numbers":[1,4,7]}"#
        )
    }

    @Test func descriptionOfAnErrorWithoutAPathBeginsWithThePath() throws {
        struct Failure: Error {}
        struct Failing: Decodable {
            init(from decoder: any Decoder) throws { throw Failure() }
        }
        struct Page: Decodable { var parts: [String: ValidElements<Failing>] }
        let page = try decoded(Page.self, #"{"parts": {"a": [1]}}"#)
        #expect(page.parts["a"]?.problems.map(\.description) == ["parts.a[0]: Failure()"])
    }

    @Test func collectionsWithTheSameElementsAreEqual() throws {
        let left = try decoded(ValidElements<Int>.self, "[1, null, 2]")
        #expect(try left == decoded(ValidElements<Int>.self, #"[1, "x", 2]"#))
        // The problems aren't compared.
        #expect(try left == decoded(ValidElements<Int>.self, "[1, 2, null]"))
        #expect(try left == decoded(ValidElements<Int>.self, "[1, 2]"))
        #expect(try left != decoded(ValidElements<Int>.self, "[1, null, 3]"))
    }

    @Test func entitiesInsideADroppedElementAreNotStored() throws {
        let cache = Cache()
        let text = #"""
            [
                {"id": 1, "title": 5, "author": {"id": 1, "name": "A"}, "tags": []},
                {"id": 2, "title": "B", "author": {"id": 2, "name": "B"}, "tags": []},
                {"id": 3, "title": "C", "author": {"id": 3, "name": "C"}, "tags": 7},
                {"id": 4, "title": "D", "author": {"id": 4, "name": "D"}, "tags": []},
                {"id": 5, "title": "E", "author": {"id": 5, "name": "E"}, "tags": [5]}
            ]
            """#
        let novels = try cache.ingest {
            try decoded(ValidElements<Related<Library.Novel>>.self, text)
        }
        #expect(novels.map(\.id) == [2, 4])
        #expect(Set(cache.ids(of: Person.self)) == [2, 4])
        #expect(Set(cache.ids(of: Library.Novel.self)) == [2, 4])
    }

    @Test(
        "A malformed element doesn't change the meaning of references after it",
        arguments: [
            #"{"id": "bad", "title": "B"}"#, #"{"title": "B"}"#, #"{"id": -1, "title": "B"}"#,
        ]
    )
    func malformedElement(_ element: String) throws {
        struct Note: CacheEntity, Decodable {
            enum CodingKeys: CodingKey { case id, title }
            struct Failure: Error {}

            let id: Int
            var title: String?

            init(id: Int, title: String?) {
                self.id = id
                self.title = title
            }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                title = try container.decodeIfPresent(String.self, forKey: .title)
                if id < 0 { throw Failure() }
            }
        }

        let cache = Cache()
        cache.set(Note(id: 3, title: "C"))
        let text = #"[{"id": 1, "title": "A"}, \#(element), {"id": 3}]"#
        let elements = try cache.ingest {
            try decoded(ValidElements<Related<Note>>.self, text)
        }
        #expect(elements.map(\.id) == [1, 3])
        #expect(cache[Note.self, 1]?.title == "A")
        #expect(cache[Note.self, 3]?.title == "C")
    }

    @Test func dataThatIsNoArrayIsRefused() {
        #expect(throws: DecodingError.self) { try decoded(ValidElements<Int>.self, #"{"a": 1}"#) }
    }

    @Test func isACollection() {
        let elements = ValidElements([3, 1, 2])
        #expect(elements.count == 3)
        #expect(elements.sorted() == [1, 2, 3])
        #expect(elements.problems.isEmpty)
        #expect(ValidElements<Int>([]).isEmpty)
    }
}
