import FlatCache

extension Tour {
    /// Ingests a corrected author, a late answer and the latest changes to the books.
    func correcting() async throws {
        try await cache.ingest(modifiedAt: 2) {
            try await api.get("authors/le-guin", as: Author.self)
        }

        // A late answer with the old name, sent before the correction, changes nothing.
        let late = try await cache.ingest(modifiedAt: 1) {
            try await api.get("books", as: BookPage.self)
        }
        let author = late.items.first?.value(in: cache)?.author.value(in: cache)
        output.row("still", author?.name ?? "unknown")

        // The updates and the removals are one commit. The null in the response erases the series.
        try await cache.ingest {
            try await api.get("changes", as: Changes.self)
        } apply: { batch, changes in
            for id in changes.withdrawn {
                batch.remove(Book.self, id: id)
                batch.list(books.name, of: Book.self).remove(id)
            }
        }
        output.row("series after", series())
    }
}
