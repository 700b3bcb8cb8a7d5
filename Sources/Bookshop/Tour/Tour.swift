import FlatCache

/// The tour: a cache, the API that fills it, and the screens of a visitor.
struct Tour: Sendable {
    let api: API
    let output: Output
    let cache: Cache

    /// The handles to the books of three pages that the visitor has opened.
    let pages: [Cached<Book>]

    /// The list of all books, loaded page by page.
    let books: CachedList<Book>

    /// The observations of the screens for as long as these tokens exist.
    let screens: [Disposable]

    /// Opens the screens, before any of the values that they show has arrived.
    init(api: API, output: Output, clock: some Clock<Duration> = ContinuousClock()) {
        self.api = api
        self.output = output
        cache = Cache(configuration: CacheConfiguration(clock: clock))
        pages = [1, 2, 3].map { [cache] id in cache.cached(Book.self, id: id) }
        books = cache.list("all books", of: Book.self)
        // A real screen would redraw itself. These report the notification and its causes.
        screens =
            pages.map { page in
                page.observeChanges { output.notice("page of book \(page.id)", $0) }
            } + [
                cache.cached(Highlight.self, id: 1).observeChanges {
                    output.notice("highlight", $0)
                },
                books.observeChanges { output.notice("list", $0) },
                cache.observeAll(Book.self) { output.notice("all books", $0) },
            ]
    }

    /// Runs the chapters in their order.
    ///
    /// - Parameter notebook: The data that the visit stores for the next.
    /// - Returns: Whether all files could be read and written.
    func run(keeping notebook: Notebook) async -> Bool {
        output.line("Open: the pages of the books 1, 2 and 3, a highlight, the list of all books.")
        output.line("Below each request: one line per notification, with its causes.")
        var chapters = [
            Chapter("A nested response becomes flat entities: Tour+Ingesting.swift", ingestBook),
            Chapter("A list loads page by page: Tour+Pages.swift", loadPages),
            Chapter("Missing values are loaded: Tour+Loading.swift", loadAuthors),
            Chapter("Unknown, null or a value: Tour+PartialValues.swift", completeBooks),
            Chapter("One relation, several types: Tour+Highlights.swift", loadHighlights),
            Chapter("Corrections, and an old response: Tour+Corrections.swift", applyCorrections),
            Chapter("Queries follow each commit: Tour+Queries.swift", queryBooks),
            Chapter(
                "An edit shows at once, and the shop refuses it: Tour+Orders.swift",
                orderTooMany
            ),
            Chapter("An open page loads its response: Tour+Requests.swift", holdRequest),
        ]
        chapters += [shopFileChapter(in: notebook.folder), mutationsChapter(in: notebook.folder)]
            .compactMap { $0 }
        var isComplete = true
        for (number, chapter) in chapters.enumerated() {
            output.line("\n\(number + 1). \(chapter.title)")
            do {
                try await chapter.body()
            } catch is NotFound {
                output.line("    not found")
            } catch {
                output.error("Skipped the rest of the chapter: \(error)")
                isComplete = false
            }
        }
        let books = books.elements
        prune()
        return NotebookChapter(notebook: notebook, output: output).run(books: books) && isComplete
    }
}
