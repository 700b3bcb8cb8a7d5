import FlatCache

extension Row {
    /// Rows that measure the cost of notifications for each way to observe.
    static let observationRows = [
        face("15a", "observe") { cache, id, tally in
            cache.cached(Book<Int>.self, id: id).observe { book in
                blackHole(book.pages)
                tally.add()
            }
        },
        face("15b", "observeChanges") { cache, id, tally in
            cache.cached(Book<Int>.self, id: id).observeChanges { change in
                blackHole(change.new?.pages)
                tally.add()
            }
        },
        Row(
            "15c",
            "set with one observer",
            against: lockedDictionary + " and a closure call",
            target: 15
        ) { scale in
            let sets = scale(50_000)
            let direct = DirectCalls(closures: 1)
            let observed = FanOut(observers: 1) { cache, id, tally in
                cache.cached(Book<Int>.self, id: id).observe { book in
                    blackHole(book.pages)
                    tally.add()
                }
            }
            return Contest {
                direct.measure(sets: sets)
            } subject: {
                observed.measure(sets: sets)
            }
        },
        Row(
            "15d",
            "observeAll, per change in batches of 1,000",
            against: "FlatCache without the observer"
        ) { scale in
            let batches = scale(100_000) / 1_000
            let books = Book.books(0..<1_000)
            let unobserved = Cache()
            let observed = Cache()
            let tally = Tally()
            let token = observed.observeAll(Book<Int>.self) { commit in
                for change in commit.changes {
                    blackHole(change.new?.pages)
                    tally.add()
                }
            }
            return Contest {
                ingest(books, batches, into: unobserved)
            } subject: {
                let callsBefore = tally.count
                defer {
                    withExtendedLifetime(token) { tally.check(callsBefore + batches * books.count) }
                }
                return ingest(books, batches, into: observed)
            }
        },
    ]

    /// Creates a row for a way to observe.
    ///
    /// Each `set` calls 1,000 observers of one entity.
    private static func face(
        _ name: String,
        _ title: String,
        _ observe: @escaping @Sendable (Cache, Int, Tally) -> Disposable
    ) -> Row {
        Row(name, title + ", per delivered change", against: bareClosureCall) { scale in
            let sets = scale(100_000) / 200
            let direct = DirectCalls(closures: 1_000)
            let fanOut = FanOut(observers: 1_000, observe)
            return Contest {
                direct.measure(sets: sets)
            } subject: {
                fanOut.measure(sets: sets)
            }
        }
    }

    /// Returns the nanoseconds per value of committing batches of values.
    private static func ingest(_ books: [Book<Int>], _ batches: Int, into cache: Cache) -> Double {
        Stopwatch.nanoseconds(per: batches * books.count) {
            for _ in 0..<batches { cache.set(contentsOf: books) }
        }
    }
}
