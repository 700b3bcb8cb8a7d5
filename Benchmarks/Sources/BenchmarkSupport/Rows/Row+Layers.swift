import FlatCache

extension Row {
    /// Rows about optimistic layers.
    static let layerRows = [
        Row("35a", "get beside 1,000 open layers", against: "without layers", target: 1.03) {
            scale in
            let sides = LayerSides(scale)
            return Contest {
                sides.reads(sides.plain)
            } subject: {
                sides.reads(sides.layered)
            }
        },
        Row("35b", "set beside 1,000 open layers", against: "without layers", target: 1.1) {
            scale in
            let sides = LayerSides(scale)
            return Contest {
                sides.writes(sides.plain)
            } subject: {
                sides.writes(sides.layered)
            }
        },
        Row(
            "35c",
            "begin and confirm a layer of one update",
            against: "an observed set",
            target: 8
        ) { scale in
            let (count, rounds) = (scale(10_000), scale(10_000))
            let plain = Cache()
            let layered = Cache()
            for cache in [plain, layered] { cache.set(contentsOf: Book.books(0..<count)) }
            let plainTally = Tally()
            let token = plain.cached(Book<Int>.self, id: 1).observe { _ in plainTally.add() }
            let tally = Tally()
            let layeredToken = layered.cached(Book<Int>.self, id: 1).observe { _ in tally.add() }
            return Contest {
                defer { withExtendedLifetime(token) {} }
                return Stopwatch.nanoseconds(per: rounds) {
                    var book = Book(id: 1, number: 1)
                    for copies in 0..<rounds {
                        book.copies = copies
                        plain.set(book)
                    }
                }
            } subject: {
                defer { withExtendedLifetime(layeredToken) {} }
                return Stopwatch.nanoseconds(per: rounds) {
                    for copies in 0..<rounds {
                        let layer = layered.beginLayer("copies") { layer in
                            layer.update(Book<Int>.self, id: 1) { $0.copies = copies }
                        }
                        try? layer.confirm()
                    }
                }
            }
        },
        Row(
            "35d",
            "roll back one of 1,000 layers",
            against: "the goal, 5 µs",
            target: 1
        ) { scale in
            Contest {
                5_000
            } subject: {
                rollBacks(of: scale(1_000), rounds: 5)
            }
        },
        Row(
            "35e",
            "roll back one of 100,000 layers",
            against: "one of 1,000",
            target: 1.2
        ) { scale in
            Contest {
                rollBacks(of: scale(1_000), rounds: 5)
            } subject: {
                rollBacks(of: scale(100_000), rounds: 1)
            }
        },
    ]

    /// Returns the nanoseconds of rolling one of as many open layers back, each with one update of
    /// an entity of its own, of at most 1,000 of them.
    private static func rollBacks(of count: Int, rounds: Int) -> Double {
        var sum = 0.0
        for _ in 0..<rounds {
            let cache = Cache()
            cache.set(contentsOf: Book.books(0..<count))
            let layers = openLayers(count, in: cache)
            let rolledBack = stride(from: 0, to: count, by: max(1, count / 1_000)).map {
                layers[$0]
            }
            sum += Stopwatch.nanoseconds(per: rolledBack.count) {
                for layer in rolledBack { layer.rollBack() }
            }
            cache.removeAll()
            withExtendedLifetime(layers) {}
        }
        return sum / Double(rounds)
    }

    fileprivate static func openLayers(_ count: Int, in cache: Cache) -> [OpenLayer] {
        (0..<count).map { id in
            cache.beginLayer("copies") { layer in
                layer.update(Book<Int>.self, id: id) { $0.copies = 0 }
            }
        }
    }
}

/// A cache with open layers on some of its books, and one without.
private final class LayerSides: Sendable {
    let plain = Cache()
    let layered = Cache()
    private let layers: [OpenLayer]
    private let order: [Int]
    private let books: [Book<Int>]

    init(_ scale: Scale) {
        let (count, layerCount) = (scale(100_000), scale(1_000))
        for cache in [plain, layered] { cache.set(contentsOf: Book.books(0..<count)) }
        layers = Row.openLayers(layerCount, in: layered)
        // The books that no layer changes.
        let first = min(layerCount, count - 1)
        order = Row.randomOrder(of: first..<count, count: count)
        books = order.map { Book(id: $0, number: $0, edition: 1) }
    }

    func reads(_ cache: Cache) -> Double {
        Stopwatch.nanoseconds(per: order.count) {
            for id in order { blackHole(cache.get(Book<Int>.self, id: id)) }
        }
    }

    func writes(_ cache: Cache) -> Double {
        Stopwatch.nanoseconds(per: books.count) {
            for book in books { cache.set(book) }
        }
    }
}
