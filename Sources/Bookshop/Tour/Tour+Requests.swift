import FlatCache

extension Tour {
    /// The request of a book's page.
    ///
    /// While the page is open, it's made again each hour.
    func details(of id: Book.ID) -> CachedRequest<BookDetails> {
        cache.request("books/\(id)/details", staleAfter: .seconds(3_600)) {
            try await api.get("books/\(id)/details", as: BookDetails.self)
        } apply: { batch, details in
            // The list changes in the commit that stores the response.
            batch.list("bought with \(id)", of: Book.self)
                .replace(withIDs: details.alsoBought.map(\.id))
        }
    }

    /// Opens the page of a book without a connection, and keeps it open.
    func holdRequest() async throws {
        let page = details(of: 4)
        let alsoBought = cache.list("bought with 4", of: Book.self)
        api.connection.isUp = false
        defer { api.connection.isUp = true }
        let screens = [
            page.observe { output.row("details", describe($0)) },
            alsoBought.observe { books in
                output.row("also bought", books.map(\.title).joined(separator: ", "))
            },
        ]
        defer { for screen in screens { screen.dispose() } }

        // Until the response arrives, the page shows the book of the list.
        let title = (page.value?.book ?? Related(4)).value(in: cache)?.title
        output.row("placeholder", title ?? "a book")
        if try await page.loadStates.first(where: { $0.error != nil }).error is Offline {
            output.row("offline", "the cache tries again in a second, or the visitor does")
        }
        api.connection.isUp = true
        try await page.load()
        await cache.waitForObservers()

        // The visitor pulls to refresh. The response is equal, so no screen is notified.
        try await page.reload()

        // While the app is in the background, it loads nothing.
        let pause = cache.pauseLoads()
        page.invalidate()
        let isPaused = page.freshness.isStale && !page.loadState.isLoading
        output.row("background", isPaused ? "out of date, no request" : "loading")
        pause.dispose()
        try await page.load()
        output.row("foreground", page.freshness.isStale ? "out of date" : "loaded")

        // The response refers to the book, and the book to its publisher.
        cache.update(Publisher.self, id: "allen-unwin") { $0.city = "Crows Nest" }
        await cache.waitForObservers()
    }

    private func describe(_ details: BookDetails) -> String {
        let publisher = details.book.value(in: cache)?.publisher?.value(in: cache)
        let place = [publisher?.name, publisher?.city].compactMap { $0 }
        return (["\(details.copies) copies"] + place).joined(separator: ", ")
    }
}
