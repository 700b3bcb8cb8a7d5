import FlatCache
import FlatCacheTesting
import Foundation
import TestSupport
import Testing

@testable import Bookshop

/// The claims of each chapter, checked in the cache and in the notifications.
@Suite("Tour")
struct TourTests {
    private let collected = CollectedOutput()
    private let tour: Tour
    private var cache: Cache { tour.cache }

    init() throws {
        let folder = try #require(BookshopCommand.shippedResponses)
        let output = collected.output
        tour = Tour(api: API(folder: folder, output: output), output: output)
    }

    /// Runs a chapter, and returns the names of the notified screens, in order.
    private func screens(
        notifiedBy chapter: () async throws -> Void
    ) async throws -> [String] {
        try await notices(of: chapter).map { $0.0 }
    }

    /// Runs a chapter, and returns the notified screens and the texts of their notifications.
    private func notices(
        of chapter: () async throws -> Void
    ) async throws -> [(String, String)] {
        let count = collected.lines.count
        try await chapter()
        let screens = [
            "page of book 1", "page of book 2", "page of book 3", "page of author", "highlight",
            "list", "all books",
        ]
        return collected.lines.dropFirst(count).compactMap { line in
            for screen in screens where line.hasPrefix("    \(screen)  ") {
                let text = line.dropFirst(4 + screen.count).drop { $0 == " " }
                return (screen, String(text))
            }
            return nil
        }
    }

    @Test("One commit stores a nested response as flat entities")
    func ingestBook() async throws {
        let notices = try await notices(of: tour.ingestBook)
        #expect(notices.map { $0.0 } == ["page of book 1", "all books"])
        #expect(notices[0].1 == #"inserted, with Author("le-guin"), Publisher("parnassus")"#)
        let book = try #require(cache[Book.self, 1])
        #expect(book.author.value(in: cache)?.name == "Ursula Le Guin")
        #expect(book.publisher?.value(in: cache)?.name == "Parnassus Press")
        #expect(tour.stock() == "1 book, 1 author, 1 publisher, 0 highlights")
    }

    @Test("The pages load one after another until the list is complete")
    func loadPages() async throws {
        let notices = try await notices(of: tour.loadPages)
        #expect(
            collected.lines.filter { $0.hasPrefix("GET") } == [
                "GET books", "GET books?after=page-2", "GET books?after=page-3",
            ]
        )
        #expect(tour.books.ids == Array(1...40))
        #expect(tour.books.elements.count == 40)
        #expect(tour.books.next == .end)
        let lengths = notices.filter { $0.0 == "list" }.map { $0.1.prefix { $0 != "," } }
        // The books of a page arrive in the list in one commit.
        #expect(lengths == ["14 books", "28 books", "40 books"])
    }

    @Test("A partial book of a page erases nothing")
    func partialBooks() async throws {
        try await tour.ingestBook()
        let whole = cache[Book.self, 1]
        let notified = try await screens(notifiedBy: tour.loadPages)
        #expect(!notified.contains("page of book 1"))
        #expect(cache[Book.self, 1] == whole)
        #expect(whole?.year == 1968)
    }

    @Test("A loader completes partial authors, a page loads its author, and an edit stays")
    func loadAuthors() async throws {
        try await tour.ingestBook()
        try await tour.loadPages()
        let count = collected.lines.count
        let notices = try await notices(of: tour.loadAuthors)
        #expect(
            collected.lines.dropFirst(count).filter { $0.hasPrefix("GET") } == [
                "GET authors?ids=le-guin,tolkien", "GET authors?ids=butler",
                "GET authors?ids=butler",
            ]
        )
        #expect(cache[Author.self, "le-guin"]?.born == 1929)
        #expect(cache[Author.self, "tolkien"]?.birthplace == "Bloemfontein")

        // The answer's name is older than the visitor's edit. Only the edit notifies the page.
        let butler = notices.filter { $0.0 == "page of author" }.map { $0.1 }
        #expect(butler == ["updated", "updated"])
        #expect(cache[Author.self, "butler"]?.name == "Octavia Estelle Butler")
        #expect(cache[Author.self, "butler"]?.born == 1947)
        #expect(collected.lines.last == "    edited          Octavia Estelle Butler")
    }

    @Test("A series is unknown, null or a value")
    func completeBooks() async throws {
        try await tour.ingestBook()
        try await tour.loadPages()
        #expect(tour.pages.map { $0.value?.$series } == [.value("Earthsea"), .unknown, .unknown])
        let notified = try await screens(notifiedBy: tour.completeBooks)
        #expect(Set(notified).count == notified.count)
        #expect(
            tour.pages.map { $0.value?.$series } == [
                .value("Earthsea"), .value("Hainish Cycle"), .null,
            ]
        )
    }

    @Test("Highlights refer to entities of several types, also of unknown ones")
    func loadHighlights() async throws {
        try await tour.completeBooks()
        let birthplace = cache[Author.self, "morrison"]?.birthplace
        try await tour.loadHighlights()
        #expect(cache.count(of: Highlight.self) == 3)
        #expect(cache[Highlight.self, 1]?.subject == .book(Related(1)))
        #expect(cache[Highlight.self, 2]?.subject == .author(Related("morrison")))
        #expect(!cache.freshness(ofRequest: "highlights").isStale)
        let podcast = Highlight.Subject.other(UnknownRelation(type: "Podcast", id: 7))
        #expect(cache[Highlight.self, 3]?.subject == podcast)
        // The highlight contains a part of the author.
        #expect(birthplace != nil && cache[Author.self, "morrison"]?.birthplace == birthplace)
        #expect(
            collected.lines.suffix(3) == [
                "    read            Book of the month: A Wizard of Earthsea",
                "    read            Nobel Prize in Literature 1993: Toni Morrison",
                "    read            Our podcast: a Podcast, which the app doesn't know",
            ]
        )
    }

    @Test("A correction reaches every screen that shows the author, over any relationship")
    func applyCorrections() async throws {
        try await tour.ingestBook()
        try await tour.loadPages()
        try await tour.completeBooks()
        try await tour.loadHighlights()
        let notices = try await notices(of: tour.applyCorrections)
        let correction = notices.filter { $0.1 == #"related, with Author("le-guin")"# }
        #expect(
            correction.map { $0.0 } == ["page of book 1", "page of book 2", "highlight", "list"]
        )

        // The late response with the old name notifies no screen, and the changes are one commit.
        #expect(cache[Author.self, "le-guin"]?.name == "Ursula K. Le Guin")
        #expect(
            notices.dropFirst(correction.count).map { "\($0.0): \($0.1)" } == [
                "page of book 2: updated", "page of book 3: removed",
                "list: 39 books, with Book(2)", "all books: 1 updated, 1 removed",
            ]
        )
        #expect(cache[Book.self, 2]?.$series == .null)
        #expect(cache[Book.self, 2]?.year == 1969)
        #expect(cache[Book.self, 3] == nil)
        #expect(!tour.books.ids.contains(3))
    }

    @Test("An order that the shop refuses shows until then, and leaves nothing")
    func orderTooMany() async throws {
        try await tour.orderTooMany()
        #expect(
            collected.lines == [
                "    orders          a new order: 300 of book 2",
                "    saving          300 copies of book 2",
                "POST orders?book=2&copies=300",
                "    orders          none",
                "    saving          nothing",
                "    refused         The shop has 12 copies.",
            ]
        )
        #expect(cache.orders.ids.isEmpty && cache.count(of: Order.self) == 0)
        #expect(cache.pendingLayers.elements.isEmpty)
    }

    @Test("A page shows the book of the list, repeats a failed request, and pauses with the app")
    func holdRequest() async throws {
        // The pause after the failure doesn't end by itself.
        let tour = Tour(api: tour.api, output: tour.output, clock: ManualClock())
        let cache = tour.cache
        try await tour.loadPages()
        try await tour.completeBooks()
        let count = collected.lines.count
        try await tour.holdRequest()
        #expect(
            Array(collected.lines.dropFirst(count)) == [
                "    placeholder     The Fellowship of the Ring",
                "    offline         the cache tries again in a second, or the visitor does",
                "GET books/4/details",
                "    details         12 copies, George Allen & Unwin, London",
                "    also bought     A Wizard of Earthsea, The Left Hand of Darkness",
                "GET books/4/details",
                "    background      out of date, no request",
                "GET books/4/details",
                "    foreground      loaded",
                #"    page of book 3  related, with Publisher("allen-unwin")"#,
                #"    list            related, with Publisher("allen-unwin")"#,
                "    details         12 copies, George Allen & Unwin, Crows Nest",
            ]
        )
        #expect(cache.list("bought with 4", of: Book.self).ids == [1, 2])
        #expect(cache.requests.map(\.name) == ["books/4/details"])
        #expect(cache.requests.allSatisfy { !$0.isObserved && !$0.freshness.isStale })
    }

    @Test("The response of an open page is loaded again each hour, and no longer than it's open")
    func detailsLifetime() async throws {
        let clock = ManualClock()
        let tour = Tour(api: tour.api, output: tour.output, clock: clock)
        let cache = tour.cache
        let page = tour.details(of: 4)
        let screen = page.observe { _ in }
        for hour in 1...3 {
            try #require(await until { requestCount == hour && page.freshness.isFresh })
            _ = try await page.loadStates.first { !$0.isLoading }
            clock.advance(by: .seconds(3_599))
            cache.expireValues()
            #expect(requestCount == hour)
            if hour == 3 { screen.dispose() }
            clock.advance(by: .seconds(1))
            cache.expireValues()
        }
        await cache.waitForObservers()
        #expect(page.freshness.isStale && !page.loadState.isLoading)
        #expect(requestCount == 3)
    }

    private var requestCount: Int { collected.lines.count { $0.hasPrefix("GET ") } }

    #if HasSQLite
    @Test("An order made offline shows at the next visit, and is sent then")
    func orderOffline() async throws {
        let data = try TemporaryFolder()
        let chapter = try #require(tour.mutationsChapter(in: data.url))
        for _ in 1...2 {
            let count = collected.lines.count
            try await chapter.body()
            let lines = collected.lines.dropFirst(count)
            #expect(lines.count { $0.hasPrefix("POST ") } == 1)
            #expect(lines.last == "    next visit      order 501: 2 of book 1")
        }
        #expect(collected.errors.isEmpty)
    }
    #endif

    @Test("Only the values that the open page shows remain, and a closed screen isn't notified")
    func prune() async throws {
        try await tour.ingestBook()
        try await tour.loadPages()
        try await tour.loadHighlights()
        tour.prune()
        #expect(tour.stock() == "1 book, 1 author, 1 publisher, 0 highlights")
        #expect(tour.books.ids.isEmpty)
        #expect(tour.pages.map(\.value?.id) == [1, nil, nil])
        #expect(try await screens(notifiedBy: tour.completeBooks) == ["page of book 1"])
    }
}
