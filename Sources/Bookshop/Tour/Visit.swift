/// The pages and the reading list that a visitor has open.
struct Visit {
    let pages: [Book.ID]
    let readingList: [Book.ID]

    /// Selects books that occur in some responses, so that the tour works with any responses.
    init(to responses: [Response]) {
        let ids = Set(responses.flatMap(\.books).map(\.id)).sorted()
        pages = Array(ids.prefix(3))
        readingList = Array(ids.prefix(10))
    }
}
