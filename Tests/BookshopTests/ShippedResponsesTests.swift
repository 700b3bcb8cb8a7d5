import FlatCache
import Foundation
import Testing

@testable import Bookshop

@Suite("Shipped responses")
struct ShippedResponsesTests {
    private let folder: URL
    private let api: API
    private let cache = Cache()

    init() throws {
        folder = try #require(BookshopCommand.shippedResponses)
        api = API(folder: folder, output: CollectedOutput().output)
    }

    /// Stores the pages of the list and the details, without the changes, and returns the books.
    private func books() async throws -> [Book] {
        for path in ["books", "books?after=page-2", "books?after=page-3"] {
            try await cache.ingest { try await api.get(path, as: BookPage.self) }
        }
        try await cache.ingest { try await api.get("books/details", as: [Book].self) }
        return cache.values(of: Book.self)
    }

    @Test("Every shipped file answers a request of the tour")
    func everyFileIsRequested() async throws {
        let collected = CollectedOutput()
        let data = try TemporaryFolder()
        _ = await BookshopCommand.run(arguments: ["--data", data.path], output: collected.output)
        let requests = collected.lines.filter { $0.hasPrefix("GET ") || $0.hasPrefix("POST ") }
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.path(percentEncoded: false)
        )
        #expect(Set(requests).count == files.count)
        #expect(collected.errors.isEmpty)
    }

    @Test("No identifier occurs twice in the list or in the details")
    func uniqueIdentifiers() async throws {
        var ids: [Book.ID] = []
        for path in ["books", "books?after=page-2", "books?after=page-3"] {
            ids += try await api.get(path, as: BookPage.self).items.map(\.id)
        }
        #expect(ids == Array(1...40))
        #expect(try await api.get("books/details", as: [Book].self).map(\.id) == ids)
    }

    @Test("The list contains a part of each book")
    func partialBooks() async throws {
        let page = try await cache.ingest { try await api.get("books", as: BookPage.self) }
        for item in page.items {
            let book = try #require(item.value(in: cache))
            #expect(!book.$year.isKnown && !book.$series.isKnown && !book.$publisher.isKnown)
            let author = try #require(book.author.value(in: cache))
            #expect(!author.$born.isKnown && !author.$birthplace.isKnown)
        }
    }

    @Test("There are forty books, and each is complete after all responses")
    func fortyWholeBooks() async throws {
        let books = try await books()
        #expect(books.map(\.id).sorted() == Array(1...40))
        #expect(Set(books.map(\.title)).count == 40)
        for book in books {
            #expect(book.year != nil && book.$series.isKnown, "\(book)")
            let author = try #require(book.author.value(in: cache), "\(book)")
            #expect(author.born != nil && author.birthplace != nil, "\(author)")
            #expect(book.publisher?.value(in: cache) != nil, "\(book)")
        }
    }

    @Test("Every author and publisher has a book")
    func authorWithoutBooks() async throws {
        let books = try await books()
        try await cache.ingest { try await api.get("highlights", as: [Highlight].self) }
        #expect(Set(books.map(\.author.id)) == Set(cache.ids(of: Author.self)))
        #expect(Set(books.compactMap(\.publisher?.id)) == Set(cache.ids(of: Publisher.self)))
    }

    @Test("The authors' years of life fit their books")
    func plausibleYears() async throws {
        for book in try await books() {
            let author = try #require(book.author.value(in: cache))
            let year = try #require(book.year)
            let born = try #require(author.born)
            #expect((20...90).contains(year - born), "\(book)")
        }
    }

    @Test("The changes update and remove known books")
    func changesOfKnownBooks() async throws {
        let ids = try await books().map(\.id)
        let changes = try await api.get("changes", as: Changes.self)
        #expect(!changes.updated.isEmpty && !changes.withdrawn.isEmpty)
        #expect(Set(changes.withdrawn + changes.updated.map(\.id)).isSubset(of: ids))
    }
}
