import FlatCache

extension Tour {
    /// Completes the books of the list.
    ///
    /// The list's pages contain neither the year nor the series.
    func completeBooks() async throws {
        output.row("series before", series())
        try await cache.ingest { try await api.get("books/details", as: [Book].self) }
        output.row("series after", series())
    }

    /// Describes the series of the open books: unknown, null or a value.
    func series() -> String {
        pages.map { page in page.value.map { "\(page.key) \($0.$series)" } ?? "\(page.key) nil" }
            .joined(separator: ", ")
    }
}
