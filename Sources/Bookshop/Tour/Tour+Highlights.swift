import FlatCache

extension Tour {
    /// Loads highlights, each of which refers to a book, an author or something else.
    ///
    /// The response is fresh for an hour. Until then, a second call makes no request.
    func loadHighlights() async throws {
        let highlights = try await cache.load("highlights", staleAfter: .seconds(3_600)) {
            try await api.get("highlights", as: [Highlight].self)
        }
        for highlight in highlights {
            output.row("read", "\(highlight.headline): \(name(of: highlight.subject))")
        }
    }

    private func name(of subject: Highlight.Subject) -> String {
        switch subject {
        case .book(let book): book.value(in: cache)?.title ?? "a book that isn't stored"
        case .author(let author): author.value(in: cache)?.name ?? "an author who isn't stored"
        case .other(let other): "a \(other.type), which the app doesn't know"
        }
    }
}
