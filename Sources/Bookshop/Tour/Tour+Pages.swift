import FlatCache

extension Tour {
    /// Loads all pages of the list.
    ///
    /// An app calls `loadNext` once, when its user reaches the end of the list. Calls that are made
    /// while a page is under way wait for that page. The books are stored in the commit that adds
    /// them to the list.
    func loadPages() async throws {
        while books.next != .end {
            try await books.loadNext { cursor in
                let path = cursor.map { "books?after=\($0)" } ?? "books"
                let page = try await api.get(path, as: BookPage.self)
                return ListPage(page.items, next: page.next)
            }
            output.row("next page", "\(books.next)")
        }
    }
}
