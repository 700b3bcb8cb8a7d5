import FlatCache

extension Row {
    /// What it costs to be told, by each way to observe.
    static let observationRows = [
        face("15a", "observe") { cache, id, tally in
            cache.observe(Book<Int>.self, id: id) { book in
                blackHole(book.pages)
                tally.add()
            }
        },
        face("15b", "observeChanges") { cache, id, tally in
            cache.observeChanges(Book<Int>.self, id: id) { change in
                blackHole(change.new?.pages)
                tally.add()
            }
        },
        Row("15c", "set with one observer", against: lockedDictionary + " and a closure call") {
            let sets = $0(50_000)
            let direct = DirectCalls(closures: 1)
            let observed = FanOut(observers: 1) { cache, id, tally in
                cache.observe(Book<Int>.self, id: id) { book in
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
    ]

    /// A row for a way to observe: each of 1,000 observers of one entity is called at each set.
    private static func face(
        _ name: String,
        _ title: String,
        _ observe: @escaping @Sendable (Cache, Int, Tally) -> Disposable
    ) -> Row {
        Row(name, title + ", per delivered change", against: "a bare closure call") { scale in
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
}

/// The least that telling someone can cost: a value is stored in a locked dictionary, and closures are
/// called with it.
private final class DirectCalls {
    private let dictionary = LockedDictionary<Book<Int>>()
    private let tally = Tally()
    private var closures: [@Sendable (Book<Int>) -> Void] = []
    private let title = Texts.title(1)
    private var edition = 0

    init(closures count: Int) {
        let tally = tally
        closures = (0..<count).map { _ in
            { book in
                blackHole(book.pages)
                tally.add()
            }
        }
    }

    /// Nanoseconds per call of a closure.
    func measure(sets: Int) -> Double {
        Stopwatch.nanoseconds(per: sets * closures.count) {
            for _ in 0..<sets {
                edition += 1
                let book = Book(id: 1, title: title, pages: 0, copies: edition)
                dictionary.set(book)
                for closure in closures { closure(book) }
            }
        }
    }
}
