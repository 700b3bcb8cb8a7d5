import FlatCache
import FlatCacheFoundation
import Foundation
import Testing

struct CacheIngestingDataTests {
    typealias Author = Library.Author
    typealias Book = Library.Book
    typealias Note = Library.Note
    typealias Page = Library.Page

    private struct Refusal: Error {}

    let cache = Cache()
    let page = data(
        """
        {"items": [{"id": 1, "title": "A", "author": {"id": "x", "name": "X"}}, 2], "next": "b"}
        """
    )

    @Test func storesTheEntitiesOfAResponseInOneCommit() throws {
        let page = try cache.ingest(Page.self, from: page)
        #expect(page.items.map(\.id) == [1, 2])
        #expect(page.next == "b")
        #expect(cache[Book.self, 1]?.author?.id == "x")
        #expect(cache[Author.self, "x"]?.name == "X")
        #expect(cache.version == 1)
    }

    @Test func storesAResultInAGenericFunction() throws {
        func request<Response: Decodable>(_ type: Response.Type, _ data: Data) throws -> Response {
            try cache.ingest(type, from: data)
        }
        let author = try request(Author.self, data(#"{"id": "a", "name": "A"}"#))
        #expect(cache[Author.self, "a"] == author)
        let authors = try request([String: Author].self, data(#"{"k": {"id": "b", "name": "B"}}"#))
        #expect(cache[Author.self, "b"] == authors["k"])
    }

    @Test func appliesFurtherWritesInTheSameCommit() throws {
        try cache.ingest(Page.self, from: page) { batch, page in
            #expect(batch.get(Book.self, id: 1) != nil)
            batch.list("books", of: Book.self).replace(withIDs: page.items.map(\.id))
        }
        #expect(cache.list("books", of: Book.self).ids == [1, 2])
        #expect(cache.version == 1)
    }

    @Test func storesNothingIfTheSecondClosureThrows() {
        #expect(throws: Refusal.self) {
            try cache.ingest(Page.self, from: page) { _, _ in throw Refusal() }
        }
        #expect(cache.version == 0)
    }

    @Test func usesTheSettingsOfADecoder() throws {
        struct Event: CacheEntity, Codable {
            let id: Int
            var startDate: Date
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        try cache.ingest(
            Event.self,
            from: data(#"{"id": 1, "start_date": 100}"#),
            decoder: decoder
        )
        #expect(cache[Event.self, 1]?.startDate == Date(timeIntervalSince1970: 100))
    }

    @Test func readsPropertyLists() throws {
        let author = Author(id: "a", name: "A")
        let list = try PropertyListEncoder().encode([author])
        try cache.ingest([Author].self, from: list, decoder: PropertyListDecoder())
        #expect(cache[Author.self, "a"] == author)
    }

    @Test func propertyListsContainReferencesInAllShapes() throws {
        struct Page: Decodable {
            var books: ValidElements<Related<Library.Book>>
        }
        let author: [String: Any] = ["id": "a", "name": "A"]
        let page: [String: Any] = [
            "books": [
                ["id": 1, "title": "One", "author": author],
                ["id": 2, "title": 2, "author": ["id": "lost", "name": "Lost"]],
                ["id": 3, "title": "Three", "year": 1968, "author": ["id": "a"]],
                ["id": 4, "title": "Four", "author": "b"], 5,
            ]
        ]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let cache = Cache()
            let list = try PropertyListSerialization.data(
                fromPropertyList: page,
                format: format,
                options: 0
            )
            let books = try cache.ingest(Page.self, from: list, decoder: PropertyListDecoder())
                .books
            #expect(books.map(\.id) == [1, 3, 4, 5])
            #expect(books.problems.map(\.index) == [1])
            #expect(cache[Library.Book.self, 3]?.year == 1968)
            #expect(cache[Library.Book.self, 3]?.author == Related("a"))
            #expect(cache.ids(of: Author.self) == ["a"])
        }
    }

    @Test func olderResponseDoesNotReplaceANewerOne() throws {
        let response = data(#"{"id": "a", "name": "old"}"#)
        cache.set(Author(id: "a", name: "new"), modifiedAt: 2)
        try cache.ingest(Author.self, from: response, modifiedAt: 1)
        #expect(cache[Author.self, "a"]?.name == "new")
        try cache.ingest(Author.self, from: response, modifiedAt: 3) { _, _ in }
        #expect(cache[Author.self, "a"]?.name == "old")
    }

    @Test(
        "An error names the type and the coding path",
        arguments: [
            (#"{"items": 7}"#, "Page: ", ["items"]),
            (
                #"{"items": [1, {"id": 2, "title": 3}]}"#, "Related<Book>: ",
                ["items", "1", "title"]
            ),
            ("{", "Page: ", []),
            ("", "Page: ", []),
        ]
    )
    func errors(text: String, prefix: String, path: [String]) throws {
        let error = try #require(throws: DecodingError.self) {
            try cache.ingest(Page.self, from: data(text))
        }
        let context = try #require(error.context)
        #expect(context.debugDescription.hasPrefix(prefix))
        #expect(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } == path)
        #expect(cache.version == 0)
    }

    @Test func errorsOfOtherDecodersStayAsTheyAre() {
        struct Refusing: DataDecoder {
            func decode<Value: Decodable>(_: Value.Type, from _: Data) throws -> Value {
                throw Refusal()
            }
        }
        #expect(throws: Refusal.self) {
            try cache.ingest(Author.self, from: data("{}"), decoder: Refusing())
        }
    }
}
