import FlatCache
import Testing

@testable import Bookshop

@Suite("Tour")
struct TourTests {
    @Test("Screens show the first books by identifier")
    func visit() {
        let books = [9, 4, 4, 2, 7].map { Book(id: $0) }
        let visit = Visit(to: [Response(books: books)])
        #expect(visit.pages == [2, 4, 7])
        #expect(visit.readingList == [2, 4, 7, 9])
    }

    @Test("A batch notifies each screen once, single values once each")
    func notices() {
        let response = Response(
            books: [Book(id: 1, author: Related("a")), Book(id: 2, author: Related("a"))],
            authors: [Author(id: "a", name: "A")]
        )
        let visit = Visit(to: [response])
        let batched = Shop(visit: visit).ingestInBatch(response)
        #expect(batched.map(\.screen) == ["page of book 1", "page of book 2", "reading list"])
        #expect(batched[0].reason == #"inserted, together with Author("a")"#)
        #expect(batched[2].reason == #"related: Author("a"), Book(1), Book(2)"#)

        let oneByOne = Shop(visit: visit).ingestOneByOne(response)
        #expect(oneByOne.count == 7)
    }

    @Test("The observer of a type counts the changes of all books, shown on a screen or not")
    func bookChanges() {
        let response = Response(books: (1...20).map { Book(id: $0) })
        let shop = Shop(visit: Visit(to: []))
        #expect(shop.ingestInBatch(response).isEmpty)
        let removed = Response.Removals(books: [2])
        _ = shop.ingestOneByOne(Response(books: [Book(id: 1, title: "Dune")], removed: removed))
        let expected = BookChangeCounter.Counts(inserted: 20, updated: 1, removed: 1, commits: 3)
        #expect(shop.bookChanges.current == expected)
    }

    @Test("A closed screen receives no notifications")
    func closedScreens() {
        let response = Response(books: [Book(id: 1), Book(id: 2)])
        var shop = Shop(visit: Visit(to: [response]))
        #expect(shop.closeAllButFirst() == "page of book 1")
        #expect(shop.ingestInBatch(response).map(\.screen) == ["page of book 1"])
    }

    @Test("A history names the file of the latest value, and keeps replaced values")
    func history() throws {
        let cache = Cache()
        var history = BookHistory(id: 1)
        cache.set(Book(id: 1, title: "Dune", author: Related("herbert")))
        history.record(cache, after: "1.json")
        cache.set(Author(id: "herbert", name: "F. Herbert"))
        history.record(cache, after: "2.json")
        cache.set(Author(id: "herbert", name: "Frank Herbert"))
        history.record(cache, after: "3.json")
        history.record(cache, after: "4.json")

        #expect(
            history.facts == [
                BookHistory.Fact(name: "title", value: "Dune", source: "1.json"),
                BookHistory.Fact(
                    name: "author",
                    value: "Frank Herbert",
                    source: "3.json",
                    previous: "F. Herbert"
                ),
            ]
        )
        #expect(history.sources == ["1.json", "3.json"])
    }
}
