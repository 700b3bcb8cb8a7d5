import FlatCache

extension Tour {
    /// Loads authors.
    ///
    /// The pages of the list contain only their names.
    func loadAuthors() async throws {
        // An author without a year of birth counts as missing.
        cache.setLoader(for: Author.self, requiring: { $0.$born.isKnown }) { ids in
            try await authors(ids)
        }

        // One request loads the authors of the open books. The second call needs none.
        let ids = Set(pages.compactMap { $0.value?.author.id })
        output.row("loaded", years(try await cache.load(Author.self, ids: ids)))
        output.row("stored", years(try await cache.load(Author.self, ids: ids)))

        try await showAuthor("butler")
    }

    /// Opens the page of an author, who is loaded because the page observes the handle.
    private func showAuthor(_ id: Author.ID) async throws {
        let author = cache.cached(Author.self, id: id).loading()
        let page = author.observeChanges { output.notice("page of author", $0) }
        defer { page.dispose() }
        for await state in author.loadStates.values where !state.isLoading {
            if let error = state.error { throw error }
            break
        }
        // The thread that has delivered the load's changes would otherwise deliver the next ones.
        await cache.waitForObservers()

        // The visitor edits the name while an answer with the old name is under way. The edit isn't
        // overwritten.
        _ = try await cache.load(Author.self, id: id, policy: .networkOnly) {
            let answer = try await authors([id]).first
            author.update { $0.name = "Octavia Estelle Butler" }
            return answer
        }
        output.row("edited", author.value?.name ?? "unknown")
    }

    private func authors(_ ids: [Author.ID]) async throws -> [Author] {
        let list = ids.sorted().joined(separator: ",")
        return try await api.get("authors?ids=\(list)", as: [Author].self)
    }

    /// Describes the years in which authors were born.
    private func years(_ authors: [Author.ID: Author]) -> String {
        authors.values.sorted { $0.id < $1.id }
            .map { "\($0.name) \($0.born.map { "\($0)" } ?? "unknown")" }
            .joined(separator: ", ")
    }
}
