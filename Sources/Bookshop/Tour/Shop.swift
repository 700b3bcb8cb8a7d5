import FlatCache

/// A cache and the screens that a visitor has open.
struct Shop {
    /// The number of values of each type in a cache, and of the elements of a list.
    struct Stock {
        let rows: [(name: String, count: Int)]
    }

    let cache = Cache()
    private(set) var screens: [Screen] = []

    /// The handles of the pages, which keep no value in the cache.
    private(set) var handles: [Cached<Book>] = []
    let readingList: CachedList<Book>
    private let log = NoticeLog()
    /// The counts of all changes of books, as a service would collect them that copies all books.
    let bookChanges: BookChangeCounter

    /// Opens a visitor's screens, before the values that they show have arrived.
    init(visit: Visit) {
        readingList = cache.list("reading list", of: Book.self)
        bookChanges = BookChangeCounter(of: cache)
        for id in visit.pages {
            let handle = cache.cached(Book.self, id: id)
            handles.append(handle)
            screens.append(Screen("page of book \(id)", showing: handle, log: log))
        }
        if !visit.readingList.isEmpty {
            // A list can contain books that haven't arrived yet.
            readingList.ids = visit.readingList
            screens.append(Screen("reading list", showing: readingList, log: log))
        }
    }

    /// Ingests a response in one commit, and returns the notifications.
    func ingestInBatch(_ response: Response) -> [ScreenNotice] {
        cache.performBatchUpdates { batch in response.ingest(into: batch) }
        return log.drain()
    }

    /// Ingests a response with a commit for each of its values, and returns the notifications.
    func ingestOneByOne(_ response: Response) -> [ScreenNotice] {
        response.ingest(into: cache)
        return log.drain()
    }

    /// Closes all screens except the first, and returns the name of the first.
    mutating func closeAllButFirst() -> String? {
        for screen in screens.dropFirst() {
            screen.close()
        }
        screens = Array(screens.prefix(1))
        return screens.first?.name
    }

    /// Counts the values in the cache, and the books on the reading list.
    func stock() -> Stock {
        let rows = cache.withSnapshot { snapshot in
            [
                ("books", snapshot.count(of: Book.self)),
                ("authors", snapshot.count(of: Author.self)),
                ("publishers", snapshot.count(of: Publisher.self)),
            ]
        }
        return Stock(rows: rows + [("on the list", readingList.ids.count)])
    }
}
