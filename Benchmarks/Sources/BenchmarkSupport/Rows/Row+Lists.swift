import FlatCache
import Synchronization

extension Row {
    /// Rows about lists of 1,000 elements: notifications of a change to one element, and reads of
    /// all elements.
    static let listRows = [
        Row(
            "15k",
            "list.observeChanges, per delivered change",
            against: bareClosureCall
        ) { scale in
            let sets = scale(100_000) / 200
            let direct = DirectCalls(closures: 1_000)
            let observed = changesOfElements(observers: 1_000)
            return Contest {
                direct.measure(sets: sets)
            } subject: {
                observed.measure(commits: sets)
            }
        },
        Row(
            "15l",
            "set of one of 1,000 elements of an observed list",
            against: lockedDictionary + " and a closure call",
            target: 40
        ) { scale in
            let sets = scale(50_000)
            let direct = DirectCalls(closures: 1)
            let observed = changesOfElements(observers: 1)
            return Contest {
                direct.measure(sets: sets)
            } subject: {
                observed.measure(commits: sets)
            }
        },
        Row(
            "15m",
            "list.elements, 1,000 of them, per element",
            against: "compactMap over a locked dictionary"
        ) { scale in
            let readings = scale(500_000) / 1_000
            let books = Book.books(0..<1_000)
            let order = randomOrder(of: books.map(\.id), count: books.count)
            let dictionary = Mutex(Dictionary(uniqueKeysWithValues: books.map { ($0.id, $0) }))
            let cache = Cache()
            let list = shelf(of: books, in: order, cache)
            return Contest {
                read(order.count, times: readings) {
                    dictionary.withLock { books in order.compactMap { books[$0] } }
                }
            } subject: {
                withExtendedLifetime(cache) {
                    read(order.count, times: readings) { list.elements }
                }
            }
        },
    ]

    private static func changesOfElements(observers: Int) -> Deliveries {
        let cache = Cache()
        let tally = Tally()
        let books = Book.books(0..<1_000)
        let list = shelf(of: books, in: books.map(\.id), cache)
        let tokens = (0..<observers).map { _ in
            list.observeChanges { change in
                blackHole(change.version)
                tally.add()
            }
        }
        return Deliveries(observers, counting: tally.count) { book in
            withExtendedLifetime(tokens) {
                var element = books[book.copies % books.count]
                element.copies = book.copies
                cache.set(element)
            }
        }
    }

    /// Creates a list of books in the order of some identifiers.
    private static func shelf(
        of books: [Book<Int>],
        in order: [Int],
        _ cache: Cache
    ) -> CachedList<Book<Int>> {
        let list = cache.list("shelf", of: Book<Int>.self)
        list.replace(with: books)
        list.ids = order
        return list
    }

    /// Returns the nanoseconds per element of reading all elements.
    private static func read(
        _ count: Int,
        times readings: Int,
        _ elements: () -> [Book<Int>]
    ) -> Double {
        Stopwatch.nanoseconds(per: readings * count) {
            for _ in 0..<readings {
                let elements = elements()
                blackHole(elements)
                precondition(elements.count == count, "Only \(elements.count) elements were read.")
            }
        }
    }
}
