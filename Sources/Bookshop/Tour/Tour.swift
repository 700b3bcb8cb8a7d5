import FlatCache

/// Ingests responses one after another, and shows the effects on the cache.
struct Tour {
    let reading: ResponseFolder.Reading
    let notebook: Notebook
    let output: Output

    /// Runs the tour.
    ///
    /// - Returns: Whether the files of the notebook could be read and written.
    func run() -> Bool {
        writeHeader()
        guard !reading.responses.isEmpty else {
            output.line("No response is left to ingest.")
            return true
        }
        let visit = Visit(to: reading.responses.map(\.response))
        var shop = Shop(visit: visit)
        // The same visitor in a second shop without batches, for comparison.
        let unbatchedShop = Shop(visit: visit)
        var history = visit.pages.first.map(BookHistory.init)

        write(visit)
        var inBatches = 0
        var oneByOne = 0
        for (file, response) in reading.responses.map({ ($0.file, $0.response) }) {
            let notices = shop.ingestInBatch(response)
            let unbatchedNotices = unbatchedShop.ingestOneByOne(response)
            write(notices, oneByOne: unbatchedNotices.count, response: response, file: file)
            inBatches += notices.count
            oneByOne += unbatchedNotices.count
            shop.cache.withSnapshot { snapshot in history?.record(snapshot, after: file) }
        }
        output.line("")
        output.line(
            "\(counted(inBatches, "notification")) in batches, \(oneByOne) one value at a time: "
                + "the batches saved \(oneByOne - inBatches)."
        )
        output.line("An observer of all books has counted \(shop.bookChanges.summary).")
        if let history {
            write(history)
        }
        let books = shop.readingList.elements
        prune(&shop)
        return NotebookChapter(notebook: notebook, output: output).run(books: books)
    }

    private func writeHeader() {
        let skipped = reading.problems.isEmpty ? "" : ", \(reading.problems.count) skipped"
        output.line(
            "\(counted(reading.responses.count, "response")) in \(reading.folder)\(skipped)"
        )
    }

    private func write(_ visit: Visit) {
        guard !visit.pages.isEmpty else {
            output.line("They contain no books, so that nobody is looking at one.")
            return
        }
        let ids = visit.pages.map(String.init).joined(separator: ", ")
        let books = visit.pages.count == 1 ? "book \(ids)" : "each of the books \(ids)"
        output.line(
            "Open from the start: a page for \(books); "
                + "a reading list of \(counted(visit.readingList.count, "book"))."
        )
        output.line("Under each response: who is notified, and which other values are the reason.")
    }

    private func write(
        _ notices: [ScreenNotice],
        oneByOne: Int,
        response: Response,
        file: String
    ) {
        let contents = [
            (response.books.count, "book"),
            (response.authors.count, "author"),
            (response.publishers.count, "publisher"),
            (response.removed.count, "removal"),
        ]
        let present = contents.filter { $0.0 > 0 }.map(counted).joined(separator: ", ")
        let summary = "\(file): \(present.isEmpty ? "nothing" : present)"
        output.line("")
        guard oneByOne > 0 || !notices.isEmpty else {
            output.line("\(summary); nobody is notified")
            return
        }
        output.line(summary)
        let width = notices.map(\.screen.count).max() ?? 0
        for notice in notices {
            output.line("    \(notice.screen.padded(to: width + 2))\(notice.reason)")
        }
        output.line(
            "    \(counted(notices.count, "notification")); one value at a time, \(oneByOne)"
        )
    }

    private func write(_ history: BookHistory) {
        output.line("")
        guard !history.facts.isEmpty else {
            output.line("Book \(history.id) is no longer in the shop.")
            return
        }
        output.line("Book \(history.id), merged from \(counted(history.sources.count, "response"))")
        let width = history.facts.map(\.value.count).max() ?? 0
        for fact in history.facts {
            let previous = fact.previous.map { ", before: \($0)" } ?? ""
            let value = fact.value.padded(to: width + 2)
            output.line("    \(fact.name.padded(to: 12))\(value)\(fact.source)\(previous)")
        }
    }

    private func prune(_ shop: inout Shop) {
        output.line("")
        if let open = shop.closeAllButFirst() {
            output.line("Every screen is closed but the \(open); what nobody looks at is pruned:")
        } else {
            output.line("What nobody looks at is pruned:")
        }
        let before = shop.stock()
        let pruned = shop.cache.pruneUnobservedValues()
        let after = shop.stock()
        for (row, left) in zip(before.rows, after.rows) {
            output.line("    \(row.name.padded(to: 15))\(row.count) before, \(left.count) after")
        }
        output.line("    \(counted(pruned, "value")) removed")
        if !shop.handles.isEmpty {
            let readings = shop.handles.map(reading).joined(separator: ", ")
            output.line("Read through the handles now: \(readings).")
        }
    }

    /// Describes the value of a handle: its title, a book without a title, or `nil`.
    private func reading(_ handle: Cached<Book>) -> String {
        guard let book = handle.value else { return "\(handle.key) is nil" }
        return book.title.map { "\(handle.key) is \($0)" } ?? "\(handle.key) has no title"
    }
}

extension String {
    /// Returns the string padded with spaces to a width, and with one space at least.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
