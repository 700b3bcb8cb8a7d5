import FlatCache

/// A cache together with the screens that a visitor has open on it.
struct Shop {
    /// How many values of each type a cache holds, and a list.
    struct Stock {
        let rows: [(name: String, count: Int)]
    }

    let cache = Cache()
    private(set) var screens: [Screen] = []

    /// What the pages read their books from; a handle keeps no value in the cache.
    private(set) var handles: [Cached<Book>] = []
    let readingList: CachedList<Book>
    private let log = NoticeLog()
    /// What a service would do that keeps the books elsewhere, too.
    let ledger: BookLedger

    /// Opens a visitor's screens, before anything that they show has arrived.
    init(visit: Visit) {
        readingList = cache.list("reading list", of: Book.self)
        ledger = BookLedger(of: cache)
        for id in visit.pages {
            let handle = cache.cached(Book.self, id: id)
            handles.append(handle)
            screens.append(Screen("page of book \(id)", showing: handle, log: log))
        }
        if !visit.readingList.isEmpty {
            // A list knows its books before they have arrived.
            readingList.ids = visit.readingList
            screens.append(Screen("reading list", showing: readingList, log: log))
        }
    }

    /// Ingests a response in one commit, and returns whom that notified.
    func ingestInBatch(_ response: Response) -> [ScreenNotice] {
        cache.performBatchUpdates { batch in response.ingest(into: batch) }
        return log.drain()
    }

    /// Ingests a response with a commit for each of its values, and returns whom that notified.
    func ingestOneByOne(_ response: Response) -> [ScreenNotice] {
        response.ingest(into: cache)
        return log.drain()
    }

    /// Closes every screen but the first, and returns that one's name.
    mutating func closeAllButFirst() -> String? {
        for screen in screens.dropFirst() {
            screen.close()
        }
        screens = Array(screens.prefix(1))
        return screens.first?.name
    }

    /// Counts what the cache holds, and the books on the reading list.
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
