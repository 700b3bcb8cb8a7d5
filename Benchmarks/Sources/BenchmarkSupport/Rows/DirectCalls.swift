/// The lower bound for the cost of notifications: stores a value in a locked dictionary, and calls
/// closures with it.
final class DirectCalls {
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

    /// Returns the nanoseconds per call of a closure.
    func measure(sets: Int) -> Double {
        let calls = sets * closures.count
        let callsBefore = tally.count
        defer { tally.check(callsBefore + calls) }
        return Stopwatch.nanoseconds(per: calls) {
            for _ in 0..<sets {
                edition += 1
                let book = Book(id: 1, title: title, pages: 0, copies: edition)
                dictionary.set(book)
                for closure in closures { closure(book) }
            }
        }
    }
}
