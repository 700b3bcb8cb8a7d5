import FlatCache
import Foundation
import Testing

@testable import Bookshop

@Suite("Shipped responses")
struct ShippedResponsesTests {
    private let responses: [Response]
    private let problems: [FileProblem]

    init() throws {
        let folder = try #require(BookshopCommand.shippedResponses)
        let reading = try ResponseFolder(url: folder).read()
        responses = reading.responses.map(\.response)
        problems = reading.problems
    }

    /// Returns a cache with all responses but without their removals.
    private func cacheWithoutRemovals() -> Cache {
        let cache = Cache()
        for var response in responses {
            response.removed = Response.Removals()
            response.ingest(into: cache)
        }
        return cache
    }

    @Test("Every shipped file decodes")
    func everyFileDecodes() {
        #expect(problems.isEmpty)
        #expect(responses.count == 12)
    }

    @Test("No identifier occurs twice in one response")
    func uniqueIdentifiers() {
        for response in responses {
            #expect(Set(response.books.map(\.id)).count == response.books.count)
            #expect(Set(response.authors.map(\.id)).count == response.authors.count)
            #expect(Set(response.publishers.map(\.id)).count == response.publishers.count)
        }
    }

    @Test("There are forty books, and each is complete after all responses")
    func fortyWholeBooks() throws {
        let cache = cacheWithoutRemovals()
        let books = cache.values(of: Book.self)

        #expect(books.map(\.id).sorted() == Array(1...40))
        #expect(Set(books.compactMap(\.title)).count == 40)
        for book in books {
            #expect(book.title != nil && book.year != nil)
            #expect(book.language != nil && book.genre != nil)
            let author = try #require(cache[Author.self, book.author?.id ?? ""], "\(book)")
            #expect(author.name != nil && author.born != nil && author.birthplace != nil)
            let publisher = try #require(cache[Publisher.self, book.publisher?.id ?? ""], "\(book)")
            #expect(publisher.name != nil)
        }
    }

    @Test("Every author and publisher has a book")
    func authorWithoutBooks() {
        let cache = cacheWithoutRemovals()
        let books = cache.values(of: Book.self)

        #expect(Set(books.compactMap(\.author?.id)) == Set(cache.ids(of: Author.self)))
        #expect(Set(books.compactMap(\.publisher?.id)) == Set(cache.ids(of: Publisher.self)))
    }

    @Test("The authors' years of life fit their books")
    func plausibleYears() throws {
        let cache = cacheWithoutRemovals()
        for book in cache.values(of: Book.self) {
            let author = try #require(cache[Author.self, book.author?.id ?? ""])
            let year = try #require(book.year)
            let born = try #require(author.born)
            #expect((20...90).contains(year - born), "\(book)")
        }
    }

    @Test("Each removal removes a known book")
    func removalsOfKnownBooks() {
        let removed = responses.flatMap(\.removed.books)
        #expect(!removed.isEmpty)
        #expect(Set(removed).isSubset(of: responses.flatMap(\.books).map(\.id)))
    }
}
