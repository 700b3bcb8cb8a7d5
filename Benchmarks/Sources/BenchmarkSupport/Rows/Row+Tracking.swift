import FlatCache
import Observation

extension Row {
    /// Rows that measure the cost of notifications through the Observation framework.
    static let trackingRows = [
        Row(
            "15j",
            "Observed, tracked and told, per delivered change",
            against: "an Observable class by hand"
        ) { scale in
            let changes = scale(100_000) / 1_000
            let direct = observables(1_000)
            let cached = cachedObservables(1_000)
            return Contest {
                direct.measure(commits: changes)
            } subject: {
                cached.measure(commits: changes)
            }
        }
    ]

    private static func cachedObservables(_ count: Int) -> Deliveries {
        let cache = Cache()
        let tally = Tally()
        let book = cache.cached(Book<Int>.self, id: 1)
        let observables = (0..<count).map { _ in Observed(book, delivery: .inline) }
        return Deliveries(count, counting: tally.count) { book in
            for observable in observables {
                track(tally) { blackHole(observable.value?.pages) }
            }
            cache.set(book)
        }
    }

    private static func observables(_ count: Int) -> Deliveries {
        let tally = Tally()
        let observables = (0..<count).map { ObservableBook(Book(id: 1, number: $0)) }
        return Deliveries(count, counting: tally.count) { book in
            for observable in observables {
                track(tally) { blackHole(observable.book.pages) }
            }
            for observable in observables { observable.book = book }
        }
    }

    /// Runs a closure that reads a value, and counts the next change of that.
    private static func track(_ tally: Tally, _ read: () -> Void) {
        withObservationTracking(read) { tally.add() }
    }
}

/// A value for the Observation framework, as the macro generates it.
private final class ObservableBook: Observable {
    private let registrar = ObservationRegistrar()
    private var current: Book<Int>

    var book: Book<Int> {
        get {
            registrar.access(self, keyPath: \.book)
            return current
        }
        set { registrar.withMutation(of: self, keyPath: \.book) { current = newValue } }
    }

    init(_ book: Book<Int>) {
        current = book
    }
}
