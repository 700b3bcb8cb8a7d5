import FlatCache

extension Tour {
    /// Ingests a corrected author, a late response and the latest changes to the books.
    func applyCorrections() async throws {
        try await cache.ingest(modifiedAt: 2) {
            try await api.get("authors/le-guin", as: Author.self)
        }

        // A late response with the old name changes nothing: its stamp is older than the author's,
        // and the books are equal.
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
