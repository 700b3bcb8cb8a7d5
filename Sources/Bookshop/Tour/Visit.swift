/// What a visitor has open: pages of single books, and one reading list.
struct Visit {
    let pages: [Book.ID]
    let readingList: [Book.ID]

    /// Chooses from the books that occur in some responses, so that the tour fits any of them.
    init(to responses: [Response]) {
        let ids = Set(responses.flatMap(\.books).map(\.id)).sorted()
        pages = Array(ids.prefix(3))
        readingList = Array(ids.prefix(10))
    }
}
