import FlatCache

extension Tour {
    /// Ingests a book with a nested author and publisher.
    func ingestBook() async throws {
        let book = try await cache.ingest { try await api.get("books/1", as: Book.self) }

        // One commit has stored the three. The book refers to the others by their identifiers.
        output.row("stored", stock())
        let author = book.author.value(in: cache)?.name ?? "unknown"
        output.row("read", "\(book.title) by \(author)")
    }

    /// Describes the number of values of each type, all as of one commit.
    func stock() -> String {
        cache.withSnapshot { snapshot in
            [
                counted(snapshot.count(of: Book.self), "book"),
                counted(snapshot.count(of: Author.self), "author"),
                counted(snapshot.count(of: Publisher.self), "publisher"),
                counted(snapshot.count(of: Highlight.self), "highlight"),
            ].joined(separator: ", ")
        }
    }
}
