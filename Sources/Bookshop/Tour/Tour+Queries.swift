import FlatCache

extension Book {
    /// The books of an author.
    static let byAuthor = CacheIndex("author", \Book.author)
}

extension Tour {
    /// Shows the books of an author, in the order of their years and by decades, while the books
    /// change.
    func queryBooks() {
        let leGuin = cache.query(Book.self)
            .where(Book.byAuthor, equals: Related("le-guin"))
            .sorted(by: \.year).then(by: \.title)
        let counts = cache.query(Book.self).aggregate(.count, by: \.author)
        let decades = leGuin.sections { book in book.year.map { $0 / 10 * 10 } }
        let rows = leGuin.limit(3).map { book, cache in
            "\(book.year.map { "\($0)" } ?? "unknown") \(book.title)"
        }
        output.row("her books", counted(counts[Related("le-guin")] ?? 0, "book"))
        for row in rows.value { output.row("", row) }
        let recent = cache.query(Author.self)
            .where(Book.byAuthor) { books in books.contains { $0.year ?? 0 >= 1980 } }
        output.row("since 1980", recent.elements.map(\.name).joined(separator: ", "))

        let observations = [
            leGuin.observeChanges { change in
                let removed = change.difference.removals.count
                let inserted = change.difference.insertions.count
                output.row(
                    "query",
                    "\(inserted) in, \(removed) out, \(change.changedIDs.count) changed"
                )
            },
            counts.observeChanges { change in
                for author in change.changedKeys.sorted(by: { $0.id < $1.id }) {
                    let counts = [change.oldValue(of: author), change.value(of: author)]
                    let numbers = counts.map { "\($0 ?? 0)" }.joined(separator: " to ")
                    output.row("counts", "\(author.id): \(numbers)")
                }
            },
            decades.observeChanges { change in
                let decades = change.keys.map { $0.map { "\($0)s" } ?? "unknown" }
                let removed = change.difference.removals.count
                let inserted = change.difference.insertions.count
                output.row(
                    "decades",
                    "\(decades.joined(separator: ", ")): \(inserted) in, \(removed) out, "
                        + "\(change.sections.count) changed"
                )
            },
        ]
        // One commit, one notification of each screen that it concerns.
        let author = Related<Author>("le-guin")
        cache.set(contentsOf: [
            Book(id: 100, title: "The Dispossessed", author: author, year: 1974),
            Book(id: 101, title: "Rocannon's World", author: author, year: 1966),
        ])
        for row in rows.value { output.row("", row) }
        // A book of another author concerns the counts, but not the query.
        cache.set(Book(id: 102, title: "Solaris", author: Related("lem"), year: 1961))
        // The order changes in the commit that changes the year.
        cache.update(Book.self, id: 101) { $0.year = 1994 }
        cache.performBatchUpdates { batch in
            for id in 100...102 { batch.remove(Book.self, id: id) }
        }
        for observation in observations { observation.dispose() }
    }
}
